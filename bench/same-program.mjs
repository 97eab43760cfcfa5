// Real programs compared with themselves: how often a difference is seen where there is none.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compared, isRejected, pairsOfGroups, percent, recordings, tested } from './compared-runs.mjs';
import { programs } from './programs/programs.mjs';

export const title = 'The same program compared with itself: differences that are none';

/** Sizes give a second or so of CPU time a run. */
const sizes = { sqlite: 0.1, ripgrep: 0.1, 'word-count': 0.1 };

/**
 * `times` recordings of each program serve all pairs; with fewer, pairs have more members in common. The functions of a pair
 * vary together, with the clock of the machine, so that few pairs give a rate that chance moves by several percent.
 */
export async function measure({ times = 160, pairs = 160, ks = [1, 3, 5], names = Object.keys(sizes) } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    const commands = {};
    for (const name of names) commands[name] = await programs[name].command(sizes[name]);
    const files = await recordings(commands, times, folder);
    const rows = [];
    for (const k of ks) {
      const all = [];
      for (const name of names) {
        const found = await rates(pairsOfGroups(files[name], k, pairs, k));
        all.push(found);
        rows.push(ofFunctions(`${programs[name].what}, ${k} against ${k}`, found, 'beside'));
      }
      const sum = all.reduce(added);
      rows.push(ofFunctions(`all, ${k} against ${k}`, sum, 'goal'), wholes(`all, ${k} against ${k}`, sum));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Intervals that leave out "no change", verdicts, and whole runs told apart, over these pairs. */
async function rates(pairs) {
  let sum = { pairs: 0, tests: 0, rejected: 0, verdicts: 0, alarmed: 0, wholes: 0 };
  for (const [base, news] of pairs) {
    const found = await compared(base, news);
    const tests = tested(found);
    const verdicts = found.functions.filter(({ verdict }) => !['noise', 'too-few'].includes(verdict)).length;
    sum = added(sum, {
      pairs: 1,
      tests: tests.length,
      rejected: tests.filter(isRejected).length,
      verdicts,
      alarmed: verdicts > 0 ? 1 : 0,
      wholes: ['slower', 'faster'].includes(found.verdict) ? 1 : 0,
    });
  }
  return sum;
}

const added = (a, b) => Object.fromEntries(Object.keys(a).map((key) => [key, a[key] + b[key]]));

function ofFunctions(what, { pairs, tests, rejected, verdicts, alarmed }, standing) {
  const share = rejected / Math.max(tests, 1);
  return {
    what: `${what}: functions whose 95 % interval leaves out 0`,
    goal: standing === 'goal' ? '3 to 6 %' : 'beside it',
    value: `${percent(rejected, tests)} of ${tests} tests in ${pairs} pairs; after the false discovery rate ${verdicts} verdicts, in ${percent(alarmed, pairs)} of the pairs`,
    ok: standing !== 'goal' || (share >= 0.03 && share <= 0.06),
  };
}

function wholes(what, { pairs, wholes: alarms }) {
  return {
    what: `${what}: whole runs told slower or faster`,
    goal: '≤ 5 %',
    value: `${percent(alarms, pairs)} of ${pairs} pairs`,
    ok: alarms / pairs <= 0.05,
  };
}
