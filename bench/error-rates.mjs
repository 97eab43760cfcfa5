// How often the comparison errs over simulated runs of known truth, and what its statistics cost.
import { run } from '../scripts/steps/command.mjs';
import { helper } from '../scripts/steps/paths.mjs';
import { quantile, spread } from './measure.mjs';

export const title = 'Error rates of comparisons';

export async function measure({ repeats = 5 } = {}) {
  const printed = [...(await example('statistics', 'error_rates')), ...(await example('analysis', 'nested_rates'))];
  const rates = printed.map(({ what, share, least, most, beside }) => ({
    what,
    goal: goal(least, most),
    value: `${(100 * share).toFixed(1)} % (${beside})`,
    ok: (least === null || share >= least) && (most === null || share <= most),
  }));
  return [...rates, ...(await costs(repeats))];
}

const percent = (share) => +(100 * share).toFixed(1);

function goal(least, most) {
  if (least !== null && most !== null) return `${percent(least)} to ${percent(most)} %`;
  return least !== null ? `≥ ${percent(least)} %` : `≤ ${percent(most)} %`;
}

async function costs(repeats) {
  const runs = [];
  for (let i = 0; i < repeats; i++) runs.push(...(await example('statistics', 'q_values_cost')));
  const { functions, runs: each } = runs[0];
  return [
    ['foundMs', `${each} executions each, iterated median of ratios`],
    ['givenMs', `${each} executions each, known work`],
    ['singleMs', 'one execution each'],
  ].map(([key, how]) => {
    const ms = runs.map((result) => result[key]);
    return {
      what: `q-values of ${functions} functions, ${how}, CPU time`,
      goal: '≤ 100 ms',
      value: spread(ms, 0, 'ms'),
      ok: quantile(ms, 0.5) <= 100,
    };
  });
}

/** The JSON objects that an example of a crate prints, one a line. */
async function example(crate, name) {
  const args = ['run', '--release', '--quiet', '--locked', '-p', crate, '--example', name];
  const printed = await run('cargo', args, { cwd: helper });
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
