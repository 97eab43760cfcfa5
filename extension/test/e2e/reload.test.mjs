// Reload Window: the panels that were open come back with what they showed.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chooseFrom, pickNth, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { compileProgram, recordRun } from './support/program.mjs';
import { storyIn } from './support/session.mjs';

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
    await tab(page, 'Flame Graph').click();
    await webviewWith(page, '.graph canvas');
    await picture(`reload-2-${turn}`);
    assert.deepEqual(await tabs(page), shown);
  }
});
