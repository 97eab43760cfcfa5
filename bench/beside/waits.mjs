// Waiting time: Lineheat beside `perf sched` and bcc's offcputime, both of which watch the whole machine: what they cost the program, how
// much data they leave, and whether they agree with what a program has measured of its own waits.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../../scripts/steps/command.mjs';
import { engine } from '../../scripts/steps/paths.mjs';
import { quantile, spread } from '../measure.mjs';
import { convoy, turns } from '../programs/c.mjs';
import { pgbench } from '../programs/postgres.mjs';
import { readRun } from '../run-file.mjs';
import { available, beside, costRow, inTurns, shareRow, within } from './turns.mjs';

export const title = 'Waiting time, beside other tools';

const tools = {
  plain: {},
  control: {},
  'lineheat record --no-waiting': { lineheat: ['--no-waiting'] },
  'lineheat record': { lineheat: [] },
  'perf sched record': { needs: ['perf'], other: (file) => ['perf', 'sched', 'record', '-o', file] },
  'offcputime of bcc': { needs: ['offcputime'], other: () => ['offcputime'] },
};

export async function* measure({ rounds = 10, seconds = 2, rate = 150 } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    yield* ofTurns(folder, rounds);
    yield* ofPostgres(folder, rounds, seconds, rate);
    yield* ofConvoy(folder, rounds);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs the command by each tool in turns; `look` adds to a result what it finds in the tool's file. */
function byTools(folder, rounds, command, { look = () => ({}), ...times } = {}) {
  const file = path.join(folder, 'data');
  const onceBy = async ({ lineheat, other }) => {
    rmSync(file, { force: true });
    const target = await command();
    if (other) return beside(other(file), target, times);
    const recorder = lineheat ? [engine, 'record', ...lineheat, '--output', file, '--'] : [];
    return within([...recorder, ...target], times);
  };
  const ways = Object.entries(tools).map(([way, tool]) => {
    const once = async () => {
      const result = await onceBy(tool);
      const bytes = existsSync(file) ? statSync(file).size : result.report?.length;
      return { ...result, bytes, ...(await look(way, file, result)) };
    };
    return [way, { needs: tool.needs, once }];
  });
  return inTurns(available(Object.fromEntries(ways)), rounds);
}

const kb = (taken) => {
  const sizes = taken.map(({ bytes }) => bytes).filter((bytes) => bytes !== undefined);
  return sizes.length > 0 ? `; ${(quantile(sizes, 0.5) / 1000).toFixed(0)} kB` : '';
};
const withSize = (row, taken) => ({ ...row, value: row.value + kb(taken) });

/** Two threads on one CPU: the part of the work that is at the lower quartile. */
async function* ofTurns(folder, rounds) {
  const program = await turns();
  const parts = (output) => [...output.matchAll(/^(\d+) (\d+)$/gm)].map((part) => part.slice(1).map(Number));
  const times = {
    nsOf: (output) =>
      quantile(
        parts(output).map(([ns, switches]) => ns / switches),
        0.25,
      ),
    totalNsOf: (output) => sumOf(parts(output).map(([ns]) => ns)),
  };
  const taken = await byTools(folder, rounds, () => [program, '4000', '850000'], times);
  const { plain, 'lineheat record --no-waiting': recorded, ...others } = taken;
  for (const [way, of] of Object.entries(others)) {
    const base = way === 'lineheat record' ? recorded : plain;
    const against = way === 'lineheat record' ? ', against --no-waiting' : '';
    const goal = way === 'lineheat record' ? 1900 : undefined;
    const row = costRow({
      what: `a switch of 4,000 a second, ${way}${against}`,
      taken: of,
      plain: base,
      events: 1,
      goal,
    });
    yield withSize(row, of);
    if (way !== 'lineheat record') continue;
    yield shareRow({ what: '4,000 switches a second, lineheat record', taken: of, plain, goal: 3 });
  }
}

/** The CPU time of server and clients, of which the shell prints the sum. */
async function* ofPostgres(folder, rounds, seconds, rate) {
  const nsOf = (output) => {
    const [, ofChildren] = [...output.matchAll(/^(\d+)m([\d.]+)s (\d+)m([\d.]+)s$/gm)];
    const [userMinutes, user, systemMinutes, system] = ofChildren.slice(1).map(Number);
    return 1e9 * (60 * (userMinutes + systemMinutes) + user + system);
  };
  const command = async () => ['bash', '-c', '"$@"; times', 'bash', ...(await pgbench(seconds, { rate }))];
  const taken = await byTools(folder, rounds, command, { nsOf });
  const { plain, ...others } = taken;
  for (const [way, of] of Object.entries(others))
    yield withSize(shareRow({ what: `PostgreSQL, ${rate} transactions a second, ${way}`, taken: of, plain }), of);
}

const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** What the threads of the convoy waited, but the first one, in ns. */
const readers = {
  'lineheat record': async (file) => {
    const { profile } = readRun(file);
    const text = (index) => profile.string_table[index];
    const wait = profile.sample_type.findIndex(({ type }) => text(type) === 'wait');
    const numberOf = (sample, key) => sample.label.find((label) => text(label.key) === key)?.num;
    return sumOf(
      profile.sample.filter((of) => numberOf(of, 'tid') !== numberOf(of, 'pid')).map(({ value }) => value[wait]),
    );
  },
  'perf sched record': async (file) => {
    const rows = (await run('perf', ['sched', 'timehist', '-i', file])).matchAll(
      /convoy\[\d+\/\d+\] +([\d.]+) +([\d.]+) +[\d.]+/g,
    );
    return 1e6 * sumOf([...rows].map(([, waited, queued]) => Number(waited) + Number(queued)));
  },
  'offcputime of bcc': (_, { report }) => {
    const rows = [...report.matchAll(/^ +- +convoy \((\d+)\)\n +(\d+)$/gm)];
    const first = Math.min(...rows.map(([, tid]) => Number(tid)));
    return 1e3 * sumOf(rows.filter(([, tid]) => Number(tid) !== first).map(([, , us]) => Number(us)));
  },
};

async function* ofConvoy(folder, rounds) {
  const program = await convoy();
  const nsOf = (output) => Number(/^(\d+)$/m.exec(output)[1]); // not CPU time: what the threads waited
  const look = async (way, file, result) => (readers[way] ? { waitedNs: await readers[way](file, result) } : {});
  const taken = await byTools(folder, rounds, () => [program], { nsOf, look });
  for (const [way, of] of Object.entries(taken)) {
    if (!readers[way]) continue;
    const shares = of.map(({ ns, waitedNs }) => (100 * waitedNs) / ns);
    yield {
      what: `four threads, one lock: what they waited, ${way}`,
      goal: '100 % of the program’s own clocks',
      value: `${spread(shares, 1, '%')}${kb(of)}`,
      ok: shares.every((share) => Math.abs(share - 100) <= 5),
    };
  }
}
