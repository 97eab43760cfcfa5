// How many stacks are whole, sample by sample from the first on, by what starts the program: unwind rows of what others
// start can only be made while it runs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engine, inRoot } from '../scripts/steps/paths.mjs';
import { measured, quantile, spread } from './measure.mjs';
import { wholeStacks } from './outermost-frames.mjs';
import { perfDwarfStacks } from './perf-stacks.mjs';
import { programs } from './programs/programs.mjs';
import { readRun, stackEnds } from './run-file.mjs';
import { samplyStacks } from './samply-run.mjs';

export const title = 'Complete stacks, whatever starts the program';

const source = inRoot('helper/tests/programs/templates.cpp');
const compilation = (compiler) => [compiler, '-O2', '-c', '-o', '/dev/null', source];

const started = {
  'clang++ itself': { command: () => compilation('clang++') },
  'g++ itself': { command: () => compilation('g++') },
  ...Object.fromEntries(
    ['sqlite', 'leveldb', 'word-count', 'ripgrep', 'go', 'ocaml', 'd', 'nim'].map((name) => [
      programs[name].what,
      { command: () => programs[name].command(0.2) },
    ]),
  ),
};

const quoted = (command) => command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');

/** Each gives the command that starts the command. */
const starters = {
  direct: (command) => command,
  'sh -c': (command) => ['sh', '-c', `${quoted(command)}; true`],
  make: (command, folder) => {
    writeFileSync(path.join(folder, 'Makefile'), `all:\n\t@${quoted(command).replaceAll('$', '$$$$')}\n`);
    return ['make', '--no-print-directory', '-C', folder];
  },
  'env -i': (command) => ['env', '-i', `PATH=${process.env.PATH}`, ...command],
  setsid: (command) => ['setsid', '--wait', ...command],
  Python: (command) => ['python3', '-c', 'import subprocess, sys; subprocess.run(sys.argv[1:])', ...command],
};

/** Each gives the stacks of a command, recorded into a file. */
const otherProfilers = {
  'perf record --call-graph dwarf': perfDwarfStacks,
  samply: (command, file) => samplyStacks(command, `${file}.json.gz`),
};

/** perf 6.1 unwinds through libc in about half of its recordings: one alone says little. */
const OTHERS_RECORDINGS = 5;

/** Per cent: of a program met for the first time, and once its unwind rows are cached. */
const GOALS = { first: 99.5, second: 99.9 };

export async function* measure({ names = Object.keys(started), by = Object.keys(starters) } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    for (const name of names) {
      const command = await started[name].command();
      const times = { first: [], second: [], without: [] };
      for (const starter of by) {
        const whole = starters[starter](command, folder);
        const cache = path.join(folder, 'cache');
        times.without.push({ starter, ...(await recorded(whole, ['--no-stack-copies'], folder, cache)) });
        rmSync(cache, { recursive: true, force: true });
        for (const time of Object.keys(GOALS)) {
          times[time].push({ starter, ...(await recorded(whole, [], folder, cache)) });
        }
        rmSync(cache, { recursive: true, force: true });
      }
      for (const [time, goal] of Object.entries(GOALS)) {
        const what = time === 'first' ? `${name}, the first time` : 'the same, the second time: unwind rows are cached';
        const besides = time === 'first' ? `; without copies of stacks ${shares(times.without)}` : '';
        const ok = times[time].every(({ share }) => share >= goal);
        yield { what, goal: `≥ ${goal} %`, value: `${shares(times[time], goal)}${besides}`, ok };
      }
      yield {
        what: 'the same: CPU time of our processes, first and second time',
        goal: 'for comparison',
        value: times.first.map(({ starter, ownMs }, at) => between(starter, ownMs, times.second[at].ownMs)).join(', '),
        ok: true,
      };
      yield* byOthers(starters['sh -c'](command), path.join(folder, 'others'));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Rows of the profilers that work here. */
async function* byOthers(command, file) {
  for (const [profiler, stacksOf] of Object.entries(otherProfilers)) {
    try {
      const recordings = [];
      for (let i = 0; i < OTHERS_RECORDINGS; i++) recordings.push(wholeStacks(await stacksOf(command, file)));
      yield { what: `the same: ${profiler}, sh -c`, goal: 'for comparison', value: spreadOf(recordings), ok: true };
    } catch (error) {
      console.log(`  ${profiler} is left out: ${error.message.split('\n').slice(0, 2).join(' ')}`);
    }
  }
}

function spreadOf(recordings) {
  const whole = spread(
    recordings.map(({ total, whole }) => (100 * whole) / total),
    2,
    '%',
  );
  if (recordings.every(({ whole, toMain }) => whole === toMain)) return whole;
  const toMain = quantile(
    recordings.map(({ total, toMain }) => (100 * toMain) / total),
    0.5,
  );
  return `${whole}, ${toMain.toFixed(2)} % with those that end in main`;
}

/** Below the goal with how the other walks ended. */
const shares = (recordings, goal = 0) =>
  recordings
    .map(({ starter, share, others }) => `${starter} ${share.toFixed(2)}${share < goal ? ` (${others})` : ''}`)
    .join(', ');
const between = (starter, first, second) => `${starter} ${first.toFixed(0)} → ${second.toFixed(0)} ms`;

/** The share of whole stacks in per cent, and the CPU time of our processes alone. */
async function recorded(command, options, folder, cache) {
  const file = path.join(folder, 'run.pb.gz');
  const env = { XDG_CACHE_HOME: cache };
  const { cpuMs } = await measured(engine, ['record', ...options, '--output', file, '--', ...command], { env });
  const { info } = readRun(file);
  const { ends, total, rooted } = stackEnds(info);
  const others = Object.entries(ends)
    .filter(([end]) => end !== 'root')
    .map(([end, count]) => `${count} ${end}`)
    .join(', ');
  return { share: (100 * rooted) / total, others, ownMs: cpuMs - (info.user_ns + info.system_ns) / 1e6 };
}
