// kill -9 of engine, sampler and target at random times; the editor's side gone under a recording.
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../../scripts/steps/command.mjs';
import { cargoBuilt, helper } from '../../scripts/steps/paths.mjs';
import { faulty } from '../programs/c.mjs';
import * as host from './host.mjs';
import {
  begun,
  childrenOf,
  eventually,
  inParallel,
  isAlive,
  leftBehind,
  leftRunning,
  leftSomething,
  programsOf,
  promisedMs,
  samplerOf,
  startRecording,
  stateOf,
  targetOf,
} from './recorded.mjs';
import { outcome, row } from './tally.mjs';

export async function kills(folder, { times, width, seed }) {
  const program = await faulty();
  await run('cargo', ['build', '--release', '--locked', '--package', 'lineheat', '--example', 'loaded_programs'], {
    cwd: helper,
  });
  const random = randomNumbers(seed);
  const rows = [];
  for (const [id, what, work] of [
    ['F11', 'engine ended by kill -9', engineKilled],
    ['F11', 'sampler ended by kill -9', samplerKilled],
    ['F2', 'target ended by kill -9', targetKilled],
    ['F11', 'engine ended by kill -9 while it starts', engineKilledEarly],
    ['F11', 'sampler ended by kill -9 while it starts', samplerKilledEarly],
  ]) {
    const one = () => injected((own) => work(own, program, random()), folder);
    rows.push(row(id, what, await inParallel(times, width, one)));
  }
  const gone = Math.ceil(times / 2);
  for (const [what, end] of [
    ['the editor is gone: the end of the engine’s input', (h) => h.child.stdin.end()],
    ['the extension host ended by kill -9', (h) => h.child.kill('SIGKILL')],
    ['the editor’s engine ended by kill -9', (h) => process.kill(h.enginePid, 'SIGKILL')],
  ]) {
    const one = () => injected((own) => hostGone(own, program, random(), end), folder);
    rows.push(row('F12', what, await inParallel(gone, width, one)));
  }
  return rows;
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What came too late, for the recording had ended or not begun, is tried again. */
async function injected(work, parent, triesLeft = 4) {
  const own = mkdtempSync(path.join(parent, 'kill-'));
  try {
    const result = await work(own);
    if (!result.isMissed || triesLeft === 0) return result;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  return injected(work, parent, triesLeft - 1);
}

async function missed(recording) {
  await recording.ended;
  return { ...outcome({ problems: ['the recording had ended before the fault'] }), isMissed: true };
}

/** Starts a recording of a busy target and waits for a random time between none and three seconds. */
async function recordingUntil(folder, program, random, targetMs) {
  const recording = startRecording(folder, [program, 'busy', String(targetMs)]);
  const beganMs = await begun(recording);
  await sleep(random * 3000);
  const pid = recording.child.pid;
  const sampler = samplerOf(pid);
  return { recording, beganMs, sampler, target: targetOf(pid), programs: sampler ? programsOf(sampler) : [] };
}

async function engineKilled(folder, program, random) {
  const { recording, beganMs, sampler, target, programs } = await recordingUntil(folder, program, random, 3500);
  if (!sampler || !target) return missed(recording);
  recording.child.kill('SIGKILL');
  const killedMs = Date.now();
  const problems = [];
  const left = await leftRunning([sampler, recording.child.pid]);
  if (left.length > 0) problems.push(`${left.length} of our processes run a second after the engine was killed`);
  problems.push(...(await programsLeft(programs)));
  if (!isAlive(target) && Date.now() < beganMs + 3000) problems.push('the target was ended with the engine');
  const whole = await eventually(() => recording.text().includes('whole'));
  if (!whole) problems.push(`the target did not run to its end: ${recording.text()}`);
  return afterKill(recording.file, problems, beganMs, killedMs);
}

async function samplerKilled(folder, program, random) {
  const { recording, beganMs, sampler, target, programs } = await recordingUntil(folder, program, random, 3500);
  if (!sampler || !target) return missed(recording);
  process.kill(sampler, 'SIGKILL');
  const killedMs = Date.now();
  const { code, atMs } = await recording.ended;
  const text = recording.text();
  const problems = [];
  if (!text.includes('whole')) problems.push(`the target did not run to its end: ${text}`);
  if (!/sampler exited before/.test(text)) problems.push(`the end of the sampler was not told: ${text}`);
  if (code !== 0) problems.push(`lineheat ended with ${code}: ${text}`);
  if (atMs < beganMs + 3400) problems.push('lineheat did not wait for its target');
  problems.push(...(await programsLeft(programs)));
  const result = await afterKill(recording.file, problems, beganMs, killedMs);
  return result;
}

async function targetKilled(folder, program, random) {
  const { recording, sampler, target, programs } = await recordingUntil(folder, program, random, 60_000);
  if (!sampler || !target) return missed(recording);
  process.kill(target, 'SIGKILL');
  const killedMs = Date.now();
  const { code } = await recording.ended;
  const problems = [];
  if (code !== 0) problems.push(`lineheat ended with ${code}: ${recording.text()}`);
  if (!/killed by signal 9/.test(recording.text())) problems.push(`the signal was not named: ${recording.text()}`);
  const left = await leftRunning([sampler, recording.child.pid]);
  if (left.length > 0) problems.push('the sampler still runs');
  problems.push(...(await programsLeft(programs)));
  const run = await leftBehind(recording.file);
  if (!run.opened) problems.push(run.why);
  else if (run.info.exit?.signal !== 9 || run.info.partial) problems.push('the run does not name the signal');
  return outcome({ ...run, problems: [...problems, ...run.problems], lostMs: killedMs - run.coveredUntilMs });
}

/** Nobody may be left: neither the sampler nor a target that was not let go yet. */
async function engineKilledEarly(folder, program, random) {
  const recording = startRecording(folder, [program, 'busy', '400']);
  const pid = recording.child.pid;
  const known = new Set();
  const until = Date.now() + random * 400;
  do {
    for (const child of childrenOf(pid)) known.add(child.pid);
    await sleep(2);
  } while (Date.now() < until);
  // Stopped, the engine can let nobody go while we look who waits.
  recording.child.kill('SIGSTOP');
  await sleep(5);
  const waiting = [...known].filter((one) => stateOf(one) === 't');
  recording.child.kill('SIGKILL');
  const target = [...known].filter((one) => !waiting.includes(one));
  const left = await leftRunning([...waiting, pid]);
  const problems = left.map((one) => `process ${one} was left, waiting for what nobody gives`);
  if (waiting.length > 0 && (await eventually(() => recording.text().includes('begin'), 300)))
    problems.push('the target was let go by the end of its recording');
  // One that was let go before has 400 ms to go, which a busy machine makes longer.
  if ((await leftRunning(target, 10_000)).length > 0) problems.push('the sampler or the target is left');
  return outcome({ problems });
}

/** Recording fails with a reason, or has begun and is saved. */
async function samplerKilledEarly(folder, program, random) {
  const recording = startRecording(folder, [program, 'busy', '400']);
  const sampler = await eventually(() => samplerOf(recording.child.pid));
  await sleep(random * 150);
  try {
    process.kill(sampler, 'SIGKILL');
  } catch {
    // It has ended: the recording is over.
  }
  const { code } = await recording.ended;
  const text = recording.text();
  const problems = [];
  if (!/^lineheat: /m.test(text) || /panicked/.test(text)) problems.push(`no sentence: ${text}`);
  if (code === 3 && /begin/.test(text)) problems.push('the target ran although recording failed');
  if (code !== 3 && code !== 0) problems.push(`lineheat ended with ${code}: ${text}`);
  if (code !== 0) return outcome({ problems });
  if (!text.includes('whole')) problems.push('the target did not run to its end');
  const run = await leftBehind(recording.file);
  if (!run.opened) problems.push(run.why);
  return outcome({ ...run, problems: [...problems, ...run.problems] });
}

/** What the run holds after a kill: all but the last second, and it says that it is partial. */
async function afterKill(file, problems, beganMs, killedMs) {
  if (!leftSomething(file)) {
    const lostMs = killedMs - beganMs;
    if (lostMs > promisedMs()) problems.push(`nothing was saved of ${lostMs} ms`);
    return outcome({ problems, lostMs });
  }
  const run = await leftBehind(file);
  if (!run.opened) return outcome({ problems: [...problems, run.why] });
  const lostMs = killedMs - run.coveredUntilMs;
  if (lostMs > promisedMs()) problems.push(`the last ${lostMs.toFixed(0)} ms were not saved`);
  if (!run.info.partial) problems.push('the run does not say that it is partial');
  // Other work may have had most of the machine.
  const leastSamples = 0.02 * (run.coveredUntilMs - beganMs - 200);
  if (run.kept < leastSamples) problems.push(`${run.kept} samples in ${run.coveredUntilMs - beganMs} ms are too few`);
  return outcome({ ...run, problems: [...problems, ...run.problems], lostMs });
}

async function hostGone(folder, program, random, end) {
  const recording = await host.startHost(folder, [program, 'busy', '60000']);
  const { sampler, target, enginePid } = recording;
  if (!sampler || !target) {
    recording.child.kill('SIGKILL');
    return missed(recording);
  }
  const problems = [];
  const programs = programsOf(sampler);
  const beganMs = Date.now();
  await sleep(random * 2500);
  end(recording);
  const killedMs = Date.now();
  const left = await leftRunning([sampler, target, enginePid]);
  if (left.length > 0) problems.push(`${left.length} of sampler, target and engine run a second later`);
  problems.push(...(await programsLeft(programs)));
  recording.child.kill('SIGKILL');
  const listed = await host.listed(folder);
  if (listed.length === 0 && killedMs - beganMs > promisedMs()) problems.push('the run is not listed afterwards');
  if (listed.length === 0) return outcome({ problems });
  if (listed[0].problem) problems.push(listed[0].problem);
  const run = await leftBehind(listed[0].path);
  const lostMs = killedMs - run.coveredUntilMs;
  if (lostMs > promisedMs()) problems.push(`the last ${lostMs.toFixed(0)} ms were not saved`);
  return outcome({ ...run, problems: [...problems, ...run.problems], lostMs });
}

/** Lists the BPF programs in the kernel, a line each: its id and who loaded it. */
const listing = cargoBuilt('examples/loaded_programs');

/** Sentences on BPF programs that are still loaded. */
export async function programsLeft(ids) {
  const deadline = Date.now() + 2000; // the kernel frees them a moment after their last user
  for (;;) {
    const loaded = (await run(listing)).split('\n').map((line) => Number(line.split(' ')[0]));
    const left = ids.filter((id) => loaded.includes(id));
    if (left.length === 0) return [];
    if (Date.now() > deadline) return [`${left.length} BPF programs of the recording are still loaded`];
    await sleep(100);
  }
}
