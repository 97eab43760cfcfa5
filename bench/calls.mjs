// What counting the calls of a function costs the program that is counted. It does the same work recorded and recorded with counts,
// in turns; the differences are of neighbours.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { engine } from '../scripts/steps/paths.mjs';
import { quantile, spread } from './measure.mjs';
import { calls as program } from './programs/c.mjs';

export const title = 'Cost of counting calls';

const calls = 1_000_000;
const mostNs = 1000;

export async function* measure({ pairs = 10 } = {}) {
  const target = await program();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const runFile = path.join(folder, 'run.pb.gz');
  const record = ['record', '--output', runFile];
  const cpuNs = async (options) => {
    const printed = await run(engine, [...record, ...options, '--', target, String(calls)]);
    return Number(/^(\d+)$/m.exec(printed)[1]);
  };
  try {
    const nsOfCall = [];
    const counted = [];
    for (let pair = 0; pair < pairs; pair++) {
      const without = await cpuNs([]);
      nsOfCall.push(((await cpuNs(['--calls', 'called'])) - without) / calls);
      const report = JSON.parse(await run(engine, ['report', runFile, '--calls', '--json']));
      counted.push(report.calls[0].calls);
    }
    yield {
      what: 'a counted call, CPU time of the target',
      goal: `≤ ${mostNs} ns`,
      value: spread(nsOfCall, 0, 'ns'),
      ok: quantile(nsOfCall, 0.5) <= mostNs,
    };
    const exact = counted.filter((one) => one === calls).length;
    yield {
      what: `recordings of ${calls.toLocaleString('en')} calls that count each of them`,
      goal: `${pairs} of ${pairs}`,
      value: `${exact} of ${pairs}`,
      ok: exact === pairs,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
