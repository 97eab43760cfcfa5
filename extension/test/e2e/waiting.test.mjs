// A recording has waiting time unless the setting is off: what a line waited for is beside it, as another measure than CPU time.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { decoratedLines } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, openFile, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { recorded } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-waiting-'));
const BURNING = 'sum += 1.0';
const SLEEPING = 'usleep(';
const source = `#include <unistd.h>
static volatile double sum;
int main(void) {
  for (long i = 1; i <= 300000000; i++) sum += 1.0 / (double)i;
  for (int i = 0; i < 100; i++)
    usleep(5000);
  return 0;
}
`;
const turnWaitingOff = () =>
  writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify({ 'lineheat.record.waiting': false }));

const story = storyIn(folder, {
  prepare: () => {
    mkdirSync(path.join(folder, '.vscode'));
    writeFileSync(path.join(folder, 'nap.c'), source);
    writeFileSync(path.join(folder, 'Makefile'), 'CFLAGS = -O2 -g\nall: nap\n');
  },
});

/** The figures beside the line that burns and the one that sleeps. */
async function figures(page) {
  const rows = await decoratedLines(page);
  const of = (text) => rows.find((row) => row.text?.includes(text))?.after.join(' ') ?? '';
  return { burning: of(BURNING), sleeping: of(SLEEPING) };
}

story('the recorded run shows CPU time, and beside it what the sleep waits for', async ({ page }) => {
  await openFile(page, 'nap.c');
  await chooseFrom(page, 'Lineheat: Profile This Target', 'nap');
  await recorded(page, folder, 1);
  const { burning, sleeping } = await eventually('figures beside both lines', async () => {
    const now = await figures(page);
    return now.burning && now.sleeping && now;
  });
  assert.match(burning, /^(9\d\.\d|100\.0) % self/);
  assert.doesNotMatch(burning, /waits/);
  assert.match(sleeping, /^(\d.* )?waits: sleep [5-9]\d\d ms$/);
});

story('as waiting time, the line that sleeps is hot', async ({ page, picture }) => {
  await chooseFrom(page, 'Lineheat: Show Another Measure…', 'waiting time');
  const { sleeping } = await eventually('the line that sleeps hot', async () => {
    const now = await figures(page);
    return now.sleeping.includes('total') && now;
  });
  // The rest is the run queue of a busy machine.
  assert.match(sleeping, /\d+(\.\d)? % total/);
  assert.match(await page.locator('.statusbar').innerText(), /waiting time/);
  await picture('waiting-line');
});

story('the head of the page says where the wall time went', async ({ page, picture }) => {
  await runCommand(page, 'Lineheat: Show Flame Graph');
  const panel = await webviewWith(page, '.wall-time summary');
  const [first, thread] = await panel.locator('.wall-time summary, .wall-time li').allTextContents();
  assert.match(first, /^[\d.]+ m?s wall · [\d.]+ m?s CPU · [\d.]+ ms waiting \(sleep [\d.]+ ms/);
  assert.match(thread, /^of thread nap \(\d+\), the only one$/);
  await picture('waiting-page');
});

story('the tab of waits has the line that sleeps', async ({ page, picture }) => {
  const panel = await webviewWith(page, 'vscode-tab-header');
  await panel.locator('vscode-tab-header', { hasText: 'Waits' }).click();
  const rows = panel.locator('.table.waits .table-row');
  const sleep = await eventually('a row of the sleep', async () =>
    (await rows.allInnerTexts()).find((text) => text.includes('sleep')),
  );
  const line = 1 + source.split('\n').findIndex((text) => text.includes(SLEEPING));
  assert.match(sleep.replace(/\s+/g, ' '), new RegExp(`\\b100 (.* )?sleep main nap\\.c:${line}$`));
  await picture('waiting-table');
});

story('without waiting time, the page names the setting, and opens it', async ({ page, picture }) => {
  turnWaitingOff();
  await page.waitForTimeout(5000); // nothing on the page says that the editor has read it
  await runCommand(page, 'Lineheat: Profile Again');
  await recorded(page, folder, 2);
  await runCommand(page, 'Lineheat: Show Flame Graph');
  const panel = await webviewWith(page, '.wall-time button');
  await picture('waiting-hint');
  await panel.locator('.wall-time button').click();
  await page.locator('.settings-editor').getByText('Also record waiting time').waitFor();
  await picture('waiting-setting');
});
