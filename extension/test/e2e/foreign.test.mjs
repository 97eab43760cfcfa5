// A pprof file that another profiler wrote opens as a flame graph with a table beside it.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { knowsCommand, openFile } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { foreignProfile } from './support/foreign.mjs';
import { findFrame, searchFor } from './support/graph.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-foreign-'));
const foreign = await foreignProfile(folder);
writeFileSync(path.join(folder, 'broken.pb.gz'), 'this is no gzip file');
const copies = [1, 2, 3, 4].map((at) => `copy-${at}.pb.gz`);
for (const name of copies) copyFileSync(path.join(folder, 'foreign.pb.gz'), path.join(folder, name));
const story = storyIn(folder);

story('a CPU profile of Go opens by a click in the Explorer, its hot function found', async ({ page, picture }) => {
  await knowsCommand(page, 'Lineheat: Doctor');
  const tab = page.locator('.tab.active').filter({ hasText: 'foreign.pb.gz' });
  const refusal = page.getByText('The file is not displayed in the text editor');
  // In the very first seconds of its life an editor does not know yet who shows such files.
  await eventually('an editor that knows who shows it', async () => {
    await page.locator('.explorer-folders-view .monaco-list-row').filter({ hasText: 'foreign.pb.gz' }).click();
    await tab.waitFor();
    const isRefused = await refusal.waitFor({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
    // The refusal may give way to the page meanwhile, and the tab to another.
    if (isRefused)
      await tab
        .locator('.codicon-close')
        .click({ timeout: 3_000 })
        .catch(() => {});
    return !isRefused;
  });
  const graph = await webviewWith(page, '.graph canvas');
  assert.match(await searchFor(graph, foreign.name), /\d/);
  await findFrame(graph, (words) => words.includes(foreign.name));
  await picture('foreign');
});

story('a file that is no profile says so in a sentence', async ({ page, picture }) => {
  await openFile(page, 'broken.pb.gz');
  const panel = await webviewWith(page, '.message, [role=alert]');
  const words = await panel.locator('body').innerText();
  await picture('broken');
  assert.match(words, /gzip|pprof|profile/i);
});

story(
  'a page that comes back to the front is as it was left; of many hidden ones the first shows anew',
  async (session) => {
    const { page, picture } = session;
    const graph = await webviewWith(page, '.graph canvas', { hiddenToo: true });
    await graph.evaluate(() => {
      window.wasHere = true;
    });
    const wasHere = async (name) => {
      await page.locator('.tab').filter({ hasText: name }).first().click();
      await page.locator('.tab.active').filter({ hasText: name }).waitFor();
      const shown = await webviewWith(page, '.graph canvas');
      return shown.evaluate(
        () =>
          new Promise((done) => {
            requestAnimationFrame(() => requestAnimationFrame(() => done({ same: window.wasHere === true })));
          }),
      );
    };
    assert.deepEqual(await wasHere('foreign.pb.gz'), { same: true });
    await picture('foreign-again');
    for (const name of copies) await openFile(page, name);
    await page.locator('.tab').filter({ hasText: 'foreign.pb.gz' }).first().click();
    await page.locator('.tab.active').filter({ hasText: 'foreign.pb.gz' }).waitFor();
    const again = await webviewWith(page, '.graph canvas');
    assert.match(await searchFor(again, foreign.name), /\d/);
  },
);
