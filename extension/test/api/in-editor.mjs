// Runs the API suite (suite.ts) inside the extension host of a real editor with a fresh profile and an empty folder.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundle } from '../../../scripts/bundle.mjs';
import { runApiSuite } from '../../../scripts/editor/api-suite.mjs';
import { startBrowser } from '../../../scripts/editor/browser.mjs';
import { installEditor } from '../../../scripts/editor/install.mjs';
import { startServer } from '../../../scripts/editor/server.mjs';
import { root } from '../../../scripts/steps/paths.mjs';

/** Gives { code, lines }: 0 when all passed, and what the suite printed. */
export async function runSuiteInEditor() {
  const temporary = (name) => mkdtempSync(path.join(os.tmpdir(), `lineheat-${name}-`));
  const [profile, folder] = [temporary('api-profile'), temporary('api-folder')];
  await bundle();
  const server = await startServer({ editor: await installEditor(), profile, forApiSuite: true });
  let context;
  try {
    context = await startBrowser(profile);
    const suite = path.join(root, 'dist/test/api.js');
    return await runApiSuite(context, server, { folder, extension: root, suite });
  } finally {
    await context?.close();
    await server.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    rmSync(folder, { recursive: true, force: true });
  }
}
