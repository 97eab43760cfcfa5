// What recording costs: the CPU time that a program's fixed work takes with and without it, beside other profilers, and
// the CPU time of engine and sampler together.
//
// CPU time of fixed work moves by per cents with what else the machine does. So the program runs twice at once, on a core
// each, one side with a profiler; then the sides are swapped, and the mean of both ratios is a pair: what slows both
// cores alike and what tells the cores apart fall out of it. Pairs without any profiler are the control.
//
// The time that interrupts take from a program that only reads the clock is finer, but does not see what a sample costs the
// target's caches. The profilers attach to that program in turns; every stretch with one is compared with the pauses
// before and after it. samply is not among them: attached, it mostly takes no sample in so short a time.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { engine } from '../scripts/steps/paths.mjs';
import { measured, quantile, spread } from './measure.mjs';
import { pauses } from './programs/c.mjs';
import { samplyRecord } from './samply-run.mjs';
import { workTarget } from './targets.mjs';

export const title = 'Overhead of recording';

const targetCore = '1';
const ourCore = '0';
/** Per cent of the target's time that recording may cost. */
const mostAt = { 'lineheat at 99 Hz': 1, 'lineheat at 999 Hz': 3 };
/** A profiler needs this long to attach; ms. */
const startMs = 500;
const stretchMs = 1000;
/** A round of bench/targets/pauses.c. */
const pauseRoundNs = 20e6;
/** Rounds of fixed work (some 2 ms each) of a program that a profiler starts, and how many of them pass while it does. */
const workRounds = 1500;
const workStartRounds = 250;

