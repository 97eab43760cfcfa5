// The API suite (suite.ts) inside the extension host of a real editor; each of its tests is a test here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSuiteInEditor } from './in-editor.mjs';

test('the API suite passes inside the extension host', async (t) => {
  const { code, lines } = await runSuiteInEditor();
  const results = lines.filter((line) => /^(not )?ok - /.test(line));
  for (const line of results) {
    await t.test(line.replace(/^(not )?ok - /, '').split('\n')[0], () => assert.ok(line.startsWith('ok'), line));
  }
  assert.notEqual(results.length, 0, `The suite ran no test:\n${lines.join('\n')}`);
  assert.equal(code, 0, results.filter((line) => line.startsWith('not ok')).join('\n'));
});
