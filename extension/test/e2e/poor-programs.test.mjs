// Programs that give little to look at: one that does not compile, that crashes, that is over at once, or that has no
// line information. What went wrong is where a user looks for it, with the next step at hand.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chooseFrom, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { recorded, savedRuns } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const burning = (turns, end) => `#include <stdio.h>
#include <stdlib.h>
static volatile double sum;
static void burn(long turns) {
  for (long i = 1; i <= turns; i++) sum += 1.0 / (double)i;
}
int main(void) {
  burn(${turns});
  ${end}
}
`;
const sources = {
  'broken.c': burning(1, 'return gone;'),
  'crash.c': burning(100_000_000, 'puts("on the way down"); fflush(stdout); abort();'),
  'short.c': burning(1_500_000, 'return 0;'),
  'stripped.c': burning(200_000_000, 'return 0;'),
};
const Makefile = `CFLAGS = -O2 -g
all: broken crash short stripped
stripped: stripped.c
\t$(CC) -O2 -s -o $@ $<
`;

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-poor-'));
const story = storyIn(folder, {
  prepare: () => {
    for (const [name, text] of Object.entries({ ...sources, Makefile })) writeFileSync(path.join(folder, name), text);
  },
});

const profile = (page, name) => chooseFrom(page, 'Lineheat: Profile This Target', name);
const toast = (page, text) => page.locator('.notification-toast').filter({ hasText: text }).first();
const clear = (page) => runCommand(page, 'Notifications: Clear All Notifications');

story('a failed build has its messages in Problems, one press away', async ({ page, picture }) => {
  await profile(page, 'broken');
  const said = toast(page, 'so nothing was recorded');
  await said.getByRole('button', { name: 'Show Problems' }).click();
  const panel = page.locator('.markers-panel');
  await panel
    .getByText(/gone. undeclared/)
    .first()
    .waitFor();
  await picture('poor-0-build');
  await panel
    .getByText(/gone. undeclared/)
    .first()
    .dblclick();
  await page.locator('.tab.active').filter({ hasText: 'broken.c' }).waitFor();
  assert.deepEqual(savedRuns(folder), []);
  // Make builds its default goal, of which this one is a part.
  writeFileSync(path.join(folder, 'broken.c'), burning(1, 'return 0;'));
  await clear(page);
});

story('a crash is a warning with the name of the signal, and its last words are at hand', async ({ page, picture }) => {
  await profile(page, 'crash');
  await recorded(page, folder, 1);
  const said = toast(page, 'SIGABRT');
  await said.waitFor();
  assert.equal(await said.locator('.codicon-warning').count(), 1);
  await picture('poor-1-crash');
  await said.getByRole('button', { name: 'Show Terminal' }).click();
  await eventually(
    'the last words',
    async () => (await page.locator('.terminal-wrapper .xterm-rows, .terminal-wrapper canvas').count()) > 0,
  );
  await picture('poor-2-crash-terminal');
  await clear(page);
});

story(
  'a program that is over at once is said to have few samples, with the command that repeats it',
  async (session) => {
    const { page, picture } = session;
    await profile(page, 'short');
    await recorded(page, folder, 2);
    const said = toast(page, 'shares are mostly chance');
    await said.waitFor();
    await picture('poor-3-short');
    await said.getByRole('button', { name: 'Profile Repeatedly…' }).click();
    await page.locator('.quick-input-widget').filter({ visible: true }).waitFor();
    await picture('poor-4-short-repeat');
    await page.keyboard.press('Escape');
    await runCommand(page, 'Lineheat: Show Flame Graph');
    const graph = await webviewWith(page, '.header');
    await graph.getByRole('button', { name: 'Profile Repeatedly…' }).first().waitFor();
    await picture('poor-5-short-graph');
    await clear(page);
  },
);

story('a stripped program is shown with what it lacks', async ({ page, picture }) => {
  await profile(page, 'stripped');
  await recorded(page, folder, 3);
  await toast(page, 'stripped').waitFor();
  await picture('poor-6-stripped');
  await runCommand(page, 'Lineheat: Show Flame Graph');
  await webviewWith(page, '.header');
  await picture('poor-7-stripped-graph');
});
