// What recording costs: the target's CPU time with and without it, and the CPU time of engine and sampler together. The
// control (without against without) shows how far two equal runs lie apart on this machine.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engine } from '../scripts/steps/paths.mjs';
import { measured, quantile, spread } from './measure.mjs';
import { workTarget } from './targets.mjs';

export const title = 'Overhead of recording at 999 Hz';

/**
 * Both sides run at once, one on each of two cores, then with the cores swapped: what slows the machine down slows both.
 * The geometric mean of the two ratios is free of the difference between the cores.
 */
export async function measure({ pairs = 12, rounds = 1000, longRounds = 6000 } = {}) {
  const program = await workTarget();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const onCore = (core, n = rounds) => ['taskset', '-c', String(core), program, String(n)];
  const record = (command) =>
    measured(engine, ['record', '--output', path.join(folder, 'run.pb.gz'), '--', ...command]);
  const plain = ([command, ...args]) => measured(command, args);
  const ratios = [];
  const controls = [];
  const ours = [];
  try {
    await plain(onCore(0)); // pages and frequency warm
    for (let pair = 0; pair < pairs; pair++) {
      ratios.push(
        await swappedPercent(
          (core) => record(onCore(core)),
          (core) => plain(onCore(core)),
        ),
      );
      controls.push(
        await swappedPercent(
          (core) => plain(onCore(core)),
          (core) => plain(onCore(core)),
        ),
      );
    }
    for (let i = 0; i < 3; i++) {
      const recorded = await record(onCore(0, longRounds));
      ours.push((100 * (recorded.cpuMs - targetCpu(recorded.output))) / recorded.wallMs);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return [
    {
      what: 'target CPU time, recorded against not',
      goal: '≤ 2 %',
      value: spread(ratios, 2, '%'),
      ok: quantile(ratios, 0.5) <= 2,
    },
    {
      what: 'control: not recorded against not, in the same series',
      goal: '0 %',
      value: spread(controls, 2, '%'),
      ok: true,
    },
    {
      what: 'engine and sampler, of one core, over a run of 10 s, start and saving included',
      goal: '≤ 5 %',
      value: spread(ours, 2, '%'),
      ok: quantile(ours, 0.5) <= 5,
    },
  ];
}

/** By how much more CPU time `a` takes than `b`. */
async function swappedPercent(a, b) {
  const once = async (coreOfA, coreOfB) => {
    const [ofA, ofB] = await Promise.all([a(coreOfA), b(coreOfB)]);
    return targetCpu(ofA.output) / targetCpu(ofB.output);
  };
  return 100 * (Math.sqrt((await once(0, 1)) * (await once(1, 0))) - 1);
}

const targetCpu = (output) => JSON.parse(/\{.*\}/.exec(output)[0]).cpuNs / 1e6;
