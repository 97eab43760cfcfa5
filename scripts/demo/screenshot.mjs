// A picture of the demo without a display: the source with its heat, and the flame graph for comparison.
import { mkdtempSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openWorkbench, startBrowser } from '../editor/browser.mjs';
import { installEditor } from '../editor/install.mjs';
import { codeLenses, decoratedLines } from '../editor/marks.mjs';
import { runCommand } from '../editor/palette.mjs';
import { startServer } from '../editor/server.mjs';
import { webviewWith } from '../editor/webview.mjs';
import { vsix } from '../steps/paths.mjs';
import { leaveWaiting } from './show.mjs';

/** Saves the picture of the editor on `file` with the heat of `runFile`. */
export async function saveScreenshot({ folder, runFile, file, line, picture }) {
  await leaveWaiting(folder, runFile);
  await withEditor({ width: 1680, height: 945 }, async (context, server) => {
    const page = await openWorkbench(context, server, { folder, file, line });
    await webviewWith(page, '.graph canvas');
    await showBeside(page, path.basename(file));
    await mkdir(path.dirname(path.resolve(picture)), { recursive: true });
    await page.screenshot({ path: picture });
  });
}

/** Calls `work` with a browser of this size and the server of an editor that has the extension; ends both after it. */
export async function withEditor(viewport, work) {
  const editor = await installEditor();
  const profile = mkdtempSync(path.join(os.tmpdir(), 'lineheat-picture-'));
  const server = await startServer({
    editor,
    profile,
    extensions: [vsix],
    settings: { 'workbench.colorTheme': 'Default Dark Modern' },
  });
  let context;
  try {
    context = await startBrowser(profile, { viewport });
    await work(context, server);
  } finally {
    await context?.close();
    await server.stop();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Source on the left, flame graph on the right, nothing else; waits until all marks are there. */
async function showBeside(page, name) {
  await page.locator('.tab').filter({ hasText: name }).first().waitFor();
  await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
  await page.mouse.move(0, 0); // no tooltip in the picture
  await webviewWith(page, '.graph canvas');
  await until('heat on the source lines', async () => (await decoratedLines(page)).some((row) => row.after.length > 0));
  await until('a code lens', async () => (await codeLenses(page)).length > 0);
  await page.waitForTimeout(1_000); // the last frame of the graph after the panel got its size
}

export async function until(what, holds) {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200)))
    if (await holds()) return;
  throw new Error(`The editor did not show ${what} within 30 s.`);
}
