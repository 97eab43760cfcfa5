// Real programs compared with themselves: how often a difference is seen where there is none, by the order in which the
// executions of both sides were made.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compared, isRejected, orders, percent, recordings, tested } from './compared-runs.mjs';
import { programs } from './programs/programs.mjs';

export const title = 'The same program compared with itself: false differences';

/** Sizes give a second or so of CPU time an execution. */
const sizes = {
  sqlite: 0.1,
  leveldb: 0.1,
  ripgrep: 0.1,
  'word-count': 0.1,
  go: 0.1,
  ocaml: 0.1,
  deep: 0.1,
  'tcp-send': 0.1,
};

/** With fewer tests of a row, chance alone makes its rate. */
const TESTS_OF_A_ROW = 150;

/**
 * `times` recordings of each program, one after the other, serve all pairs; with fewer, pairs have more members in common. The
 * functions of a pair vary together, with the clock of the machine, so few pairs give a rate that chance moves by several percent.
 */
export async function measure({
  times = 60,
  pairs = 160,
  ks = [1, 3, 5, 10],
  names = Object.keys(sizes),
  designs = Object.keys(orders),
} = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    const files = {};
    for (const name of names) {
      const command = await programs[name].command(sizes[name]);
      Object.assign(files, await recordings({ [name]: command }, times, folder));
    }
    const rows = [];
    for (const k of ks)
      for (const design of designs) {
        const all = [];
        for (const name of names) all.push(await rates(orders[design](files[name], k, pairs, k)));
        rows.push(...rowsOf(`${names.length} programs, ${k} against ${k}, ${design}`, design, all));
      }
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Intervals that leave out "no change", verdicts, and wholes that are told apart, over these pairs. */
async function rates(pairs) {
  const sum = { pairs: 0, alarmed: 0, wholes: 0, byRow: new Map() };
  for (const [base, news] of pairs) {
    const found = await compared(base, news);
    for (const row of tested(found)) {
      const key = `${row.module} ${row.name}`;
      const known = sum.byRow.get(key) ?? { tests: 0, rejected: 0 };
      sum.byRow.set(key, { tests: known.tests + 1, rejected: known.rejected + (isRejected(row) ? 1 : 0) });
    }
    sum.pairs += 1;
    sum.alarmed += found.functions.some(({ verdict }) => !['noise', 'too-few'].includes(verdict)) ? 1 : 0;
    sum.wholes += ['slower', 'faster'].includes(found.verdict) ? 1 : 0;
  }
  return sum;
}

function rowsOf(what, design, all) {
  const add = (part) => all.reduce((sum, one) => sum + part(one), 0);
  const everyRow = all.flatMap(({ byRow }) => [...byRow.values()]);
  const often = everyRow.filter(({ tests }) => tests >= TESTS_OF_A_ROW);
  const worst = Math.max(0, ...often.map(({ rejected, tests }) => rejected / tests));
  const tests = everyRow.reduce((sum, row) => sum + row.tests, 0);
  const rejected = everyRow.reduce((sum, row) => sum + row.rejected, 0);
  const pairs = add((one) => one.pairs);
  // What one side after the other adds is the machine's drift: no test of these executions can tell it from a change.
  const isPromised = design !== 'one side after the other';
  const row = (kind, goal, value, ok) => ({
    what: `${what}: ${kind}`,
    goal: isPromised ? goal : 'for comparison',
    value,
    ok: ok || !isPromised,
  });
  const [alarmed, wholes] = [add((one) => one.alarmed), add((one) => one.wholes)];
  return [
    row(
      'functions whose 95 % interval excludes 0',
      '≤ 6 %',
      `${percent(rejected, tests)} of ${tests} tests; the worst of ${often.length} functions with ${TESTS_OF_A_ROW} tests ${percent(worst, 1)}`,
      rejected / Math.max(tests, 1) <= 0.06,
    ),
    row('comparisons with any verdict', '≤ 8 %', `${percent(alarmed, pairs)} of ${pairs}`, alarmed / pairs <= 0.08),
    row('overall verdicts slower or faster', '≤ 6 %', `${percent(wholes, pairs)} of ${pairs}`, wholes / pairs <= 0.06),
  ];
}
