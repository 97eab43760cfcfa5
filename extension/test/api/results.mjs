// The results of a suite that ran inside the extension host, each of its tests a test here.
import assert from 'node:assert/strict';

/** `result` is what runSuiteInEditor gives. Figures that the suite printed become diagnostics. */
export async function tellResults(t, { code, lines }) {
  const results = lines.filter((line) => /^(not )?ok - /.test(line));
  for (const line of results) {
    await t.test(line.replace(/^(not )?ok - /, '').split('\n')[0], () => assert.ok(line.startsWith('ok'), line));
  }
  for (const line of lines.filter((words) => words.startsWith('figure: '))) t.diagnostic(line);
  assert.notEqual(results.length, 0, `The suite ran no test:\n${lines.join('\n')}`);
  assert.equal(code, 0, results.filter((line) => line.startsWith('not ok')).join('\n'));
}
