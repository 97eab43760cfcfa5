// Opening a pprof file of 1,000,000 samples (95 MB unpacked): time and memory of the engine.
import { engine } from '../scripts/steps/paths.mjs';
import { measured, quantile, spread } from './measure.mjs';
import { largeProfile } from './programs/large-profile.mjs';

export const title = 'Opening a large pprof file';

export async function measure({ repeats = 5 } = {}) {
  const file = await largeProfile();
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
