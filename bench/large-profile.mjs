// Opening a pprof file of 1,000,000 samples (95 MB unpacked): time and memory of the engine.

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { engine, inRoot } from '../scripts/steps/paths.mjs';
import { step } from '../scripts/steps/report.mjs';
import { measured, quantile, spread } from './measure.mjs';
import { writeLargeProfile } from './pprof-writer.mjs';

export const title = 'Opening a large pprof file';

export async function measure({ repeats = 5 } = {}) {
  const file = inRoot('bench/build/large.pb.gz');
  await mkdir(path.dirname(file), { recursive: true });
  if (!existsSync(file)) await step('write large.pb.gz', () => writeLargeProfile(file, { samples: 1_000_000 }));
  const runs = [];
  for (let i = 0; i < repeats; i++) runs.push(await measured(engine, ['report', file, '--limit', '20']));
  const time = runs.map((run) => run.wallMs);
  const memory = runs.map((run) => run.peakBytes / 1e6);
  return [
    {
      what: '1,000,000 samples, `lineheat report`',
      goal: '≤ 2000 ms',
      value: spread(time, 0, 'ms'),
      ok: quantile(time, 0.5) <= 2000,
    },
    {
      what: 'peak memory of the engine',
      goal: '≤ 1000 MB',
      value: spread(memory, 0, 'MB'),
      ok: Math.max(...memory) <= 1000,
    },
  ];
}
