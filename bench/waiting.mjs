// What recording waiting time costs the target: two threads that take turns on one CPU, so that all of a switch is in their CPU time.
// They do the same work unrecorded, recorded, and recorded with waits, in turns; the differences are of neighbours. Of each, the
// work is measured in 40 parts, of which those count that the machine disturbed least.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { engine } from '../scripts/steps/paths.mjs';
import { quantile, spread } from './measure.mjs';
import { turns } from './programs/c.mjs';

export const title = 'Cost of recording waiting time';

/** Of 4,000 switches a second on a CPU, 1,000 are walked (4,000 ns each are aimed at); far beyond that, few are. */
const rates = [
  { name: '4,000 switches a second, a quarter walked', work: [4000, 850_000], mostNs: 1900, mostShare: 3 },
  { name: '60,000 switches a second, most charged by place', work: [60_000, 50_000], mostNs: 1200 },
];

export async function* measure({ pairs = 10 } = {}) {
  const program = await turns();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const record = [engine, 'record', '--output', path.join(folder, 'run.pb.gz')];
  const ways = { bare: [], recorded: [...record, '--no-waiting', '--'], waits: [...record, '--'] };
  try {
    for (const { name, work, mostNs, mostShare } of rates) {
      const nsOfWaits = [];
      const shareOfAll = [];
      for (let pair = 0; pair < pairs; pair++) {
        const taken = {};
        for (const [way, command] of Object.entries(ways)) {
          const [first, ...rest] = [...command, program, ...work.map(String)];
          taken[way] = quietPart(await run(first, rest));
        }
        nsOfWaits.push(taken.waits - taken.recorded);
        shareOfAll.push(100 * (taken.waits / taken.bare - 1));
      }
      yield {
        what: `${name}: waits, CPU time of the target a switch`,
        goal: `≤ ${mostNs} ns`,
        value: spread(nsOfWaits, 0, 'ns'),
        ok: quantile(nsOfWaits, 0.5) <= mostNs,
      };
      yield {
        what: `${name}: samples at 999 Hz and waits, more CPU time of the target`,
        goal: mostShare ? `≤ ${mostShare} %` : 'for comparison',
        value: spread(shareOfAll, 2, '%'),
        ok: !mostShare || quantile(shareOfAll, 0.5) <= mostShare,
      };
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** CPU time in ns for each switch, in the part of the work that is at the lower quartile. */
function quietPart(output) {
  const parts = [...output.matchAll(/^(\d+) (\d+)$/gm)].map(([, ns, switches]) => Number(ns) / Number(switches));
  return quantile(parts, 0.25);
}
