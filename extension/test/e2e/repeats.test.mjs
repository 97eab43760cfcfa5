// Profile Repeatedly and Sweep Parameters by the keyboard: their questions, answers that are refused, changes of mind, and
// Profile Again after each.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { answer, chooseFrom, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { run } from '../../../scripts/steps/command.mjs';
import { engine } from '../../../scripts/steps/paths.mjs';
import { recorded, savedRuns } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-repeats-'));
/** Does millions of rounds, as many as its first argument says, and tells how many. */
const source = `#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const long millions = argc > 1 ? std::atol(argv[1]) : 20;
  double sum = 0;
  for (long i = 1; i <= millions * 1000000; i++) sum += 1.0 / (double)(i % 7 + 1) / (double)i;
  std::printf("items: %ld\\n%f\\n", millions, sum);
}
`;
const story = storyIn(folder, {
  prepare: async () => {
    writeFileSync(path.join(folder, 'rounds.cpp'), source);
    await run('g++', ['-O2', '-g', '-o', 'rounds', 'rounds.cpp'], { cwd: folder });
  },
});

const HOW_OFTEN = /^How many times should the program run\?/;
const WARM_UP = /^How many warm-up executions first/;
const WORK = /^The work of each execution:/;
const PARAMETERS = /^Parameters with their values/;
const ARGUMENTS = /^Arguments, with \{millions\} in place of the values/;

/** Waits for a question, which stands below the field where a refusal stands, too. */
async function asked(page, question) {
  const words = page.locator('.quick-input-widget .quick-input-message');
  await eventually(`the question ${question}`, async () => question.test((await words.textContent()) ?? ''));
}

/** Answers what cannot be; Enter leaves the question open, and gives what it says. */
async function refused(page, text) {
  const words = page.locator('.quick-input-widget .quick-input-message');
  await answer(page, text);
  await eventually(
    'a refusal',
    async () => (await page.locator('.quick-input-widget .monaco-inputbox.error').count()) > 0,
  );
  await page.keyboard.press('Enter');
  return words.textContent();
}

const isRecording = (page) => page.locator('.statusbar-item').filter({ hasText: 'Stop and Keep' }).count();

/** A while later nothing is asked and nothing has been started. */
async function nothingStarts(page, runs) {
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  await page.waitForTimeout(2000);
  assert.equal(await isRecording(page), 0);
  assert.equal(savedRuns(folder).length, runs);
}

const executionsOf = async (file) => JSON.parse(await run(engine, ['report', file, '--json'])).executions;
/** The runs that came after `former`, each with its executions as [warm-up, work]. */
async function recordedAfter(page, former, count) {
  await recorded(page, folder, former.length + count);
  const added = savedRuns(folder).filter((file) => !former.includes(file));
  return Promise.all(added.map(async (file) => (await executionsOf(file)).map(({ warmUp, work }) => [warmUp, work])));
}
const twiceOf = (work) => [
  [true, work],
  [false, work],
  [false, work],
];

story('Escape on the second question of Profile Repeatedly starts nothing', async ({ page }) => {
  await chooseFrom(page, 'Lineheat: Profile Repeatedly…', 'rounds');
  await asked(page, HOW_OFTEN);
  await answer(page, '2');
  await asked(page, WARM_UP);
  await page.keyboard.press('Escape');
  await nothingStarts(page, 0);
});

story('Profile Repeatedly says what an answer must be, and records as it was answered', async ({ page, picture }) => {
  const former = savedRuns(folder);
  await chooseFrom(page, 'Lineheat: Profile Repeatedly…', 'rounds');
  await asked(page, HOW_OFTEN);
  assert.equal(await page.locator('.quick-input-widget input[type=text]').inputValue(), '2', 'the answer before');
  assert.match(await refused(page, 'often'), /^Enter a whole number from 1 to 10000\./);
  await picture('repeats-1-refused');
  await answer(page, '2');
  await asked(page, WARM_UP);
  await answer(page, '1');
  await asked(page, WORK);
  assert.match(await refused(page, 'items: \\d+'), /^Put the number into a group, such as items: \(\\d\+\)/);
  await answer(page, 'items: (\\d+)');
  assert.deepEqual(await recordedAfter(page, former, 1), [twiceOf(20)]);
});

story('Profile Again asks nothing and repeats as often', async ({ page }) => {
  const former = savedRuns(folder);
  await runCommand(page, 'Lineheat: Profile Again');
  assert.deepEqual(await recordedAfter(page, former, 1), [twiceOf(20)]);
});

story('Escape on the second question of Sweep Parameters starts nothing', async ({ page }) => {
  await chooseFrom(page, 'Lineheat: Sweep Parameters…', 'rounds');
  await asked(page, PARAMETERS);
  await answer(page, 'millions=10,30');
  await asked(page, ARGUMENTS);
  await page.keyboard.press('Escape');
  await nothingStarts(page, 2);
});

story('Sweep Parameters wants values and a place for them, and shows its page', async ({ page, picture }) => {
  const former = savedRuns(folder);
  await chooseFrom(page, 'Lineheat: Sweep Parameters…', 'rounds');
  await asked(page, PARAMETERS);
  assert.match(await refused(page, 'millions'), /^"millions" is not NAME=VALUE,VALUE…, such as threads=1,2,4/);
  await picture('repeats-2-parameters');
  await answer(page, 'millions=10,30');
  await asked(page, ARGUMENTS);
  assert.match(
    await refused(page, '10'),
    /^The arguments do not contain \{millions\}: put it where its value belongs\./,
  );
  await answer(page, '{millions}');
  await asked(page, HOW_OFTEN);
  await answer(page, '2');
  await asked(page, WARM_UP);
  await answer(page, '1');
  await asked(page, WORK);
  await page.keyboard.press('Enter');
  const cells = await recordedAfter(page, former, 2);
  assert.deepEqual(
    cells.sort((a, b) => a[0][1] - b[0][1]),
    [twiceOf(10), twiceOf(30)],
  );
  const panel = await webviewWith(page, '.sweep-chart');
  assert.equal(await panel.locator('.sweep-point').count(), 2);
  await picture('repeats-3-sweep');
});

story('Profile Again records the same sweep', async ({ page }) => {
  const former = savedRuns(folder);
  await runCommand(page, 'Lineheat: Profile Again');
  const cells = await recordedAfter(page, former, 2);
  assert.deepEqual(
    cells.sort((a, b) => a[0][1] - b[0][1]),
    [twiceOf(10), twiceOf(30)],
  );
});
