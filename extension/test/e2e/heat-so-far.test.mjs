// The heat of a recording in progress: figures that grow beside the lines and in the flame graph, what cannot be done meanwhile,
// and the saved run in their place at the end, or nothing when the recording is discarded.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codeLenses, decoratedLines } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, openFile, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { run } from '../../../scripts/steps/command.mjs';
import { engine } from '../../../scripts/steps/paths.mjs';
import { recorded, savedRuns } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-so-far-'));
/** Some seconds in one function, then in another until it is stopped: the share of the first falls as the recording grows. */
const source = `#include <time.h>

__attribute__((noinline)) static double early(double sum) {
  for (long turn = 1; turn <= 1000000; turn++)
    sum += 1.0 / (double)(turn % 7 + 1);
  return sum;
}

__attribute__((noinline)) static double later(double product) {
  for (long turn = 1; turn <= 1000000; turn++)
    product *= 1.0 + 1.0 / (double)(turn % 5 + 9);
  return product;
}

int main(void) {
  volatile double kept = 0;
  for (time_t start = time(0); time(0) < start + 12;)
    kept = early(kept);
  for (;;)
    kept = later(kept);
}
`;
const story = storyIn(folder, {
  prepare: async () => {
    writeFileSync(path.join(folder, 'endless.c'), source);
    await run('gcc', ['-O1', '-g', '-o', 'endless', 'endless.c'], { cwd: folder });
  },
});

const stopButton = (page) => page.locator('.statusbar-item').filter({ hasText: 'Stop and Keep' });

/** Per cent beside the hot line of each function; undefined where there is none. */
async function shares(page) {
  const rows = await decoratedLines(page);
  const of = (code) => {
    const words = rows.find(({ text }) => text?.includes(code))?.after.join(' ') ?? '';
    const [percent] = /[\d.]+(?= ?%)/.exec(words) ?? [];
    return percent === undefined ? undefined : Number(percent);
  };
  return { early: of('sum += 1.0'), later: of('product *= 1.0') };
}

/** Of the saved run, per cent of its CPU time that the two lines have themselves. */
async function sharesByCommandLine() {
  const [saved] = savedRuns(folder);
  const words = ['annotate', saved, 'endless.c', '--json'];
  const { lines, totalValue } = JSON.parse(await run(engine, words, { cwd: folder }));
  const of = (code) => {
    const line = 1 + source.split('\n').findIndex((text) => text.includes(code));
    return (100 * lines.find((row) => row.line === line).selfNs) / totalValue;
  };
  return { early: of('sum += 1.0'), later: of('product *= 1.0') };
}

async function recordAndShow(page) {
  await chooseFrom(page, 'Lineheat: Profile This Target', 'endless');
  await stopButton(page).waitFor({ timeout: 60_000 });
  // Before the first half second there is nothing to show.
  await page.waitForTimeout(1500);
  await runCommand(page, 'Lineheat: Show Heat So Far');
  return eventually('heat beside the first loop', async () => (await shares(page)).early);
}

let panel;

story('heat is beside the lines while the program runs, and grows', async ({ page, picture }) => {
  await openFile(page, 'endless.c');
  const first = await recordAndShow(page);
  assert.ok(first > 50, `${first}`);
  await picture('so-far-1');
  await eventually('the second loop, too', async () => (await shares(page)).later > 10);
  const second = await eventually('less in the first', async () => (await shares(page)).early);
  assert.ok(second < first, `${second}, ${first}`);
  await eventually('less again', async () => (await shares(page)).early < second - 5);
  const titles = (await codeLenses(page)).flatMap((lens) => lens.titles);
  assert.ok(!titles.some((title) => title.startsWith('Compare with')), titles.join());
  assert.equal(await stopButton(page).count(), 1, 'it is still recorded');
});

story('its page says that it is still being recorded, and follows', async ({ page, picture }) => {
  await runCommand(page, 'Lineheat: Show Flame Graph');
  panel = await webviewWith(page, '[role=grid]');
  const words = () => panel.locator('body').innerText();
  const secondsOf = (text) => Number(/still being recorded after ([\d.]+) s/.exec(text)?.[1]);
  const first = await eventually('how long it has been recorded', async () => secondsOf(await words()));
  await eventually('a later state', async () => secondsOf(await words()) > first);
  await picture('so-far-2');
});

story('at the end the saved run is in its place', async ({ page, picture }) => {
  await runCommand(page, 'Lineheat: Stop and Keep');
  await recorded(page, folder, 1);
  await eventually('the end on the page', async () => /stopped after/.test(await panel.locator('body').innerText()));
  const titles = await eventually('lenses of a saved run', async () => {
    const now = (await codeLenses(page)).flatMap((lens) => lens.titles);
    return now.some((title) => title.startsWith('Compare with')) && now;
  });
  assert.ok(titles.length > 0);
  const saved = await sharesByCommandLine();
  await eventually('the figures of the saved run', async () => {
    const { early, later } = await shares(page);
    return Math.abs(early - saved.early) < 0.06 && Math.abs(later - saved.later) < 0.06;
  });
  await picture('so-far-3');
});

story('a discarded recording takes its heat with it', async ({ page, picture }) => {
  await recordAndShow(page);
  await runCommand(page, 'Lineheat: Discard Recording');
  await page
    .locator('.notification-toast')
    .filter({ hasText: 'The recording was discarded, so its heat is no longer shown.' })
    .waitFor();
  await eventually('no heat', async () => (await decoratedLines(page)).every(({ after }) => after.length === 0));
  assert.equal(savedRuns(folder).length, 1);
  await picture('so-far-4');
});
