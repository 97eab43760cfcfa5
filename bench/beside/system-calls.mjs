// System calls: Lineheat beside `perf trace -s`, `strace -c` and bcc's syscount: what a call costs, and whether all count the same.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../../scripts/steps/command.mjs';
import { engine } from '../../scripts/steps/paths.mjs';
import { kernelWork } from '../programs/c.mjs';
import { available, beside, costRow, inTurns, within } from './turns.mjs';

export const title = 'System calls, beside other tools';

export async function* measure({ rounds = 10, calls = 200_000, strace = 20_000 } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    yield* costs(folder, rounds, calls, strace);
    yield* agreement(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What each tool has counted of one run: { name: [calls, errors] }. */
const counters = {
  'lineheat record --syscalls': {
    needs: [],
    command: (file) => [engine, 'record', '--no-waiting', '--syscalls', '--output', file, '--'],
    counts: async (file) => {
      const { syscalls } = JSON.parse(await run(engine, ['report', file, '--syscalls', '--json']));
      return Object.fromEntries(syscalls.map((of) => [of.name, [of.calls, of.errors]]));
    },
  },
  'perf trace -s': {
    needs: ['perf'],
    waitsForProgram: false,
    command: (file) => ['perf', 'trace', '-s', '-o', file, '--'],
    counts: (file) =>
      rowsOf(file, /^ +(\w+) +(\d+) +(\d+) +[\d.]+ +[\d.]+/gm, ([name, calls, errors]) => [name, calls, errors]),
  },
  'strace -f -c': {
    needs: ['strace'],
    command: (file) => ['strace', '-f', '-c', '-o', file, '--'],
    counts: (file) =>
      rowsOf(file, /^ +[\d.]+ +[\d.]+ +\d+ +(\d+)(?: +(\d+))? +(\w+)$/gm, ([calls, errors, name]) => [
        name,
        calls,
        errors ?? 0,
      ]),
  },
};

/** Of all processes. */
function rowsOf(file, pattern, row) {
  const counts = {};
  for (const [, ...groups] of readFileSync(file, 'utf8').matchAll(pattern)) {
    const [name, calls, errors] = row(groups);
    if (name === 'total') continue;
    const [before, failed] = counts[name] ?? [0, 0];
    counts[name] = [before + Number(calls), failed + Number(errors)];
  }
  return counts;
}

async function* costs(folder, rounds, calls, strace) {
  const program = await kernelWork();
  const file = path.join(folder, 'counted');
  const ways = {
    plain: { once: () => within([program, 'calls', String(calls)]) },
    control: { once: () => within([program, 'calls', String(calls)]) },
    'lineheat record': {
      once: () => within([engine, 'record', '--no-waiting', '--output', file, '--', program, 'calls', String(calls)]),
    },
    'syscount of bcc': {
      needs: ['syscount'],
      // Of the whole machine: it can choose a process only once that runs.
      once: async () => {
        const taken = await beside(['syscount'], [program, 'calls', String(calls)]);
        return { ...taken, counted: Number(/^getppid +(\d+)/m.exec(taken.report)?.[1]) };
      },
    },
  };
  for (const [way, { needs, command, counts, waitsForProgram }] of Object.entries(counters))
    ways[way] = {
      needs,
      once: async () => {
        const number = way.startsWith('strace') ? strace : calls;
        const taken = await within([...command(file), program, 'calls', String(number)], { waitsForProgram });
        return {
          ...taken,
          ns: (taken.ns * calls) / number,
          counted: ((await counts(file)).getppid[0] * calls) / number,
        };
      },
    };
  const { plain, ...others } = await inTurns(available(ways), rounds);
  for (const [way, taken] of Object.entries(others)) {
    const goal = way.includes('--syscalls') ? 400 : undefined;
    const row = costRow({ what: `a getppid, ${way}`, taken, plain, events: calls, goal });
    if (taken[0].counted === undefined) {
      yield row;
      continue;
    }
    yield { ...row, value: `${row.value}; ${exactness(taken, calls)}` };
  }
}

function exactness(taken, calls) {
  const counts = taken.map(({ counted }) => counted).sort((a, b) => a - b);
  const exact = counts.filter((counted) => counted === calls).length;
  if (exact === counts.length) return 'all counts are exact';
  return `${exact} of ${counts.length} counts are exact (${counts[0]} to ${counts.at(-1)} of ${calls})`;
}

/** A program of the distribution. How it grows its heap depends on where the kernel has put it; whether its first and its last call
 * are counted, on when a tool begins and what it calls a call. */
async function* agreement(folder) {
  const file = path.join(folder, 'counted');
  const command = ['git', '--no-pager', 'log', '--stat', '-50'];
  const countsBy = async ({ command: tool, counts }) => {
    await run(tool(file)[0], [...tool(file).slice(1), ...command]);
    return counts(file);
  };
  const here = available(Object.fromEntries(Object.entries(counters).map(([way, of]) => [way, { ...of, once: of }])));
  const truth = here['strace -f -c'] && (await countsBy(here['strace -f -c']));
  if (!truth) return;
  for (const [way, of] of Object.entries(here)) {
    const found = await countsBy(of);
    const names = [...new Set([...Object.keys(truth), ...Object.keys(found)])];
    const text = (counts, name) => (counts[name] ?? [0, 0]).join(' and ');
    const different = names.filter((name) => text(truth, name) !== text(found, name));
    const list = different.map((name) => `${name} ${text(found, name)} (${text(truth, name)})`).join(', ');
    yield {
      what: `git log --stat: calls and errors by name, ${way}${way.startsWith('strace') ? ' again' : ''}`,
      goal: 'those of strace -f -c',
      value: `${names.length - different.length} of ${names.length}${list && `; different: ${list}`}`,
      ok: different.every((name) => ['brk', 'execve', 'exit_group'].includes(name)),
    };
  }
}
