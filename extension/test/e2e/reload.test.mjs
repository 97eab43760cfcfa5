// Reload Window: heat and the panels that were open come back with what they showed.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { decoratedLines } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, pickNth, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { compileProgram, recordRun } from './support/program.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-reload-'));
const story = storyIn(folder, {
  prepare: async () => {
    const program = await compileProgram(folder);
    await recordRun(folder, 'first', program);
    await recordRun(folder, 'second', program, 300_000_000);
  },
});

const tab = (page, title) => page.locator('.tab').filter({ hasText: title });
const tabs = async (page) => (await page.locator('.tab').allInnerTexts()).map((text) => text.trim()).sort();

async function reload(page) {
  const loaded = page.waitForEvent('load');
  await runCommand(page, 'Developer: Reload Window');
  await loaded; // what is on the page must be from the new one
  await page.locator('.monaco-workbench .part.statusbar').waitFor();
}

async function showsComparison(page) {
  const compared = await webviewWith(page, 'vscode-tab-header');
  await compared.locator('[role=row]').nth(1).waitFor();
}

const figures = async (page) => (await decoratedLines(page)).flatMap(({ after }) => after);
const hasFigure = (page, pattern) =>
  eventually(`a figure like ${pattern}`, async () => (await figures(page)).some((text) => pattern.test(text)));

story('heat comes back when no panel was open, and stays closed once it was closed', async ({ page, picture }) => {
  await chooseFrom(page, 'Lineheat: Open Saved Run', 'burn');
  await tab(page, 'burn.cpp').waitFor();
  await hasFigure(page, /%/);
  await reload(page);
  await hasFigure(page, /%/);
  await picture('reload-0-heat');
  await runCommand(page, 'Lineheat: Close Profile');
  await eventually('no figure', async () => (await figures(page)).length === 0);
  await reload(page);
  await tab(page, 'burn.cpp').waitFor();
  // Whatever is restored is there by the time that the Runs view lists the runs.
  await runCommand(page, 'View: Show Lineheat');
  await page.locator('.tree-explorer-viewlet-tree-view [role=treeitem]').first().waitFor();
  assert.deepEqual(await figures(page), []);
  await page.keyboard.press('Control+b');
  await runCommand(page, 'View: Close All Editors');
});

story('while the runs are listed, the Runs view does not say that there are none', async ({ page, picture }) => {
  await runCommand(page, 'View: Show Lineheat');
  const rows = page.locator('.tree-explorer-viewlet-tree-view [role=treeitem]');
  await rows.first().waitFor();
  await page.addInitScript(() => {
    globalThis.saidNoRuns = false;
    new MutationObserver(() => {
      // As it is read: a text that is hidden has no rectangles.
      for (const element of document.querySelectorAll('.welcome-view-content p'))
        globalThis.saidNoRuns ||=
          element.textContent.includes('No run has been recorded') && element.getClientRects().length > 0;
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
  await reload(page);
  await rows.first().waitFor();
  await picture('reload-runs');
  assert.equal(await page.evaluate(() => globalThis.saidNoRuns), false);
  await page.keyboard.press('Control+b');
});

story('a comparison that is still opening comes back', async ({ page, picture }) => {
  await runCommand(page, 'Lineheat: Compare Two Saved Runs');
  await page.locator('.quick-input-widget input[placeholder^="The base"]').waitFor();
  await pickNth(page, 1);
  await page.locator('.quick-input-widget input[placeholder^="The new run"]').waitFor();
  await pickNth(page, 0);
  await tab(page, 'Compare').waitFor();
  await reload(page);
  await showsComparison(page);
  await tab(page, 'Compare: burn → burn').waitFor();
  await picture('reload-1-comparison');
});

story('a flame graph, and a comparison that is behind it', async ({ page, picture }) => {
  await chooseFrom(page, 'Lineheat: Open Saved Run', 'burn');
  await tab(page, 'burn.cpp').waitFor();
  await runCommand(page, 'Lineheat: Show Flame Graph');
  await webviewWith(page, '.graph canvas');
  await tab(page, 'Flame Graph: burn').waitFor();
  const shown = await tabs(page);
  assert.equal(shown.length, 3, shown.join(', '));
  for (const turn of ['first', 'second']) {
    await reload(page);
    await webviewWith(page, '.graph canvas');
    await tab(page, 'Compare').click();
    await showsComparison(page);
    // The page in front before has rows, too: this one is open when its tab is named.
    await tab(page, 'Compare: burn → burn').waitFor();
    await tab(page, 'Flame Graph').click();
    await webviewWith(page, '.graph canvas');
    await tab(page, 'Flame Graph: burn').waitFor();
    await picture(`reload-2-${turn}`);
    assert.deepEqual(await tabs(page), shown);
  }
});