export async function measure({ pairs = 12, pauseTurns = 6, longRounds = 5000 } = {}) {
  const program = await workTarget();
  const watcher = await pauses();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const seconds = ((startMs + stretchMs) / 1000).toFixed(1);
  const output = path.join(folder, 'run');
  const record = [engine, 'record', '--output', `${output}.pb.gz`];
  const lineheat = (hz) => (pid) => [...record, '--freq', hz, '--duration', seconds, '--pid', pid];
  const perfRecord = (...options) => ['perf', 'record', '-q', '-e', 'cpu-clock', '-F', '999', ...options, '-o', output];
  const perf =
    (...options) =>
    (pid) => [...perfRecord(...options), '-p', pid, '--', 'sleep', seconds];
  const profilers = {
    'nothing (control)': () => ['sleep', seconds],
    'lineheat at 99 Hz': lineheat('99'),
    'lineheat at 999 Hz': lineheat('999'),
    'perf record at 999 Hz': perf(),
    'perf record -g at 999 Hz': perf('-g'),
  };
  try {
    const log = path.join(folder, 'rounds');
    const starters = {
      'nothing (control)': (command) => finished(command),
      'lineheat at 99 Hz': (command) => finished([...record, '--freq', '99', '--', ...command]),
      'lineheat at 999 Hz': (command) => finished([...record, '--', ...command]),
      'perf record at 999 Hz': (command) => finished([...perfRecord(), '--', ...command]),
      'perf record -g at 999 Hz': (command) => finished([...perfRecord('-g'), '--', ...command]),
      'samply at 999 Hz': (command) => samplyRecord(`${output}.json.gz`, command),
    };
    const cost = await sideBySide(program, folder, starters, pairs);
    const taken = await inTurns(watcher, log, profilers, pauseTurns);
    const ours = [];
    for (let i = 0; i < 3; i++) {
      const recorded = await measured(engine, [
        'record',
        '--output',
        `${output}.pb.gz`,
        '--',
        'taskset',
        '-c',
        targetCore,
        program,
        String(longRounds),
      ]);
      ours.push((100 * (recorded.cpuMs - targetCpu(recorded.output))) / recorded.wallMs);
    }
    return [
      ...Object.keys(cost).map((name) => ({
        what: `extra CPU time of the target, recorded and unrecorded in parallel, ${name}`,
        ...goalOf(cost, name, { most: mostAt[name] }),
        value: withError(cost[name]),
      })),
      ...Object.keys(taken).map((name) => ({
        what: `time taken by interrupts from a program that only reads the clock, ${name}`,
        ...goalOf(taken, name, { most: mostAt[name] }),
        value: withError(taken[name]),
      })),
      {
        what: 'engine and sampler, share of one core, recording of 10 s at 999 Hz, including start and saving',
        goal: '≤ 3 %',
        value: spread(ours, 2, '%'),
        ok: quantile(ours, 0.5) <= 3,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Per way to start it: CPU time of fixed work more than that of the same work on the other core, in per cent, one a pair. */
async function sideBySide(program, folder, starters, pairs) {
  const cost = {};
  for (let pair = 0; pair < pairs; pair++) {
    for (const [name, start] of shuffled(Object.entries(starters))) {
      const ratios = [
        await ratioOfSides(program, folder, start, '0', '1'),
        await ratioOfSides(program, folder, start, '1', '0'),
      ];
      cost[name] ??= [];
      cost[name].push(100 * (Math.sqrt(ratios[0] * ratios[1]) - 1));
    }
  }
  return cost;
}

/** CPU time of a round on `core` with a profiler ÷ that on `otherCore` without, both in the time that both ran. */
async function ratioOfSides(program, folder, start, core, otherCore) {
  const [log, otherLog] = ['profiled', 'bare'].map((name) => path.join(folder, name));
  const other = spawn('taskset', ['-c', otherCore, program, '1000000000', otherLog], { stdio: 'ignore' });
  try {
    await start(['taskset', '-c', core, program, String(workRounds), log]);
  } finally {
    other.kill('SIGKILL');
  }
  const rounds = roundsOf(log);
  const span = [rounds[workStartRounds].ended, rounds.at(-1).ended];
  return meanBetween(rounds, ...span) / meanBetween(roundsOf(otherLog), ...span);
}

/** Per profiler: the share of its time that is taken from a program more with it than before and after it, in per cent, one a turn. */
async function inTurns(program, log, profilers, turns) {
  const target = spawn('taskset', ['-c', targetCore, program, '1000000000', log], { stdio: 'ignore' });
  const stretches = [];
  try {
    await sleep(1000);
    const able = [];
    for (const [name, command] of Object.entries(profilers)) {
      const why = await finished(beside(command(String(target.pid)))).then(
        () => null,
        (error) => error.message,
      );
      if (why === null) able.push([name, command]);
      else console.log(`  ${name} is left out: ${why.split('\n').slice(0, 2).join(' ')}`);
    }
    for (let turn = 0; turn < turns; turn++) {
      for (const [name, command] of shuffled(able)) {
        const pause = await stretch(stretchMs / 2);
        stretches.push({ name: null, ...pause });
        const ended = finished(beside(command(String(target.pid))));
        await sleep(startMs + 50);
        stretches.push({ name, ...(await stretch(stretchMs - 150)) });
        await ended;
        await sleep(100);
      }
    }
    stretches.push({ name: null, ...(await stretch(stretchMs / 2)) });
  } finally {
    target.kill('SIGKILL');
  }
  const rounds = roundsOf(log);
  const perRound = stretches.map(({ from, to }) => meanBetween(rounds, from, to));
  const cost = {};
  stretches.forEach(({ name }, i) => {
    if (name === null) return;
    cost[name] ??= [];
    cost[name].push((100 * (perRound[i] - (perRound[i - 1] + perRound[i + 1]) / 2)) / pauseRoundNs);
  });
  return cost;
}

/** At 999 Hz nothing above what others take, unless by chance (two standard errors of the difference). */
function goalOf(taken, name, { most = Number.POSITIVE_INFINITY } = {}) {
  if (!name.startsWith('lineheat')) return { goal: 'for comparison', ok: true };
  const others = Object.keys(taken).filter((other) => name.endsWith(' 999 Hz') && /-g|samply/.test(other));
  const own = medianAndError(taken[name]);
  const isAbove = (other) => own.median - other.median > 2 * Math.hypot(own.error, other.error);
  const goals = [];
  if (most < Number.POSITIVE_INFINITY) goals.push(`≤ ${most} %`);
  if (others.length > 0) goals.push(`not above ${others.join(' and ')}`);
  return {
    goal: goals.join(', '),
    ok: own.median <= most && !others.some((other) => isAbove(medianAndError(taken[other]))),
  };
}

/** Waits and says from when to when it waited, ns of CLOCK_MONOTONIC. */
async function stretch(ms) {
  const from = process.hrtime.bigint();
  await sleep(ms);
  return { from, to: process.hrtime.bigint() };
}

const beside = (command) => ['taskset', '-c', ourCore, ...command];

function finished([program, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (bytes) => {
      said += bytes;
    });
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}: ${said}`)),
    );
  });
}

/** The log of a target: when each round ended (ns, CLOCK_MONOTONIC) and what time was counted in it (ns). */
function roundsOf(log) {
  const bytes = readFileSync(log);
  return Array.from({ length: Math.floor(bytes.length / 16) }, (_, i) => ({
    ended: bytes.readBigUInt64LE(16 * i),
    cpuNs: Number(bytes.readBigUInt64LE(16 * i + 8)),
  }));
}

/** Mean CPU time of the rounds that lie within. */
function meanBetween(rounds, from, to) {
  const within = rounds.filter((round, i) => i > 0 && rounds[i - 1].ended >= from && round.ended <= to);
  return trimmedMean(within.map((round) => round.cpuNs));
}

/** Without the tenth at either end: a neighbour's burst is not our cost. */
function trimmedMean(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 10);
  const kept = sorted.slice(cut, sorted.length - cut);
  return kept.reduce((sum, time) => sum + time, 0) / kept.length;
}

/** "median ± standard error of the median, by the middle half". */
function withError(values) {
  const { low, median, high, error } = medianAndError(values);
  return `${median.toFixed(2)} ± ${error.toFixed(2)} % (half of ${values.length} between ${low.toFixed(2)} and ${high.toFixed(2)})`;
}

function medianAndError(values) {
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => quantile(values, share));
  return { low, median, high, error: (1.25 * (high - low)) / 1.349 / Math.sqrt(values.length) };
}

const shuffled = (items) =>
  items
    .map((item) => [Math.random(), item])
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);

const targetCpu = (output) => JSON.parse(/\{.*\}/.exec(output)[0]).cpuNs / 1e6;
