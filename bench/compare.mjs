// Comparing two profiles whose call trees have 500,000 nodes: time of the engine, with the tests of every node. And the
// command line's comparison of files with a million functions.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { engine, helper } from '../scripts/steps/paths.mjs';
import { measured, quantile, spread } from './measure.mjs';

export const title = 'Comparing large runs';

const NODES = 500_000;

export async function measure({ repeats = 5 } = {}) {
  const rows = [];
  for (const [sides, runs] of [
    ['one execution each, 16 batches', 1],
    ['10 + 10 runs', 10],
  ]) {
    const steps = [];
    for (let i = 0; i < repeats; i++) steps.push(await example(runs));
    const wall = (step) => steps.map((of) => of[step][0]);
    const tree = wall('difference of the trees');
    rows.push(
      {
        what: `difference of two trees of ${NODES.toLocaleString('en')} nodes, ${sides}`,
        goal: '≤ 600 ms',
        value: spread(tree, 0, 'ms'),
        ok: quantile(tree, 0.5) <= 600,
      },
      {
        what: `preparation: 20,000 functions and their lines matched, counted and tested, ${sides}`,
        goal: 'none',
        value: spread(wall('comparison with tests of functions and lines'), 0, 'ms'),
        ok: true,
      },
    );
  }
  for (const shape of SHAPES) rows.push(await manyFunctions(shape, repeats));
  return rows;
}

/** `depth` is what the generator is asked for, `frames` the mean of what it writes. */
const SHAPES = [
  { functions: 1_000_000, depth: 7, frames: 9, goal: 4 },
  { functions: 1_000_000, depth: 44, frames: 46 },
  { functions: 20_000, depth: 7, frames: 9 },
];

/** `lineheat diff` of three files with three others, from reading them to the text. */
async function manyFunctions({ functions, depth, frames, goal }, repeats) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    const files = [1, 2, 3, 4, 5, 6].map((seed) => path.join(folder, `${seed}.pb.gz`));
    for (const [index, file] of files.entries()) {
      await cargoExample('many_functions', ['write', file, index + 1, depth, functions]);
    }
    const args = ['diff', ...files.filter((_, i) => i % 2 === 0), '--against', ...files.filter((_, i) => i % 2 === 1)];
    const runs = [];
    for (let i = 0; i < repeats; i++) runs.push(await measured(engine, args));
    const cpu = runs.map((one) => one.cpuMs / 1000);
    const wall = runs.map((one) => one.wallMs / 1000);
    const peak = Math.max(...runs.map((one) => one.peakBytes)) / 2 ** 20;
    return {
      what: `lineheat diff, 3 + 3 runs of ${functions.toLocaleString('en')} functions, stacks ${frames} deep, CPU time`,
      goal: goal ? `≤ ${goal} s` : 'none',
      value: `${spread(cpu, 2, 's')}, ${quantile(wall, 0.5).toFixed(2)} s of wall time, ${peak.toFixed(0)} MiB`,
      ok: !goal || quantile(cpu, 0.5) <= goal,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the example prints, by step: its numbers. */
async function example(runs) {
  const printed = await cargoExample('compare_cost', [NODES, runs]);
  const lines = printed.split('\n').filter((line) => line.includes(': '));
  return Object.fromEntries(
    lines.map((line) => {
      const [step, numbers] = line.split(': ');
      return [step, numbers.split(' ').map(Number)];
    }),
  );
}

function cargoExample(name, args) {
  const cargo = ['run', '--release', '--quiet', '--locked', '-p', 'analysis', '--example', name, '--'];
  return run('cargo', [...cargo, ...args.map(String)], { cwd: helper });
}
