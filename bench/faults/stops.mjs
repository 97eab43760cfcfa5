// Processes that are stopped for a while: what the ring cannot hold is lost, counted and told.
import { setTimeout as sleep } from 'node:timers/promises';
import { faulty } from '../programs/c.mjs';
import { begun, inParallel, leftBehind, samplerOf, startRecording } from './recorded.mjs';
import { outcome, row } from './tally.mjs';

export async function stops(folder, { times = 1 } = {}) {
  const program = await faulty();
  const deep = (seconds) => [program, 'branches', String(1000 * seconds + 1200), '200', '2'];
  const injected = [
    ['F14', 'sampler stopped for 3 s, 9,999 Hz, 200 frames', ['--freq', '9999'], 3, samplerOf, true],
    // What an engine does not read waits in the sampler: up to 64 MiB.
    ['F15', 'engine stopped for 3 s, 9,999 Hz, 200 frames', ['--freq', '9999'], 3, (pid) => pid, false],
    ['F15', 'engine stopped for 8 s, 9,999 Hz, 200 frames', ['--freq', '9999'], 8, (pid) => pid, true],
    ['F15', 'sampler stopped for 3 s, 999 Hz', [], 3, samplerOf, false],
    ['F15', 'engine stopped for 3 s, 999 Hz', [], 3, (pid) => pid, false],
  ];
  return inParallel(injected.length, 2, async (number) => {
    const [id, what, options, seconds, whom, lossWanted] = injected[number];
    const outcomes = [];
    for (let i = 0; i < times; i++)
      outcomes.push(await stopped(folder, deep(seconds), options, seconds, whom, lossWanted));
    return row(id, what, outcomes);
  });
}

async function stopped(folder, command, options, seconds, whom, lossWanted) {
  const recording = startRecording(folder, command, { options, name: `stopped-${Math.random()}.pb.gz` });
  await begun(recording);
  await sleep(500);
  const pid = whom(recording.child.pid);
  if (!pid) return outcome({ problems: ['there was nobody to stop'] });
  process.kill(pid, 'SIGSTOP');
  await sleep(1000 * seconds);
  process.kill(pid, 'SIGCONT');
  const { code } = await recording.ended;
  const text = recording.text();
  const run = await leftBehind(recording.file);
  const problems = [...run.problems];
  if (code !== 0) problems.push(`lineheat ended with ${code}: ${text}`);
  if (!run.opened) return outcome({ problems: [...problems, run.why] });
  if (!text.includes('whole')) problems.push('the target did not run to its end');
  const told = Number(/(\d+) lost \(/.exec(text)?.[1] ?? 0);
  if (told !== run.lost) problems.push(`${run.lost} are lost, ${told} were told: ${text}`);
  const share = run.lost / run.taken;
  if (share > 0.01 && !run.info.problems.some((sentence) => /were lost/.test(sentence)))
    problems.push(`the run does not warn of ${(100 * share).toFixed(1)} % lost`);
  // A sample of 200 frames has some 1,700 bytes; a busy machine may give too few to fill what holds them.
  if (lossWanted && run.lost === 0 && run.kept > 5_000 * seconds) problems.push('nothing overflowed');
  return outcome({ ...run, problems });
}
