// From the target's exit to the saved, symbolized run, for a binary with 100 MB of DWARF. Page cache dropped where allowed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engine } from '../scripts/steps/paths.mjs';
import { measured, quantile, spread } from './measure.mjs';
import { debugBytes, largeTarget } from './targets.mjs';

export const title = 'Saving a run of a binary with large debug information';

export async function measure({ repeats = 5, seconds = 10 } = {}) {
  const program = await largeTarget();
  const megabytes = (await debugBytes(program)) / 1e6;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const saving = [];
  let cold = true;
  try {
    for (let i = 0; i < repeats; i++) {
      cold = dropPageCache() && cold;
      const { output } = await measured(engine, [
        'record',
        '--output',
        path.join(folder, 'run.pb.gz'),
        '--',
        program,
        String(seconds),
      ]);
      const ended = Date.now();
      saving.push(ended - Number(BigInt(JSON.parse(/\{.*\}/.exec(output)[0]).endedNs) / 1_000_000n));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const what = `target exit to saved run, ${seconds} s × 999 Hz, ${megabytes.toFixed(0)} MB of DWARF, page cache ${cold ? 'dropped before each run' : 'warm'}`;
  return [{ what, goal: '≤ 2000 ms', value: spread(saving, 0, 'ms'), ok: quantile(saving, 0.5) <= 2000 }];
}

function dropPageCache() {
  try {
    writeFileSync('/proc/sys/vm/drop_caches', '3');
    return true;
  } catch {
    return false;
  }
}
