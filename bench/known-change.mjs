// One function made slower by a known part: whether it is found, how wide of the mark the intervals are, and what else is
// told that is not so.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { compared, groups, percent, recordings, tested } from './compared-runs.mjs';
import { once, source } from './programs/build-folder.mjs';

export const title = 'A function made slower by a known amount';

/** `times` recordings of each variant serve all comparisons. Part 0 is a quarter of the program, part 3 an eighth; changes are per cents. */
export async function measure({ times = 24, pairs = 24, k = 5, parts = [0, 3], changes = [3, 5, 10, 25] } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    const program = await build();
    const commands = { base: [program] };
    for (const part of parts)
      for (const change of changes) commands[`${part}-${change}`] = [program, String(part), String(change)];
    const files = await recordings(commands, times, folder);
    const rows = [];
    const all = { intervals: 0, covered: 0, comparisons: 0, wrongShares: 0 };
    for (const part of parts)
      for (const change of changes) {
        const outcome = { detected: 0, power: [] };
        // Both sides from the same rounds, as commands that run in turns.
        for (const rounds of groups([...files.base.keys()], k, pairs)) {
          const of = (name) => rounds.map((round) => files[name][round]);
          count(await compared(of('base'), of(`${part}-${change}`)), part, change, k, outcome, all);
        }
        rows.push(detection(part, change, k, pairs, outcome));
      }
    return [...rows, ...overAll(all)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const build = () =>
  once('parts', 'build parts', (program) => run('gcc', ['-O2', '-g', source('parts.c'), '-o', program]));

function count(comparison, part, change, k, outcome, all) {
  const slower = `part_${part}`;
  const isTrue = ({ name, verdict }) => name === slower && verdict === 'slower';
  const tests = tested(comparison);
  for (const one of tests.filter(({ name }) => /^part_\d$/.test(name))) {
    const truth = one.name === slower ? change / 100 : 0;
    all.intervals += 1;
    all.covered += one.low <= truth && truth <= one.high ? 1 : 0;
    if (one.name === slower) outcome.power.push(power(one, truth, k, tests.length));
  }
  // Its callers grew with it: only the parts are counted.
  const verdicts = comparison.functions.filter(({ name }) => /^part_\d$/.test(name)).filter(isVerdict);
  const wrong = verdicts.filter((one) => !isTrue(one)).length;
  all.comparisons += 1;
  all.wrongShares += wrong / Math.max(verdicts.length, 1);
  if (verdicts.some(isTrue)) outcome.detected += 1;
}

const isVerdict = ({ verdict }) => ['slower', 'faster', 'new', 'gone'].includes(verdict);

/**
 * How often a change like this is found, as the only one among so many tests at a false discovery rate of 5 %, when the
 * interval is as wide as this one's.
 */
function power({ low, high }, truth, k, tests) {
  const df = 2 * k - 2;
  const error = (Math.log1p(high) - Math.log1p(low)) / (2 * student(0.05, df));
  return normal(Math.log1p(truth) / error - student(0.05 / tests, df));
}

/** The |t| that is exceeded with this probability: the normal's, expanded in 1/df (Abramowitz and Stegun 26.7.5, 26.2.23). */
function student(p, df) {
  const t = Math.sqrt(-2 * Math.log(p / 2));
  const z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  return z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df ** 2);
}

/** The normal distribution function (Abramowitz and Stegun 26.2.17, to 1e-7). */
function normal(z) {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}

function detection(part, change, k, pairs, { detected, power: powers }) {
  const planned = powers.length > 0 ? powers.reduce((sum, one) => sum + one, 0) / powers.length : 0;
  const least = Math.max(0, planned - 0.1 - 2 * Math.sqrt((planned * (1 - planned)) / pairs));
  return {
    what: `part ${part} ${change} % slower, ${k} against ${k}: found`,
    goal: `≥ ${percent(least, 1)} (planned power ${percent(planned, 1)}, minus chance)`,
    value: `${percent(detected, pairs)} of ${pairs}`,
    ok: detected / pairs >= least,
  };
}

function overAll({ intervals, covered, comparisons, wrongShares }) {
  return [
    {
      what: 'true changes inside the 95 % intervals, all parts',
      goal: '≥ 93 %',
      value: `${percent(covered, intervals)} of ${intervals}`,
      ok: covered / intervals >= 0.93,
    },
    {
      what: 'share of wrong verdicts, mean over the comparisons (false discovery rate), parts only',
      goal: '≤ 6 %',
      value: `${percent(wrongShares, comparisons)} of ${comparisons}`,
      ok: wrongShares <= 0.06 * comparisons,
    },
  ];
}
