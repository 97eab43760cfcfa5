// Sources that were recorded under another path, as a container or a build machine does it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { decoratedLines } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, openFile, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { clickFrame, findFrame } from './support/graph.mjs';
import { compileProgram, recordRun } from './support/program.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-sources-'));
mkdirSync(path.join(folder, '.vscode'));
const settings = (map) =>
  writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify({ 'lineheat.sourcePathMap': map }));
const story = storyIn(folder, {
  prepare: async () => {
    settings({});
    const program = await compileProgram(folder, ['-O2', '-g', `-ffile-prefix-map=${folder}=/build/agent`]);
    await recordRun(folder, 'first', program);
  },
});

const marked = async (page) => (await decoratedLines(page)).filter((row) => row.after.length > 0);

story('a source whose path says too little has no heat', async ({ page }) => {
  await openFile(page, 'burn.cpp');
  await chooseFrom(page, 'Lineheat: Open Saved Run', 'burn');
  await runCommand(page, 'Lineheat: Show Flame Graph');
  await webviewWith(page, '.graph canvas');
  assert.deepEqual(await marked(page), []);
});

story('once the map says where it is, the open run has its heat there', async ({ page, picture }) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the setting
  settings({ '/build/agent': '${workspaceFolder}' });
  const hot = await eventually('heat', async () => (await marked(page))[0], { timeoutMs: 60_000 });
  assert.match(hot.after.join(' '), /%/);
  await picture('sources-mapped');
});

story('and a frame of the flame graph leads there', async ({ page }) => {
  const graph = await webviewWith(page, '.graph canvas');
  await clickFrame(graph, await findFrame(graph, (words) => words.includes('burn.cpp:6')));
  await page.locator('.statusbar-item').filter({ hasText: 'Ln 6,' }).waitFor();
});
