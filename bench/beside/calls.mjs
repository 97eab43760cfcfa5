// Counting the calls of a function, and timing them: Lineheat beside perf (a probe and `perf stat`), bpftrace and bcc's funclatency.
// The other tools are given the function's name, as anybody would.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../../scripts/steps/command.mjs';
import { engine } from '../../scripts/steps/paths.mjs';
import { spread } from '../measure.mjs';
import { calls as callingProgram, paced } from '../programs/c.mjs';
import { available, beside, costRow, inTurns, within } from './turns.mjs';

export const title = 'Calls of a function, beside other tools';

export async function* measure({ rounds = 10, calls = 100_000, timed = 1_000 } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    yield* counts(folder, rounds, calls);
    yield* times(folder, rounds, timed);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Records and gives the row of the function, too. */
async function recorded(folder, options, command) {
  const file = path.join(folder, 'run.pb.gz');
  const taken = await within([engine, 'record', '--no-waiting', ...options, '--output', file, '--', ...command]);
  const report = JSON.parse(await run(engine, ['report', file, '--calls', '--json']));
  return { ...taken, row: report.calls?.[0] };
}

async function* counts(folder, rounds, calls) {
  const program = await callingProgram();
  const command = [program, String(calls)];
  const counted = (taken, number) => ({ ...taken, counted: Number(number) });
  const ways = available({
    plain: { once: () => within(command) },
    control: { once: () => within(command) },
    'recorded by Lineheat, not counted': {
      once: () =>
        within([engine, 'record', '--no-waiting', '--output', path.join(folder, 'run.pb.gz'), '--', ...command]),
    },
    'lineheat record --calls': {
      once: async () => {
        const taken = await recorded(folder, ['--calls', 'called'], command);
        return counted(taken, taken.row.calls);
      },
    },
    'perf probe, perf stat': {
      needs: ['perf'],
      once: async () => {
        const taken = await within(['perf', 'stat', '-x', ',', '-e', 'lineheat_bench:called', ...command]);
        return counted(taken, /^(\d+),.*called/m.exec(taken.errors)[1]);
      },
    },
    'bpftrace, count()': {
      needs: ['bpftrace'],
      once: async () => {
        const taken = await beside(['bpftrace', '-e', `uprobe:${program}:called { @ = count(); }`], command);
        return counted(taken, /^@: (\d+)/m.exec(taken.report)[1]);
      },
    },
  });
  const hasPerf = 'perf probe, perf stat' in ways;
  if (hasPerf) await run('perf', ['probe', '-q', '-x', program, 'lineheat_bench:called=called']);
  try {
    const { plain, ...others } = await inTurns(ways, rounds);
    for (const [way, taken] of Object.entries(others)) {
      const goal = way === 'lineheat record --calls' ? 1000 : undefined;
      yield exactness(costRow({ what: `a call, ${way}`, taken, plain, events: calls, goal }), taken, calls);
    }
  } finally {
    if (hasPerf) await run('perf', ['probe', '-q', '-d', 'lineheat_bench:called']);
  }
}

/** With how many of the recordings have counted each call. */
function exactness(row, taken, calls) {
  if (taken[0].counted === undefined) return row;
  const exact = taken.filter(({ counted }) => counted === calls).length;
  return { ...row, value: `${row.value}; ${exact} of ${taken.length} counts are exact` };
}

/** What half of the calls were shorter than. */
const MEDIAN_NS = 60_000;

async function* times(folder, rounds, calls) {
  const command = [await paced(), String(calls)];
  const longerNs = ({ output }) => Number(/"longerNs":(\d+)/.exec(output)[1]);
  const ways = available({
    plain: { once: () => within(command) },
    control: { once: () => within(command) },
    'lineheat record --calls --latency': {
      once: async () => {
        const taken = await recorded(folder, ['--calls', 'worked', '--latency'], command);
        const { times } = taken.row;
        return { ...taken, counted: times.calls, medianNs: [times.p50Ns, times.p50Ns] };
      },
    },
    'funclatency of bcc': {
      needs: ['funclatency'],
      once: async () => {
        const taken = await beside(['funclatency', `${command[0]}:worked`], command);
        const rows = [...taken.report.matchAll(/^ *(\d+) -> (\d+) +: (\d+)/gm)].map((row) => row.slice(1).map(Number));
        const upTo = (at) => rows.slice(0, at + 1).reduce((sum, [, , count]) => sum + count, 0);
        const counted = upTo(rows.length);
        const median = rows.find((_, at) => upTo(at) >= counted / 2);
        return { ...taken, counted, medianNs: median.slice(0, 2) };
      },
    },
  });
  const { plain, ...others } = await inTurns(ways, rounds);
  for (const [way, taken] of Object.entries(others)) {
    // A tool's time for a call is by the wall clock here: the program's work is, too.
    const more = taken.map((one, round) => longerNs(one) - longerNs(plain[round]));
    const of = taken.flatMap(({ medianNs = [] }) => medianNs);
    const median = `; median ${us(Math.min(...of))} to ${us(Math.max(...of))} µs (truth ${us(MEDIAN_NS)})`;
    const value = `${spread(more, 0, 'ns')}${of.length > 0 ? median : ''}`;
    const row = { what: `a timed call of 20 to 100 µs, ${way}`, goal: 'for comparison', value, ok: true };
    yield exactness(row, taken, calls);
  }
}

const us = (ns) => (ns / 1000).toFixed(1);
