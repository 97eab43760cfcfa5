// From the target's exit to names, lines and inlined frames: ours saved and complete, samply's with its symbols beside the
// profile, perf's report by source line; the same load under each, one after the other.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { engine } from '../scripts/steps/paths.mjs';
import { measured, quantile, spread } from './measure.mjs';
import { programs } from './programs/programs.mjs';
import { framesPerSample, readRun } from './run-file.mjs';
import { samplyInlined, samplyRecord } from './samply-run.mjs';
import { debugBytes } from './targets.mjs';

export const title = 'From the target’s exit to a saved run with names, lines and inlined frames';

const goalsMs = { sqlite: 300, ripgrep: 600 };
const perfLimitS = 60;

export async function measure({ size = 0.3, repeats = 3, names = Object.keys(goalsMs) } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    const rows = [];
    for (const name of names) rows.push(...(await oneProgram(name, size, repeats, folder)));
    rows.push(...(await manySamples('lineheat', 0.5, { cold: 1000, warm: 300 }, folder)));
    rows.push(...(await manySamples('ripgrep', 1, { cold: undefined, warm: undefined }, folder)));
    rows.push(...(await manySamples('duckdb', 1.2, { cold: undefined, warm: undefined }, folder)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function oneProgram(name, size, repeats, folder) {
  const command = await programs[name].command(size);
  const file = (ending) => path.join(folder, `${name}${ending}`);
  const timed = sayingItsEnd(command);
  const ours = [];
  const theirs = [];
  const samplyFile = file('.json.gz');
  for (let i = 0; i < repeats; i++) {
    ours.push(await sinceTargetEnd(measured(engine, ['record', '--output', file('.pb.gz'), '--', ...timed])));
    theirs.push(await orWhyNot(() => sinceTargetEnd(samplyRecord(samplyFile, timed))));
  }
  const { what } = programs[name];
  const megabytes = (statSync(command[0]).size / 1e6).toFixed(0);
  const goal = goalsMs[name];
  return [
    {
      what: `${what} (a file of ${megabytes} MB): Lineheat`,
      goal: `≤ ${goal} ms`,
      value: spread(ours, 0, 'ms'),
      ok: quantile(ours, 0.5) <= goal,
    },
    {
      what: 'the same: samply with its symbols',
      goal: 'for comparison',
      value: theirs.find((ms) => typeof ms === 'string') ?? spread(theirs, 0, 'ms'),
      ok: true,
    },
    await perfReport(command, file('.perf')),
    inlinedFrames(readRun(file('.pb.gz')).profile, await orWhyNot(() => samplyInlined(samplyFile))),
  ];
}

/** What `work` gives, or in words why another tool could not be measured: ours is shown all the same. */
const orWhyNot = (work) =>
  work().catch((error) => `not measured: ${error.message.trim().split('\n').at(-1).slice(-120)}`);

/** The command, which afterwards prints the wall clock in nanoseconds as its last line. */
const sayingItsEnd = (command) => ['sh', '-c', '"$@" && date +%s%N', 'sh', ...command];

/** Milliseconds from the end that the target printed to the end of the recording. */
async function sinceTargetEnd(recording) {
  const { output } = await recording;
  const ended = output.match(/\b\d{19}\b/g).at(-1);
  return Date.now() - Number(BigInt(ended) / 1_000_000n);
}

async function perfReport(command, data) {
  await run('perf', ['record', '-q', '-F', '999', '-e', 'cpu-clock', '-o', data, '--', ...command]);
  const start = performance.now();
  const report = ['perf', 'report', '-i', data, '--stdio', '-F', 'overhead,srcline'];
  const failure = await run('timeout', [String(perfLimitS), ...report]).then(
    () => undefined,
    (error) => error,
  );
  const ms = performance.now() - start;
  if (failure && ms < 1000 * perfLimitS) throw failure;
  const value = failure ? `stopped after ${perfLimitS} s` : `${ms.toFixed(0)} ms`;
  return { what: 'the same: `perf report -F overhead,srcline`', goal: 'for comparison', value, ok: true };
}

/** Some 100,000 samples: first with nothing in memory and in our cache, then again. */
async function manySamples(name, size, goals, folder) {
  const [program, ...args] = await programs[name].command(size);
  const megabytes = ((await debugBytes(program)) / 1e6).toFixed(0);
  const file = path.join(folder, 'many.pb.gz');
  const cache = { XDG_CACHE_HOME: path.join(folder, 'cache') };
  const rows = [];
  for (const [state, goal] of Object.entries(goals)) {
    const times = [];
    let info;
    let functions;
    for (let i = 0; i < 3; i++) {
      if (state === 'cold') {
        rmSync(cache.XDG_CACHE_HOME, { recursive: true, force: true });
        writeFileSync('/proc/sys/vm/drop_caches', '3');
      }
      const options = ['record', '--freq', '9999', '--output', file, '--', ...sayingItsEnd([program, ...args])];
      times.push(await sinceTargetEnd(measured(engine, options, { env: cache })));
      const run = readRun(file);
      info = run.info;
      functions = run.profile.function.length;
    }
    const what = `${programs[name].what}: ${info.samples_kept} samples in ${functions} functions, ${megabytes} MB of DWARF, ${state}`;
    const ok = goal === undefined || quantile(times, 0.5) <= goal;
    rows.push({ what, goal: goal ? `≤ ${goal} ms` : 'for comparison', value: spread(times, 0, 'ms'), ok });
  }
  return rows;
}

function inlinedFrames(profile, theirs) {
  const ours = framesPerSample(profile).inlined;
  const what = 'the same: inlined frames per sample compared with samply';
  const goal = 'within 2 %';
  if (typeof theirs === 'string') return { what, goal, value: `${ours.toFixed(2)}; samply ${theirs}`, ok: false };
  const difference = 100 * (ours / theirs.inlined - 1);
  return {
    what,
    goal,
    value: `${ours.toFixed(2)} against ${theirs.inlined.toFixed(2)} (${difference.toFixed(1)} %)`,
    ok: Math.abs(difference) <= 2,
  };
}
