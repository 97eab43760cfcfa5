// Profile Allocations: one command records a target with its memory and opens the run by it; where that cannot be, it says why.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { decoratedLines } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, openFile } from '../../../scripts/editor/palette.mjs';
import { recorded } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-profile-allocations-'));
const LEAK = 'malloc(4096)';
const source = `#include <stdlib.h>
static void *volatile sink;
int main(void) {
  for (int i = 0; i < 100000; i++)
    sink = malloc(4096);
  for (volatile long spin = 0; spin < 100000000; spin++) {
  }
  return 0;
}
`;

const story = storyIn(folder, {
  prepare: () => {
    writeFileSync(path.join(folder, 'leak.c'), source);
    const rules = ['all: leak whole', 'leak: leak.c', '\tcc -O2 -g leak.c -o leak', 'whole: leak.c'];
    writeFileSync(path.join(folder, 'Makefile'), [...rules, '\tcc -O2 -g -static leak.c -o whole', ''].join('\n'));
  },
});

const pageFrame = async (page) => {
  for (const frame of page.frames())
    if (frame.url().includes('fake.html') && (await frame.locator('.measure-switch').count()) > 0) return frame;
  return undefined;
};

story('the run opens with what it allocated, on the lines and on its page', async ({ page, picture }) => {
  await openFile(page, 'leak.c');
  await chooseFrom(page, 'Lineheat: Profile Allocations', 'leak');
  await recorded(page, folder, 1);
  await eventually('the share of the leak', async () => {
    const row = (await decoratedLines(page)).find(({ text }) => text?.includes(LEAK));
    return /(9\d|100)[\d.]* % (self|total)/.test(row?.after.join(' ') ?? '');
  });
  const frame = await eventually('the page of the run', () => pageFrame(page));
  await eventually('Allocated is chosen', async () =>
    frame.getByRole('switch', { name: 'allocated memory', checked: true }).isVisible(),
  );
  await frame.getByRole('tab', { name: 'Allocations' }).click();
  const row = frame.getByRole('grid', { name: 'Allocations' }).locator('.table-row').first();
  await eventually('the row of the leak', async () => /leak\.c:5/.test(await row.innerText()));
  await picture('profile-allocations');
});

story('of a static program, the message says why there is nothing', async ({ page, picture }) => {
  await chooseFrom(page, 'Lineheat: Profile Allocations', 'whole');
  await recorded(page, folder, 2);
  const toast = page.locator('.notification-toast', { hasText: 'What whole allocates was not recorded' });
  await toast.waitFor();
  assert.match(await toast.innerText(), /statically linked/);
  await picture('profile-allocations-static');
});
