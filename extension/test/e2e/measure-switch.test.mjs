// What is measured is switched in the head of the page: figures, colours and hovers beside the lines follow, and so does the page.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codeLenses, decoratedLines, hoverOver } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, openFile, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { recorded } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-switch-'));
const BURNING = 'sum += 1.0';
const LOCKING = 'pthread_mutex_lock(';
/** Two threads that take turns: what one computes with the lock, the other waits for. */
const source = `#include <pthread.h>
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static double volatile sum;
static void *work(void *unused) {
  for (int round = 0; round < 60; round++) {
    pthread_mutex_lock(&turn);
    for (long i = 1; i <= 4000000; i++) sum += 1.0 / (double)i;
    pthread_mutex_unlock(&turn);
  }
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int at = 0; at < 2; at++) pthread_create(&threads[at], 0, work, 0);
  for (int at = 0; at < 2; at++) pthread_join(threads[at], 0);
  return 0;
}
`;

const story = storyIn(folder, {
  prepare: () => {
    mkdirSync(path.join(folder, '.vscode'));
    writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify({ 'lineheat.record.waiting': true }));
    writeFileSync(path.join(folder, 'turns.c'), source);
    writeFileSync(path.join(folder, 'Makefile'), 'CFLAGS = -O2 -g\nLDLIBS = -lpthread\nall: turns\n');
  },
});

async function lineWith(page, text) {
  const rows = await decoratedLines(page);
  const row = rows.find((one) => one.text?.includes(text));
  return { figure: row?.after.join(' ') ?? '', background: row?.background ?? '' };
}
const rgbOf = (colour) => colour.match(/[\d.]+/g).map(Number);

story('as CPU time the line that computes is hot, and warm in colour', async ({ page }) => {
  await openFile(page, 'turns.c');
  await chooseFrom(page, 'Lineheat: Profile This Target', 'turns');
  await recorded(page, folder, 1);
  const { figure, background } = await eventually('the line that computes hot', async () => {
    const now = await lineWith(page, BURNING);
    return now.figure && now;
  });
  assert.match(figure, /^(9\d\.\d|100\.0) % self/);
  const [red, , blue] = rgbOf(background);
  assert.ok(red > blue, background);
});

story('the line that locks says what it waits for, although nobody asked', async ({ page, picture }) => {
  const { figure, background } = await eventually('waits beside the line that locks', async () => {
    const now = await lineWith(page, LOCKING);
    return now.figure.includes('waits') && now;
  });
  assert.match(figure, /^(.* )?waits: lock [\d.]+ m?s/);
  assert.equal(background, '', 'it is no heat');
  await picture('switch-lines-cpu');
});

story('the hover of the line that locks has its waits beside CPU time', async ({ page, picture }) => {
  const words = await hoverOver(page, LOCKING);
  assert.match(words, /waiting time: .*\d waits? \(.*lock/);
  await picture('switch-hover-cpu');
});

story('waiting is chosen in the head of the page, and the lines follow', async ({ page, picture }) => {
  await runCommand(page, 'Lineheat: Show Flame Graph');
  const panel = await webviewWith(page, '.measure-switch');
  assert.equal(await panel.getByRole('switch', { name: 'CPU time' }).getAttribute('aria-checked'), 'true');
  assert.match(
    await panel.locator('.measure-absent').first().getAttribute('title'),
    /^Allocated memory was not recorded\. Record with /,
  );
  await panel.getByRole('switch', { name: 'waiting time' }).click();
  await panel.locator('.cell-samples[role=columnheader]', { hasText: 'Self waits' }).waitFor();
  assert.equal(await panel.locator('.page').getAttribute('data-family'), 'waiting');
  await picture('switch-page-waiting');
  await openFile(page, 'turns.c');
  const { figure, background } = await eventually('the line that locks hot', async () => {
    const now = await lineWith(page, LOCKING);
    return now.figure && now;
  });
  assert.match(figure, /\d % total · waiting$/);
  const [red, green, blue] = rgbOf(background);
  assert.ok(green > red && blue > red, `cool: ${background}`);
  const titles = (await codeLenses(page)).flatMap((lens) => lens.titles);
  assert.ok(
    titles.some((title) => / · waiting$/.test(title)),
    titles.join(),
  );
  assert.match(await page.locator('.statusbar').innerText(), /waiting time/);
  await picture('switch-lines-waiting');
});

story('its hover says why threads waited, counts waits, and has CPU time apart', async ({ page, picture }) => {
  const words = await hoverOver(page, LOCKING);
  assert.match(words, /waiting time/);
  assert.match(words, /Waited for: .*lock/);
  assert.match(words, /\d waits?/);
  assert.doesNotMatch(words.split('Also measured here')[0], /samples/);
  await picture('switch-hover-waiting');
});

story('the sentence on the lock leads to the line that held it', async ({ page, picture }) => {
  await runCommand(page, 'Lineheat: Show Flame Graph');
  const panel = await webviewWith(page, '.measure-switch');
  await panel.getByRole('button', { name: /waiting for a lock held at work \(turns\.c:7\)/ }).click();
  const row = panel.locator('.table.blame .table-row[aria-selected=true]');
  const words = await eventually('the row of the lock', async () => (await row.allInnerTexts())[0]);
  assert.match(words.replaceAll(/\s+/g, ' '), /work turns\.c:7 held the lock (lock )?work turns\.c:6/);
  await picture('switch-blame');
});
