// A part of the time, dragged on the timeline: figures beside the lines, table and graph follow, and are those of the command
// line. Undone and cleared, they are the whole run's again.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codeLenses, decoratedLines } from '../../../scripts/editor/marks.mjs';
import { answer, openFile, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { run } from '../../../scripts/steps/command.mjs';
import { engine } from '../../../scripts/steps/paths.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-selection-'));
const output = path.join(folder, '.lineheat/runs/phases.pb.gz');
/** First one function for two thirds of a second, then another as long, in a thread of its own. */
const source = `#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

__attribute__((noinline)) static double early(long turns) {
  double sum = 0;
  for (long turn = 1; turn <= turns; turn++)
    sum += 1.0 / (double)(turn % 7 + 1);
  return sum;
}

__attribute__((noinline)) static double later(long turns) {
  double product = 1;
  for (long turn = 1; turn <= turns; turn++)
    product *= 1.0 + 1.0 / (double)(turn % 5 + 9);
  return product;
}

extern long sorted(long count);

static void *work(void *sum) {
  for (double start = seconds(); seconds() < start + 0.7;)
    *(double *)sum += later(100000);
  return 0;
}

int main(void) {
  double sum = 0;
  for (double start = seconds(); seconds() < start + 0.7;)
    sum += early(100000);
  pthread_t thread;
  pthread_create(&thread, 0, work, &sum);
  pthread_setname_np(thread, "worker");
  pthread_join(thread, 0);
  for (double start = seconds(); seconds() < start + 0.3;)
    sum += sorted(20000);
  printf("%f\\n", sum);
}
`;
/** Own code that calls a library, which calls own code. */
const sorting = `#include <algorithm>
#include <vector>

static unsigned state = 1;
__attribute__((noinline)) static bool by_digits(unsigned a, unsigned b) {
  return a % 1000 != b % 1000 ? a % 1000 < b % 1000 : a < b;
}

extern "C" long sorted(long count) {
  std::vector<unsigned> numbers(count);
  for (unsigned &number : numbers)
    number = state = state * 1664525 + 1013904223;
  std::sort(numbers.begin(), numbers.end(), by_digits);
  return numbers[0];
}
`;
const EARLY = 'sum += 1.0 /';
const LATER = 'product *= 1.0';

const story = storyIn(folder, {
  prepare: async () => {
    writeFileSync(path.join(folder, 'phases.c'), source);
    writeFileSync(path.join(folder, 'sorting.cpp'), sorting);
    await run('gcc', ['-O2', '-g', '-c', 'phases.c'], { cwd: folder });
    await run('g++', ['-O2', '-g', '-pthread', '-o', 'phases', 'phases.o', 'sorting.cpp'], { cwd: folder });
    mkdirSync(path.dirname(output), { recursive: true });
    await run(engine, ['record', '--output', output, '--', './phases'], { cwd: folder });
  },
});

/** What stands behind the two hot lines, by line; nothing where there is no figure. */
async function figures(page) {
  const rows = await decoratedLines(page);
  const of = (text) => rows.find((row) => row.text?.includes(text))?.after.join(' ') ?? '';
  return { early: of(EARLY), later: of(LATER) };
}

const isNothing = (text) => !/[1-9]/.test(text);

/** What percentage of a selection the line has, by the command line. */
async function shareOfEarly(...selection) {
  const words = ['annotate', output, 'phases.c', '--json', ...selection];
  const { lines, totalValue } = JSON.parse(await run(engine, words, { cwd: folder }));
  const line = 1 + source.split('\n').findIndex((text) => text.includes(EARLY));
  return (100 * lines.find((row) => row.line === line).selfNs) / totalValue;
}

let panel;

story('the flame graph of a run has a timeline with its threads', async ({ page, picture }) => {
  await openFile(page, 'phases.c');
  await runCommand(page, 'Lineheat: Open Saved Run');
  await answer(page, 'phases');
  await eventually('figures of both lines', async () => {
    const { early, later } = await figures(page);
    return early && later;
  });
  await runCommand(page, 'Lineheat: Show Flame Graph');
  panel = await webviewWith(page, '.timeline canvas');
  await eventually('a track of the thread', async () =>
    (await panel.locator('.timeline-row').allInnerTexts()).join().includes('worker'),
  );
  await picture('timeline');
});

story('the function under the cursor is coloured on the timeline', async ({ page, picture }) => {
  const tinted = async () => (await panel.locator('.timeline-key.tinted').innerText()).trim();
  for (const [line, name] of [
    [/product\s\*=/, 'later'],
    [/sum\s\+=\s1/, 'early'],
  ]) {
    await page.locator('.view-line', { hasText: line }).first().click();
    await eventually(`${name} in the legend`, async () => (await tinted()) === name);
  }
  await picture('under-the-cursor');
});

/** Where the graph has a frame whose tooltip says so. */
async function placeOfFrame(page, said) {
  const canvas = await panel.locator('.graph canvas').boundingBox();
  for (let row = 1; row < 8; row++)
    for (let x = canvas.x + canvas.width - 4; x > canvas.x; x -= 12) {
      const y = canvas.y + row * 20 + 10;
      await page.mouse.move(x, y);
      if (said.test(await panel.locator('.tooltip').innerText())) return [x, y];
    }
  return undefined;
}

