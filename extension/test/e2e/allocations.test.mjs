// With the setting for it, a recording has allocated memory: the line that leaks and the line that held most at the peak are others.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { decoratedLines } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, openFile } from '../../../scripts/editor/palette.mjs';
import { recorded } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-allocations-'));
const LEAK = 'malloc(64)';
const HELD = 'malloc(65536)';
const BRIEF = 'malloc(200)';
const source = `#include <stdlib.h>
static void *volatile sink;
static void *held[1600];
int main(void) {
  for (int i = 0; i < 1000000; i++) {
    sink = malloc(64);
    for (int j = 0; j < 8; j++) {
      void *volatile brief = malloc(200);
      free(brief);
    }
  }
  for (int i = 0; i < 1600; i++)
    held[i] = malloc(65536);
  for (int i = 0; i < 1600; i++)
    free(held[i]);
  return 0;
}
`;

const story = storyIn(folder, {
  prepare: () => {
    mkdirSync(path.join(folder, '.vscode'));
    const settings = { 'lineheat.record.allocations': true };
    writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify(settings));
    writeFileSync(path.join(folder, 'hold.c'), source);
    writeFileSync(path.join(folder, 'Makefile'), 'CFLAGS = -O2 -g\nall: hold\n');
  },
});

/** The share of its own beside each of the three lines, in percent; 0: nothing is there. */
async function shares(page) {
  const rows = await decoratedLines(page);
  return [LEAK, HELD, BRIEF].map((text) => {
    const beside = rows.find((row) => row.text?.includes(text))?.after.join(' ') ?? '';
    return Number(/([\d.]+) % (?:self|total)/.exec(beside)?.[1] ?? 0);
  });
}

/** Shows a measure, until the lines say what they should. */
async function showMeasure(page, name, are) {
  await chooseFrom(page, 'Lineheat: Show Another Measure…', name);
  const now = await eventually(`the lines by ${name}`, async () => {
    const found = await shares(page);
    return are(found) && found;
  });
  assert.match(await page.locator('.statusbar').innerText(), new RegExp(name));
  return now;
}

story('the target is recorded with its allocations', async ({ page }) => {
  await openFile(page, 'hold.c');
  await chooseFrom(page, 'Lineheat: Profile This Target', 'hold');
  await recorded(page, folder, 1);
});

story('as allocated memory, the line whose blocks are freed at once is hot', async ({ page, picture }) => {
  // 64, 105 and 1,600 million bytes.
  const [leak, held, brief] = await showMeasure(page, 'allocated memory', ([, , of]) => of > 80);
  assert.ok(leak < 8 && held < 12, `${leak} ${held} ${brief}`);
  await picture('memory-allocated');
});

story('as peak memory, the line that held most is hot', async ({ page, picture }) => {
  const [leak, held, brief] = await showMeasure(page, 'peak memory', ([, of]) => of > 35 && of < 85);
  assert.ok(leak > 15 && leak < 65, `${leak} ${held}`);
  assert.equal(brief, 0);
  await picture('memory-peak');
});

story('as memory in use at the end, only the leak is left', async ({ page, picture }) => {
  const [leak, held, brief] = await showMeasure(page, 'memory in use', ([of]) => of > 90);
  assert.deepEqual([held, brief], [0, 0], `${leak}`);
  await picture('memory-in-use');
});
