// Runs a suite inside the extension host of a real editor with a fresh profile and a folder of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundle } from '../../../scripts/bundle.mjs';
import { runApiSuite } from '../../../scripts/editor/api-suite.mjs';
import { startBrowser } from '../../../scripts/editor/browser.mjs';
import { installEditor } from '../../../scripts/editor/install.mjs';
import { startServer } from '../../../scripts/editor/server.mjs';
import { root } from '../../../scripts/steps/paths.mjs';

/**
 * Gives { code, lines }: 0 when all passed, and what the suite printed. `suite` names the bundle in dist/test/.
 * `prepare(folder)` fills the folder that is opened; it may give `workspace` (a .code-workspace file to open instead)
 * and `extension` (the folder of the extension instead of this checkout).
 */
export async function runSuiteInEditor({ suite = 'api', prepare = () => ({}) } = {}) {
  const temporary = (name) => mkdtempSync(path.join(os.tmpdir(), `lineheat-${name}-`));
  const [profile, folder] = [temporary(`${suite}-profile`), temporary(`${suite}-folder`)];
  let server;
  let context;
  try {
    await bundle();
    const { workspace, extension = root } = prepare(folder);
    server = await startServer({ editor: await installEditor(), profile, forApiSuite: true });
    context = await startBrowser(profile);
    const file = path.join(root, `dist/test/${suite}.js`);
    return await runApiSuite(context, server, { folder, workspace, extension, suite: file });
  } finally {
    await context?.close();
    await server?.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    rmSync(folder, { recursive: true, force: true });
  }
}
