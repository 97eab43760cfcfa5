// Comparing two profiles whose call trees have 500,000 nodes: time of the engine, with the tests of every node.
import { run } from '../scripts/steps/command.mjs';
import { helper } from '../scripts/steps/paths.mjs';
import { quantile, spread } from './measure.mjs';

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
  return rows;
}

/** What the example prints, by step: its numbers. */
async function example(runs) {
  const args = ['run', '--release', '--quiet', '--locked', '-p', 'analysis', '--example', 'compare_cost', '--'];
  const printed = await run('cargo', [...args, String(NODES), String(runs)], { cwd: helper });
  const lines = printed.split('\n').filter((line) => line.includes(': '));
  return Object.fromEntries(
    lines.map((line) => {
      const [step, numbers] = line.split(': ');
      return [step, numbers.split(' ').map(Number)];
    }),
  );
}
