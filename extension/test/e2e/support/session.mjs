// One real editor with the packaged extension, shown in a headless browser, for the tests of a file.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openWorkbench, startBrowser } from '../../../../scripts/editor/browser.mjs';
import { installEditor } from '../../../../scripts/editor/install.mjs';
import { placeExtension, startServer } from '../../../../scripts/editor/server.mjs';
import { artifacts, inRoot, vsix } from '../../../../scripts/steps/paths.mjs';

/** Opens the editor on `folder`. Gives { page, server, picture(name), close() }; pictures land in artifacts/. */
async function openEditor(folder, { settings = {}, workspaceTrust = false, extension = vsix } = {}) {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'lineheat-editor-'));
  const editor = await installEditor();
  await placeExtension({ editor, profile, extension, kept: inRoot('.cache/installed') });
  const [server, context] = await Promise.all([
    startServer({ editor, profile, settings, workspaceTrust }),
    startBrowser(profile, { viewport: { width: 1600, height: 1250 } }),
  ]);
  const page = await openWorkbench(context, server, { folder });
  mkdirSync(artifacts, { recursive: true });
  return {
    page,
    server,
    picture: (name) => page.screenshot({ path: path.join(artifacts, `${name}.png`) }),
    async close() {
      await context.close();
      await server.stop();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * The steps of one story, each a test, in one editor that is opened on `folder` before the first of them, after `prepare`,
 * and closed after the last, before `remove`. A step's `work` gets the session. A step that fails saves a picture of the
 * editor and names the notifications on screen; the steps after it fail at once, since they rest on it.
 */
export function storyIn(folder, { prepare, remove, ...options } = {}) {
  let session;
  let failed;
  before(async () => {
    await prepare?.();
    session = await openEditor(folder, options);
  });
  after(async () => {
    await session?.close();
    if (remove) remove();
    else rmSync(folder, { recursive: true, force: true });
  });
  return (name, work) =>
    test(name, async () => {
      if (failed) throw new Error(`Not tried: "${failed}" failed before it.`);
      try {
        await work(session);
      } catch (error) {
        failed = name;
        const toasts = session?.page.locator('.notification-toast').allInnerTexts();
        const shown = (await toasts?.catch(() => [])) ?? [];
        await session?.picture(`failed-${name.replaceAll(/\W+/g, '-')}`);
        if (shown.length > 0) error.message += `\nNotifications on screen: ${shown.join(' | ')}`;
        throw error;
      }
    });
}

/** Looks again and again until `look` gives something, and gives that. */
export async function eventually(what, look, { timeoutMs = 30_000 } = {}) {
  let last;
  for (const end = Date.now() + timeoutMs; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200))) {
    last = await look();
    if (last) return last;
  }
  throw new Error(`${what}: not seen within ${timeoutMs / 1000} s.`);
}
