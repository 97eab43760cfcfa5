// What recording does to the latency of a database: transactions of pgbench, four clients, on PostgreSQL, and queries of DuckDB on
// two threads. All ways of recording in turns; what a way adds is compared with the same round without recording.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { engine } from '../scripts/steps/paths.mjs';
import { quantile, spread } from './measure.mjs';
import { duckdb } from './programs/duckdb-queries.mjs';
import { pgbench } from './programs/postgres.mjs';

export const title = 'Latency of databases while they are recorded';

const databases = { PostgreSQL: pgbench, DuckDB: duckdb };

const record = [engine, 'record', '--output'];
const ways = {
  'not recorded': () => [],
  'CPU time': (file) => [...record, file, '--no-waiting', '--'],
  'CPU time and waiting': (file) => [...record, file, '--'],
  'CPU time, waiting and allocations': (file) => [...record, file, '--alloc', '--'],
};
const shares = { p50: 0.5, p90: 0.9, p99: 0.99, 'p99.9': 0.999, p100: 1 };

export async function* measure({ rounds = 10, seconds = 5, only = Object.keys(databases) } = {}) {
  for (const name of only) yield* latencyOf(name, databases[name], rounds, seconds);
}

async function* latencyOf(name, command, rounds, seconds) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const seen = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  try {
    for (let round = 0; round < rounds; round++)
      for (const [way, recorder] of Object.entries(ways)) {
        const database = await command(seconds, { log: path.join(folder, 'log') });
        const [program, ...args] = [...recorder(path.join(folder, 'run.pb.gz')), ...database];
        await run(program, args);
        seen[way].push(quantilesOf(folder));
      }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const way of Object.keys(ways))
    for (const share of Object.keys(shares)) {
      const ms = seen[way].map((of) => of[share]);
      const more = ms.map((value, round) => 100 * (value / seen['not recorded'][round][share] - 1));
      const compared = way === 'not recorded' ? '' : `; ${spread(more, 1, '% more')}`;
      yield {
        what: `${name}, ${way}: ${share}`,
        goal: 'for comparison',
        value: `${spread(ms, 3, 'ms')}${compared}`,
        ok: true,
      };
    }
}

/** In ms, of all in the logs, which are removed. A line: client, number, time in us, and what else there is. */
function quantilesOf(folder) {
  const logs = readdirSync(folder)
    .filter((name) => name.startsWith('log'))
    .map((name) => path.join(folder, name));
  const lines = logs.flatMap((log) => readFileSync(log, 'utf8').trimEnd().split('\n'));
  const ms = lines.map((line) => Number(line.split(' ')[2]) / 1000);
  for (const log of logs) rmSync(log);
  return Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, quantile(ms, share)]));
}
