// Count Calls above a function: the next recording counts it, and lens, hover and heat have the count.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codeLenses, decoratedLines, hoverOver } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, openFile, runCommand } from '../../../scripts/editor/palette.mjs';
import { recorded } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-calls-'));
const DEFINITION = 'double burn(long turns)';
const source = `#include <stdio.h>
static volatile double sum;
__attribute__((noinline))
${DEFINITION} {
  for (long i = 1; i <= turns; i++) sum += 1.0 / (double)i;
  printf("%f\\n", sum);
  return sum;
}
int main(void) {
  for (int i = 0; i < 1204; i++)
    burn(200000);
  return 0;
}
`;

const story = storyIn(folder, {
  prepare: () => {
    writeFileSync(path.join(folder, 'burn.c'), source);
    writeFileSync(path.join(folder, 'Makefile'), 'CFLAGS = -O2 -g\nall: burn\n');
  },
});

const titles = async (page) => (await codeLenses(page)).flatMap((lens) => lens.titles);

story('a lens adds its function to those whose calls are counted', async ({ page }) => {
  await openFile(page, 'burn.c');
  await chooseFrom(page, 'Lineheat: Profile This Target', 'burn');
  await recorded(page, folder, 1);
  await eventually('the lens', async () => (await titles(page)).includes('Count calls'));
  await page.locator('.codelens-decoration a', { hasText: 'Count calls' }).first().click();
  const settings = path.join(folder, '.vscode/settings.json');
  await eventually('the setting', async () => {
    try {
      return readFileSync(settings, 'utf8').includes('"burn"');
    } catch {
      return false; // not there yet
    }
  });
  assert.deepEqual(JSON.parse(readFileSync(settings, 'utf8'))['lineheat.record.calls'], ['burn']);
});

story('the next recording has the count and the time per call in lens and hover', async ({ page, picture }) => {
  await runCommand(page, 'Lineheat: Profile Again');
  await recorded(page, folder, 2);
  const lens = await eventually(
    'the lens with the count',
    async () => (await titles(page)).find((title) => title.includes('1,204 calls')),
    { timeoutMs: 60_000 },
  );
  assert.match(lens, /1,204 calls · [\d.]+ [mµu]s per call \([\d.]+ [mµu]s to [\d.]+ [mµu]s\)$/);
  await picture('calls-lens');
  const hover = await hoverOver(page, DEFINITION);
  assert.match(hover, /burn: 1,204 calls/);
});

story('as calls, the line of the definition has them all', async ({ page, picture }) => {
  await chooseFrom(page, 'Lineheat: Show Another Measure…', 'calls');
  const beside = await eventually('the calls beside the line', async () => {
    const rows = await decoratedLines(page);
    return rows.find(({ text }) => text?.includes(DEFINITION))?.after.join(' ');
  });
  assert.match(beside, /100\.0 % self/);
  await picture('calls-heat');
});
