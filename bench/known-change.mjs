// One function made slower by a known part: whether it is found, how wide of the mark the intervals are, and what else is
// told that is not so.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { compared, groups, percent, recordings, tested } from './compared-runs.mjs';
import { quantile } from './measure.mjs';
import { once, source } from './programs/build-folder.mjs';

export const title = 'A function made slower by a known part';

/** A quarter of the program, and an eighth. */
const parts = [0, 3];
const changes = [3, 5, 10, 25];

/** `times` recordings of each variant serve all comparisons. */
export async function measure({ times = 24, pairs = 24, k = 5 } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    const program = await build();
    const commands = { base: [program] };
    for (const part of parts)
      for (const change of changes) commands[`${part}-${change}`] = [program, String(part), String(change)];
    const files = await recordings(commands, times, folder);
    const rows = [];
    const all = { intervals: 0, covered: 0, found: 0, wrong: 0 };
    for (const part of parts)
      for (const change of changes) {
        const bases = groups(files.base, k, pairs, 1);
        const news = groups(files[`${part}-${change}`], k, pairs, 2);
        const outcome = { detected: 0, power: [] };
        for (let i = 0; i < pairs; i++) count(await compared(bases[i], news[i]), part, change, k, outcome, all);
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
  for (const one of tested(comparison).filter(({ name }) => /^part_\d$/.test(name))) {
    const truth = one.name === slower ? change / 100 : 0;
    all.intervals += 1;
    all.covered += one.low <= truth && truth <= one.high ? 1 : 0;
    if (one.name === slower) outcome.power.push(power(one, truth, k));
    if (!['slower', 'faster', 'new', 'gone'].includes(one.verdict)) continue;
    all.found += 1;
    all.wrong += one.name === slower && one.verdict === 'slower' ? 0 : 1;
    if (one.name === slower && one.verdict === 'slower') outcome.detected += 1;
  }
}

/** How often a change like this is found by a test whose interval is as wide as this one's. */
function power({ low, high }, truth, k) {
  const critical = 1.96 + 2.4 / (2 * k - 2); // of Student's t, near enough
  const error = (Math.log1p(high) - Math.log1p(low)) / (2 * critical);
  return normal(Math.log1p(truth) / error - critical);
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
  // The q of the false discovery rate asks for more than a p of 5 %, so less is found than by one test alone.
  const least = Math.max(0, planned - 0.15 - 2 * Math.sqrt((planned * (1 - planned)) / pairs));
  return {
    what: `part ${part} ${change} % slower, ${k} against ${k}: found`,
    goal: `≥ ${percent(least, 1)} (planned power of one test ${percent(planned, 1)})`,
    value: `${percent(detected, pairs)} of ${pairs}, median power ${percent(quantile(powers.length ? powers : [0], 0.5), 1)}`,
    ok: detected / pairs >= least,
  };
}

function overAll({ intervals, covered, found, wrong }) {
  return [
    {
      what: 'true changes inside the 95 % intervals, all parts',
      goal: '≥ 93 %',
      value: `${percent(covered, intervals)} of ${intervals}`,
      ok: covered / intervals >= 0.93,
    },
    {
      what: 'verdicts that are not so',
      goal: '≤ 6 % of the verdicts',
      value: `${percent(wrong, found)} of ${found}`,
      ok: wrong <= 0.06 * Math.max(found, 1),
    },
  ];
}
