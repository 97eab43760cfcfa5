// What the extension costs when it is first used: loading its code, and its activate().
import { runSuiteInEditor } from '../extension/test/api/in-editor.mjs';
import { quantile, spread } from './measure.mjs';

export const title = 'Activation of the extension';

export async function measure({ repeats = 3 } = {}) {
  const times = [];
  for (let i = 0; i < repeats; i++) {
    const { lines } = await runSuiteInEditor();
    const [, load, activate] = /loaded in ([\d.]+) ms, activated in ([\d.]+) ms/.exec(lines.join('\n')) ?? [];
    times.push(Number(load) + Number(activate));
  }
  return [
    {
      what: 'code loaded (CPU) and activate() returned (wall)',
      goal: '≤ 50 ms',
      value: spread(times, 1, 'ms'),
      ok: quantile(times, 0.5) <= 50,
    },
  ];
}