story('of just my code a library is one frame, which opens by click', async ({ page, picture }) => {
  await panel.locator('.graph canvas').click({ position: { x: 5, y: 300 } });
  await page.keyboard.press('j');
  await panel.locator('.selection-chip', { hasText: 'Just my code' }).waitFor();
  // What only calls is among the rows in view when the table is ordered by totals.
  await panel.getByRole('columnheader', { name: 'Total' }).click();
  const names = async () => (await panel.locator('[role=grid] [role=row]').allTextContents()).join();
  await eventually('a table of own code', async () => !(await names()).includes('introsort'));
  const shown = JSON.parse(await run(engine, ['report', output, '--my-code', '--json'], { cwd: folder })).functions;
  assert.ok(shown.some(({ name }) => /^std::sort\b/.test(name)) && shown.some(({ name }) => name === 'by_digits'));
  const place = await eventually('the library in the graph', () => placeOfFrame(page, /^std::sort.*collapsed: click/s));
  await picture('my-code');
  await page.mouse.click(...place);
  await panel.locator('.selection-chip', { hasText: 'Just my code, opened: std::sort' }).waitFor();
  await eventually('what it calls', async () => (await names()).includes('introsort'));
  await picture('my-code-opened');
  await page.keyboard.press('o');
  await eventually('a table of own code', async () => !(await names()).includes('introsort'));
  await page.keyboard.press('j');
  await panel.locator('.selection-chip').waitFor({ state: 'hidden' });
});

story('a drag over the first part leaves the other line without figures, as the command line says', async (session) => {
  const { page, picture } = session;
  const canvas = panel.locator('.timeline-all canvas, .timeline-body canvas').first();
  const box = await canvas.boundingBox();
  const y = box.y + Math.min(20, box.height / 2);
  await page.mouse.move(box.x + 2, y);
  await page.mouse.down();
  for (const part of [0.1, 0.2, 0.3, 0.35]) await page.mouse.move(box.x + box.width * part, y, { steps: 4 });
  await eventually('the other line cold while the button is still down', async () => {
    const { early, later } = await figures(page);
    return early && isNothing(later);
  });
  await picture('timeline-drag');
  await page.mouse.up();
  await page.keyboard.press('Enter');
  const time = await eventually('a chip with the time', async () => {
    const [words = ''] = await panel.locator('.selection-chip').allInnerTexts();
    return /(?<from>[\d.]+)–(?<to>[\d.]+) (?<unit>m?s)/.exec(words)?.groups;
  });
  // The chip is as exact as a person needs.
  const share = await shareOfEarly('--time', `${time.from}-${time.to}${time.unit}`);
  assert.ok(Math.abs(Number.parseFloat((await figures(page)).early) - share) < 1, `${share}`);
  await eventually('a lens of the part', async () => {
    const lenses = await codeLenses(page);
    return lenses.some(({ titles }) => /\b100\.0 % total/.test(titles.join())) && lenses.length < 4;
  });
  const rows = await eventually('a table of the part', async () => {
    const names = await panel.locator('[role=grid] [role=row]').allInnerTexts();
    return names.length > 1 && names;
  });
  assert.ok(rows.some((row) => row.includes('early')));
  assert.ok(!rows.some((row) => /\blater\b/.test(row)), rows.join('\n'));
  await picture('timeline-selected');
});

story('the status bar names the part', async ({ page }) => {
  const item = page.locator('.statusbar-item').filter({ hasText: /[\d.]+–[\d.]+ m?s/ });
  await item.waitFor();
});

story('it is saved as a run that the command line opens', async ({ page }) => {
  await runCommand(page, 'Lineheat: Save Selection as Run');
  const part = output.replace('.pb.gz', '-part-1.pb.gz');
  await eventually('the file', () => existsSync(part));
  const { functions, problems } = JSON.parse(await run(engine, ['report', part, '--json'], { cwd: folder }));
  assert.equal(functions[0].name, 'early');
  assert.ok(!functions.some(({ name }) => name === 'later'));
  assert.match(problems.join(), /part of a run: [\d.]+–[\d.]+ m?s/);
});

story('undone, both lines have their figures again', async ({ page }) => {
  await panel.locator('.graph canvas').click({ position: { x: 5, y: 300 } });
  await page.keyboard.press('Control+z');
  await eventually('figures of both lines', async () => {
    const { early, later } = await figures(page);
    return early && !isNothing(later);
  });
});

story('done again by a key, and cleared by a click on the status bar', async ({ page }) => {
  await page.keyboard.press('Control+Shift+z');
  const item = page.locator('.statusbar-item').filter({ hasText: /[\d.]+–[\d.]+ m?s/ });
  await item.click();
  await item.waitFor({ state: 'hidden' });
  await eventually('figures of both lines', async () => {
    const { early, later } = await figures(page);
    return early && !isNothing(later);
  });
});

story('compared with the rest, the line of the part has more of the CPU time', async ({ page, picture }) => {
  await panel.locator('.graph canvas').click({ position: { x: 5, y: 300 } });
  await page.keyboard.press('Control+z');
  await panel.locator('.selection-chip').first().waitFor();
  await panel.locator('.selection-compare.rest').click();
  const compared = await webviewWith(page, '.verdict-mark');
  assert.match(await compared.locator('h1').innerText(), /^.?\s*The selection uses .* than the rest/);
  await eventually('differences beside the lines', async () => {
    const { early, later } = await figures(page);
    return /\+\d|× \d/.test(early) && /−100/.test(later);
  });
  await picture('compared-with-the-rest');
});
