// Real programs compared with themselves: how often a difference is seen where there is none, by the order in which the
// executions of both sides were made, on a quiet and on a disturbed machine.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compared, isRejected, orders, percent, recordings, tested } from './compared-runs.mjs';
import { disturbed } from './disturbance.mjs';
import { programs } from './programs/programs.mjs';

export const title = 'The same program compared with itself: false differences';

/** Of some 0.3 s of CPU time an execution; the first has 80 ms. */
const sizes = {
  'sqlite-short': 0.008,
  sqlite: 0.03,
  leveldb: 0.03,
  ripgrep: 0.03,
  'word-count': 0.03,
  go: 0.03,
  ocaml: 0.03,
  d: 0.03,
  nim: 0.03,
  deep: 0.03,
  'tcp-send': 0.03,
  storm: 0.03,
  postgres: 0.1,
  'two-speeds': 0.03,
  drifts: 0.03,
  'page-faults': 0.03,
  threads: 0.03,
};
const programOf = (name) => programs[name.replace('-short', '')];

const machines = { quiet: (work) => work(), disturbed };

const noEarlierRuns = ', without earlier runs';

/** Two runs, linked into a folder that holds no others. */
async function comparedApart(base, news) {
  const apart = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const link = (files, side) =>
    files.map((file, index) => {
      const to = path.join(apart, `${side}-${index}.pb.gz`);
      symlinkSync(file, to);
      return to;
    });
  const found = await compared(link(base, 'base'), link(news, 'new'));
  rmSync(apart, { recursive: true });
  return found;
}

/** With fewer tests of a row, chance alone makes its rate. */
const TESTS_OF_A_ROW = 150;

/**
 * `times` recordings of each program, one after the other, serve all pairs; with fewer, pairs have more members in common. The
 * functions of a pair vary together, with the clock of the machine, so few pairs give a rate that chance moves by several percent.
 * This takes hours: what was recorded into a `folder` stays there and is not recorded again.
 */
export async function measure({
  times = 120,
  pairs = 400,
  ks = [1, 2, 3, 5, 10],
  names = Object.keys(sizes),
  designs = Object.keys(orders),
  states = Object.keys(machines),
  folder,
} = {}) {
  const kept = folder ?? mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const rows = [];
  for (const state of states) {
    const files = {};
    for (const name of names) {
      // Apart, as a user's are: one execution per side learns from the runs beside it.
      const apart = path.join(kept, state, name);
      mkdirSync(apart, { recursive: true });
      const command = await programOf(name).command(sizes[name]);
      files[name] = await machines[state](async () => (await recordings({ [name]: command }, times, apart))[name]);
    }
    for (const k of ks)
      for (const design of designs) {
        for (const known of k === 1 ? ['', noEarlierRuns] : ['']) {
          const what = `${state} machine, ${k} against ${k}, ${design}${known}`;
          const all = [];
          for (const name of names) {
            const drawn = orders[design](files[name], k, pairs, k);
            const found = { name, ...(await rates(drawn, known ? comparedApart : compared)) };
            process.stderr.write(`${what}: ${inWords(found)}\n`);
            all.push(found);
          }
          rows.push(...rowsOf(what, !known && design !== 'one side after the other', all));
        }
      }
  }
  if (!folder) rmSync(kept, { recursive: true });
  return rows;
}

/** Intervals that leave out "no change", verdicts, and wholes that are told apart, over these pairs. */
async function rates(pairs, compared) {
  const sum = { pairs: 0, alarmed: 0, wholes: 0, byRow: new Map() };
  const waiting = [...pairs];
  const worker = async () => {
    for (let pair = waiting.pop(); pair; pair = waiting.pop()) count(sum, await compared(...pair));
  };
  await Promise.all(os.cpus().map(worker));
  return sum;
}

function count(sum, found) {
  for (const row of tested(found)) {
    const key = `${row.module} ${row.name}`;
    const known = sum.byRow.get(key) ?? { name: row.name, tests: 0, rejected: 0 };
    known.tests += 1;
    known.rejected += isRejected(row) ? 1 : 0;
    sum.byRow.set(key, known);
  }
  sum.pairs += 1;
  sum.alarmed += found.functions.some(({ verdict }) => !['noise', 'too-few'].includes(verdict)) ? 1 : 0;
  sum.wholes += ['slower', 'faster'].includes(found.verdict) ? 1 : 0;
}

const often = ({ byRow }) => [...byRow.values()].filter(({ tests }) => tests >= TESTS_OF_A_ROW);
const worstOf = (counted, share) =>
  counted.reduce((worst, one) => (worst && share(worst) >= share(one) ? worst : one), undefined);
const rejectedShare = ({ rejected, tests }) => rejected / tests;

function inWords(found) {
  const worst = worstOf(often(found), rejectedShare);
  const function_ = worst ? `${percent(worst.rejected, worst.tests)} ${worst.name}` : 'none tested often';
  return `${found.name}: any verdict ${percent(found.alarmed, found.pairs)}, overall ${percent(found.wholes, found.pairs)}, worst of ${often(found).length} functions ${function_}`;
}

/**
 * Of each kind the mean over all programs and the worst of them, which is what its user meets. Not promised are rates for one side
 * after the other, which adds the machine's drift, and without earlier runs, when nothing tells of a program that differs more
 * than others do.
 */
function rowsOf(what, isPromised, all) {
  const row = (kind, limit, ofAll, share, of) => ({
    what: `${what}: ${kind}`,
    goal: isPromised ? `worst ≤ ${100 * limit} %` : 'for comparison',
    value: `${ofAll}; the worst ${(100 * share).toFixed(1)} %${of}`,
    ok: !isPromised || share <= limit,
  });
  const everyRow = all.flatMap(({ byRow }) => [...byRow.values()]);
  const rows = all.flatMap((one) => often(one).map((tests) => ({ ...tests, program: one.name })));
  const worst = worstOf(rows, rejectedShare);
  const sum = (counted, part) => counted.reduce((all, one) => all + part(one), 0);
  const ofPrograms = (kind, limit, part) => {
    const most = worstOf(all, (one) => part(one) / one.pairs);
    const mean = `${percent(
      sum(all, part),
      sum(all, ({ pairs }) => pairs),
    )} of all`;
    return row(kind, limit, mean, part(most) / most.pairs, `, ${most.name}`);
  };
  const tests = sum(everyRow, (one) => one.tests);
  const rejected = `${percent(
    sum(everyRow, (one) => one.rejected),
    tests,
  )} of ${tests} tests`;
  const isFrom = worst ? ` of ${rows.length} functions, \`${worst.name}\` of ${worst.program}` : '';
  return [
    row('functions whose 95 % interval excludes 0', 0.08, rejected, worst ? rejectedShare(worst) : 0, isFrom),
    ofPrograms('comparisons with any verdict', 0.08, ({ alarmed }) => alarmed),
    ofPrograms('overall verdicts slower or faster', 0.03, ({ wholes }) => wholes),
  ];
}
