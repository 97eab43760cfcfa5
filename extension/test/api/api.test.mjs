// Runs the API suite (suite.ts) inside the extension host of a real editor; each of its tests is a test here.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { bundle } from '../../../scripts/bundle.mjs';
import { runApiSuite } from '../../../scripts/editor/api-suite.mjs';
import { startBrowser } from '../../../scripts/editor/browser.mjs';
import { installEditor } from '../../../scripts/editor/install.mjs';
import { startServer } from '../../../scripts/editor/server.mjs';
import { root } from '../../../scripts/steps/paths.mjs';

test('the API suite passes inside the extension host', async (t) => {
  const temporary = (name) => mkdtempSync(path.join(os.tmpdir(), `lineheat-${name}-`));
  const [profile, folder] = [temporary('api-profile'), temporary('api-folder')];
  await bundle();
  const server = await startServer({ editor: await installEditor(), profile, forApiSuite: true });
  let context;
  try {
    context = await startBrowser(profile);
    const suite = path.join(root, 'dist/test/api.js');
    const { code, lines } = await runApiSuite(context, server, { folder, extension: root, suite });
    const results = lines.filter((line) => /^(not )?ok - /.test(line));
    for (const line of results) {
      await t.test(line.replace(/^(not )?ok - /, '').split('\n')[0], () => assert.ok(line.startsWith('ok'), line));
    }
    assert.notEqual(results.length, 0, `The suite ran no test:\n${lines.join('\n')}`);
    assert.equal(code, 0, results.filter((line) => line.startsWith('not ok')).join('\n'));
  } finally {
    await context?.close();
    await server.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    rmSync(folder, { recursive: true, force: true });
  }
});
