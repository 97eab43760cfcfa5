// Where heat and places in sources are shown, and where not, inside the extension host of a real editor.
import { test } from 'node:test';
import { runSuiteInEditor } from './in-editor.mjs';
import { tellResults } from './results.mjs';

test('sources are shown where they are, and the rest says why it is not', async (t) => {
  await tellResults(t, await runSuiteInEditor({ suite: 'source-places' }));
});
