// The story of a C++ programmer: profile a CMake target, read its heat, change the program, profile again, compare.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { codeLenses, decoratedLines, hoverOver, overviewMarks } from '../../../scripts/editor/marks.mjs';
import {
  chooseFrom,
  listedRow,
  listedRows,
  openFile,
  pickNth,
  pickRow,
  runCommand,
} from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { run } from '../../../scripts/steps/command.mjs';
import { engine } from '../../../scripts/steps/paths.mjs';
import { clickFrame, findFrame, searchFor } from './support/graph.mjs';
import { recorded, savedRuns } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';
import { copyOfSample } from './support/workspace.mjs';

const workspace = copyOfSample('cpp-orders');
const lookup = 'index_[order.account]';
const story = storyIn(workspace.folder, { remove: () => workspace.remove() });
const withFigure = async (page) => (await decoratedLines(page)).filter((row) => row.after.length > 0);
const heatOf = (page, text) =>
  eventually(
    `a figure behind "${text}"`,
    async () => (await withFigure(page)).find((row) => row.text?.includes(text)),
    { timeoutMs: 60_000 },
  );

/**
 * What the line of the look-up says by the engine's verdict of it. One run each is tested over the 16 parts of it, and the
 * last one has few look-ups: accounts are sorted and freed there. How many differs from run to run, and decides whether the
 * parts are long enough beside such a phase; without it they always are.
 */
const SAID = { faster: /^▼ −(\d+\.\d) % (?:±\d|\()/, 'too-few': /^\? −(\d+\.\d) % untested$/ };

/** What the command line says of the line of the look-up, by total. */
async function lookupCompared() {
  const [before, after] = savedRuns(workspace.folder); // by name, which begins with the time
  const { lines } = JSON.parse(await run(engine, ['diff', before, '--against', after, '--lines', '--json']));
  const text = readFileSync(path.join(workspace.folder, 'src/ledger.hpp'), 'utf8').split('\n');
  const number = 1 + text.findIndex((one) => one.includes(lookup));
  return lines.find(({ file, line }) => file.endsWith('/ledger.hpp') && line === number).total;
}

story(
  'Profile This Target offers to configure CMake, lists its executable, builds and records it',
  async ({ page, picture }) => {
    await openFile(page, 'ledger.hpp');
    await chooseFrom(page, 'Lineheat: Profile This Target', 'Configure CMake');
    await listedRow(page, 'CMake, build/lineheat'); // beside the executable's name
    await picture('cmake-1-targets');
    await pickRow(page, 'orders');
    await page.locator('.notification-toast').filter({ hasText: 'Recording orders' }).waitFor({ timeout: 120_000 });
    await picture('cmake-2-recording');
    await recorded(page, workspace.folder, 1);
  },
);

story('the hot line carries its figure and a tint, cold lines carry nothing', async ({ page, picture }) => {
  const hot = await heatOf(page, lookup);
  assert.match(hot.after.join(' '), /\d+(\.\d+)? %/);
  assert.ok(hot.background, 'the hottest line of the file has no tint');
  const marked = await withFigure(page);
  assert.ok(!marked.some((row) => /^#include/.test(row.text ?? '')), 'an #include line is marked');
  await picture('cmake-3-heat');
});

story('the overview ruler shows the hot lines', async ({ page }) => {
  const rows = await eventually('marks in the overview ruler', async () => {
    const marks = await overviewMarks(page);
    return Object.keys(marks).length > 1 ? marks : undefined;
  });
  assert.ok(Object.keys(rows).length > 1, JSON.stringify(rows));
});

story('a code lens tells the share of the hot function', async ({ page }) => {
  const lens = await eventually('a code lens', async () => (await codeLenses(page))[0], { timeoutMs: 60_000 });
  // A sample or two of thousands on the function itself: its self share is then "< 0.1 %", as core/ writes it.
  assert.match(lens.titles[0], /^(< 0\.1|\d+\.\d) % self · \d+\.\d % total$/);
  assert.deepEqual(lens.titles.slice(1), ['Flame graph', 'Compare with…', 'Count calls']);
});

story('the hover of the hot line tells samples, callers and callees', async ({ page, picture }) => {
  const words = await hoverOver(page, lookup);
  await picture('cmake-4-hover');
  assert.match(words, /self/i);
  assert.match(words, /total/i);
  assert.match(words, /[\d,]+ samples/);
  assert.match(words, /call/i);
  await page.keyboard.press('Escape');
});

story('the Runs view lists the run with target and samples', async ({ page, picture }) => {
  await page.locator('.activitybar .action-label[aria-label^="Lineheat"]').click();
  const row = page.locator('.pane-body .monaco-list-row').filter({ hasText: 'orders' }).first();
  await row.waitFor();
  assert.match(await row.innerText(), /orders/);
  await picture('cmake-5-runs');
});

story(
  'the flame graph opens, finds a function by search, and a click on a frame lands on its line',
  async ({ page, picture }) => {
    await runCommand(page, 'Lineheat: Show Flame Graph');
    const graph = await webviewWith(page, '.graph canvas');
    assert.match(await searchFor(graph, 'book'), /\d/);
    await picture('cmake-6-flame-graph');
    await clickFrame(graph, await findFrame(graph, (words) => words.includes('Ledger') && words.includes('book')));
    await page.locator('.statusbar-item').filter({ hasText: 'Ln 31,' }).waitFor();
    await page.locator('.tab.active').filter({ hasText: 'ledger.hpp' }).first().waitFor();
    await picture('cmake-7-landed');
  },
);

story('Profile Again repeats the target after a change', async ({ page }) => {
  const file = path.join(workspace.folder, 'src/main.cpp');
  writeFileSync(file, readFileSync(file, 'utf8').replace('index = "tree"', 'index = "hash"'));
  await runCommand(page, 'Lineheat: Profile Again');
  await recorded(page, workspace.folder, 2);
});

story('Compare Two Saved Runs shows what became faster', async ({ page, picture }) => {
  await runCommand(page, 'Lineheat: Compare Two Saved Runs');
  await page.locator('.quick-input-widget input[placeholder^="The base"]').waitFor();
  const runs = (await listedRows(page)).filter((row) => row.includes('orders'));
  assert.equal(runs.length, 2, 'the list offers both runs');
  await pickNth(page, 1); // newest first: the second is the one before the change
  await page.locator('.quick-input-widget input[placeholder^="The new run"]').waitFor();
  await pickNth(page, 0);
  const panel = await webviewWith(page, 'vscode-tab-header');
  await panel.locator('[role=row]').nth(1).waitFor();
  const words = await panel.locator('body').innerText();
  await picture('cmake-8-comparison');
  assert.match(words, /std::map|_Rb_tree|compare/, 'the vanished look-up is not named');
});

story('the difference stands beside the lines', async ({ page, picture }) => {
  await openFile(page, 'ledger.hpp');
  const row = await heatOf(page, lookup);
  const { verdict, change } = await lookupCompared();
  const [words, points] = SAID[verdict]?.exec(row.after.join(' ')) ?? [];
  assert.ok(words, `${verdict}: ${row.after}`);
  // The engine's number has six digits, the text one behind the point.
  assert.ok(Math.abs(Number(points) + 100 * change) < 0.0501, `${change}: ${words}`);
  await picture('cmake-9-difference');
});
