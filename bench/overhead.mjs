// What recording costs: the target's CPU time with and without it, in alternating pairs, and the CPU time of engine and
// sampler together. The control pair (without against without) shows how far two equal runs lie apart on this machine.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engine } from '../scripts/steps/paths.mjs';
import { measured, quantile, spread } from './measure.mjs';
import { workTarget } from './targets.mjs';

export const title = 'Overhead of recording at 999 Hz';

export async function measure({ pairs = 15, rounds = 700 } = {}) {
  const program = await workTarget();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const plain = async () => targetCpu((await measured(program, [String(rounds)])).output);
  const ratios = [];
  const controls = [];
  const ours = [];
  try {
    await plain(); // pages and frequency warm
    for (let pair = 0; pair < pairs; pair++) {
      const first = await plain();
      const recorded = await measured(engine, [
        'record',
        '--output',
        path.join(folder, 'run.pb.gz'),
        '--',
        program,
        String(rounds),
      ]);
      const second = await plain();
      const target = targetCpu(recorded.output);
      ratios.push(100 * (target / ((first + second) / 2) - 1));
      controls.push(100 * (second / first - 1));
      ours.push((100 * (recorded.cpuMs - target)) / recorded.wallMs);
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
    { what: 'control: not recorded against not', goal: '0 %', value: spread(controls, 2, '%'), ok: true },
    {
      what: 'engine and sampler, of one core',
      goal: '≤ 5 %',
      value: spread(ours, 2, '%'),
      ok: quantile(ours, 0.5) <= 5,
    },
  ];
}

const targetCpu = (output) => JSON.parse(/\{.*\}/.exec(output)[0]).cpuNs / 1e6;
