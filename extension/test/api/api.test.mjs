// The API suites inside the extension host of a real editor; each of their tests is a test here.
import { test } from 'node:test';
import { runSuiteInEditor } from './in-editor.mjs';
import { tellResults } from './results.mjs';

test('the API suite passes inside the extension host', async (t) => {
  await tellResults(t, await runSuiteInEditor());
});
