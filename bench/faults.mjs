// Injects faults into real recordings and counts: injected, survived, samples lost, losses shown.
//
// Survived: nothing hangs or crashes, the right message is given, the target is as it should be, nothing of ours is left
// running, and every sample that was taken is either in the run or counted as lost.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { crowds } from './faults/crowds.mjs';
import { damage } from './faults/damage.mjs';
import { disks } from './faults/disks.mjs';
import { hours } from './faults/hours.mjs';
import { kills } from './faults/kills.mjs';
import { stops } from './faults/stops.mjs';

export const title = 'Faults';

const groups = {
  kills: (folder, short) => kills(folder, { times: short ? 10 : 100, width: short ? 10 : 6, seed: 1 }),
  disks: (folder, short) => disks(folder, short ? { sizes: [64, 256], seconds: 2 } : {}),
  stops: (folder, short) => stops(folder, { times: short ? 1 : 5 }),
  damage: (folder, short) => damage(folder, { flips: short ? 40 : 2000, cuts: short ? 20 : 100, seed: 2 }),
  hours: (folder, short) => hours(folder, { seconds: short ? 2 : 60 }),
  crowds: (folder, short) => crowds(folder, { times: short ? 1 : 20, short }),
};

/** Rows, as each group is through. `only`: names of groups; `short`: the form that the tests run. */
export async function* measure({ short = false, only = chosen() } = {}) {
  for (const [name, group] of Object.entries(groups)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const folder = mkdtempSync(path.join(os.tmpdir(), `lineheat-faults-${name}-`));
    try {
      yield* await group(folder, short);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** FAULTS=kills,disks measures a part. */
const chosen = () => (process.env.FAULTS ?? '').split(',').filter(Boolean);
