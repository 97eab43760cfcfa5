// The story of an edit: a CMake target is profiled, its source changed, and the build from before the change is run
// alternately with the new one. The line above the loops shifts all lines; each is compared with itself.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { decoratedLines } from '../../../scripts/editor/marks.mjs';
import { answer, chooseFrom, openFile, pickRow, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { run } from '../../../scripts/steps/command.mjs';
import { engine } from '../../../scripts/steps/paths.mjs';
import { recorded, savedRuns } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-last-build-'));
const file = (name) => path.join(folder, name);
const SAME = 'total += 1.0';
const CHANGED = 'round++';
const SOURCE = `#include <cstdio>

__attribute__((noinline)) static double scramble(long turns) {
  double sum = 0;
  for (long turn = 1; turn <= turns; turn++) {
    double mixed = (double)turn;
    for (int round = 0; round < 8; round++) mixed = 1.0 / mixed + (double)round;
    sum += mixed;
  }
  return sum;
}

__attribute__((noinline)) static double count(long turns) {
  double total = 0;
  for (long turn = 1; turn <= turns; turn++)
    total += 1.0 / (double)(turn % 7 + 1);
  return total;
}

int main() {
  std::printf("%f %f\\n", scramble(5000000), count(50000000));
}
`;
const EDITS = [
  ['#include <cstdio>\n', '#include <cstdio>\n// fifteen rounds\n'],
  ['round < 8', 'round < 15'],
];
const changeRounds = (from, to) =>
  writeFileSync(file('work.cpp'), readFileSync(file('work.cpp'), 'utf8').replace(`round < ${from};`, `round < ${to};`));
const lineOf = (text, words) => 1 + text.split('\n').findIndex((line) => line.includes(words));

const story = storyIn(folder, {
  prepare: async () => {
    writeFileSync(file('work.cpp'), SOURCE);
    writeFileSync(
      file('CMakeLists.txt'),
      'cmake_minimum_required(VERSION 3.16)\nproject(work CXX)\nadd_executable(work work.cpp)\n',
    );
  },
});

const COMPARE = 'Lineheat: Compare with My Last Build';
const toast = (page, words) => page.locator('.notification-toast').filter({ hasText: words });
const question = (page, words) => page.locator('.quick-input-widget .quick-input-message').filter({ hasText: words });
const kept = () => readdirSync(file('.lineheat/builds'));

story('a target that is profiled is kept', async ({ page }) => {
  await openFile(page, 'work.cpp');
  await chooseFrom(page, 'Lineheat: Profile This Target', 'Configure CMake');
  await pickRow(page, 'work');
  await recorded(page, folder, 1);
  await eventually('a kept build', () => kept().length === 1);
});

story('without a change it is said that there is nothing to compare', async ({ page, picture }) => {
  await runCommand(page, COMPARE);
  const told = toast(page, 'The program work has not changed since it was last profiled');
  await told.waitFor({ timeout: 120_000 });
  assert.match(await told.innerText(), /Change the program and compare again\./);
  await picture('last-build-1-unchanged');
  await runCommand(page, 'Notifications: Clear All Notifications');
  assert.equal(savedRuns(folder).length, 1);
});

story(
  'after a change both builds run alternately, and the panel begins with the verdict',
  async ({ page, picture }) => {
    const changed = EDITS.reduce((text, [from, to]) => text.replace(from, to), SOURCE);
    writeFileSync(file('work.cpp'), changed);
    await runCommand(page, COMPARE);
    await question(page, 'How many times should each build run?').waitFor({ timeout: 120_000 });
    assert.equal(await page.locator('.quick-input-widget input[type=text]').inputValue(), '10');
    assert.match(await page.locator('.quick-input-title').innerText(), /^Compare work with Its Build Profiled at \d/);
    await picture('last-build-2-question');
    await answer(page, '5');
    await question(page, 'How many warm-up executions first').waitFor();
    await answer(page, '1');
    await question(page, 'The work of each execution').waitFor();
    await answer(page, '');
    await toast(page, /(last|new) build · (execution \d of 5|warming up)/)
      .first()
      .waitFor({ timeout: 120_000 });
    await picture('last-build-3-recording');
    await recorded(page, folder, 3);
    const panel = await webviewWith(page, '.graph canvas');
    const title = panel.locator('h1');
    await eventually('the verdict', async () => /slower/.test((await title.textContent()) ?? ''), {
      timeoutMs: 60_000,
    });
    assert.match(await title.textContent(), /^▲New is \d+(\.\d+)? % slower than base \(.* to .*\)/);
    assert.equal(await panel.locator('.repeats .dot').count(), 10);
    const rowOf = (name) => panel.locator('.comparedFunctions .table-row', { hasText: name }).first();
    assert.match(await rowOf('scramble').textContent(), /^▲\+.*\+\d+\.\d % (±|\()/);
    await picture('last-build-4-panel');
  },
);

story('each line is compared with itself, where it is now', async ({ page, picture }) => {
  await openFile(page, 'work.cpp');
  const text = readFileSync(file('work.cpp'), 'utf8');
  const rows = () => decoratedLines(page);
  const marked = (words) =>
    eventually(
      `a figure behind "${words}"`,
      async () => (await rows()).find((row) => row.after.length > 0 && row.text?.includes(words)),
      { timeoutMs: 90_000 },
    );
  assert.match((await marked(CHANGED)).after.join(' '), /▲ \+\d+\.\d %/);
  assert.match((await marked(SAME)).after.join(' '), /^[○▲▼] [+−±]\d+\.\d % (±|\()/);
  await picture('last-build-5-lines');
  const [, base, after] = savedRuns(folder); // by name: -base, -new
  const { lines } = JSON.parse(await run(engine, ['diff', base, '--against', after, '--lines', '--json']));
  const of = (words) => lines.find((row) => row.file.endsWith('/work.cpp') && row.line === lineOf(text, words));
  for (const words of [SAME, CHANGED]) {
    assert.equal(lineOf(text, words), lineOf(SOURCE, words) + 1);
    const { baseLine, baseSamples, newSamples } = of(words);
    assert.equal(baseLine, lineOf(SOURCE, words));
    assert.ok(baseSamples > 20 && newSamples > 20, `${words}: ${JSON.stringify(of(words))}`);
  }
});

story('both builds run until the difference is known', async ({ page, picture }) => {
  changeRounds(15, 30);
  await runCommand(page, COMPARE);
  await question(page, 'How many times should each build run?').waitFor({ timeout: 120_000 });
  await answer(page, '5%');
  await question(page, 'How many warm-up executions first').waitFor();
  await answer(page, '0');
  await question(page, 'The work of each execution').waitFor();
  await answer(page, '');
  await recorded(page, folder, 5);
  const panel = await webviewWith(page, '.graph canvas');
  const title = panel.locator('h1');
  await eventually('the verdict', async () => /slower/.test((await title.textContent()) ?? ''), { timeoutMs: 60_000 });
  const executions = await panel.locator('.repeats .dot').count();
  assert.ok(executions >= 10 && executions < 60, `${executions} executions`);
  await picture('last-build-6-until');
});

story('the runs are named, and the earlier one carries the former text', async ({ page, picture }) => {
  await page.locator('.activitybar .action-label[aria-label^="Lineheat"]').click();
  for (const name of ['work, last build', 'work, new build'])
    await page.locator('.pane-body .monaco-list-row').filter({ hasText: name }).first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Compare with My Last Build' }).first().isVisible(), true);
  const base = savedRuns(folder).find((name) => name.includes('-base'));
  const listing = await run(engine, ['annotate', base, 'work.cpp'], { cwd: folder });
  assert.match(listing, /round < 8/);
  assert.equal(kept().length, 3);
  await picture('last-build-7-runs');
});

story('Discard Recording leaves neither of the two runs', async ({ page }) => {
  await runCommand(page, COMPARE);
  for (const [words, text] of [
    ['How many times', '1000'],
    ['How many warm-up', '0'],
    ['The work of', ''],
  ]) {
    await question(page, words).waitFor({ timeout: 120_000 });
    await answer(page, text);
  }
  await toast(page, /(last|new) build · execution [2-9] of 1000/)
    .first()
    .waitFor({ timeout: 120_000 });
  await runCommand(page, 'Lineheat: Discard Recording');
  await recorded(page, folder, 5);
  assert.equal(savedRuns(folder).length, 5);
});

story('a build that could not be kept is named with the reason', async ({ page, picture }) => {
  changeRounds(30, 31);
  // The engine follows no links there.
  renameSync(file('.lineheat/builds'), file('builds'));
  symlinkSync(os.tmpdir(), file('.lineheat/builds'));
  await runCommand(page, 'Lineheat: Profile Again');
  await recorded(page, folder, 6);
  await runCommand(page, 'Notifications: Clear All Notifications');
  await runCommand(page, COMPARE);
  const told = toast(page, 'The build that was profiled last is not kept: ');
  await told.waitFor({ timeout: 120_000 });
  assert.match(await told.innerText(), /There is no earlier build of work to compare with\..*Check the folder/s);
  await picture('last-build-8-not-kept');
});

story('the comparison with an older build says that the last one is not kept', async ({ page, picture }) => {
  rmSync(file('.lineheat/builds'));
  renameSync(file('builds'), file('.lineheat/builds'));
  changeRounds(31, 32);
  await runCommand(page, 'Notifications: Clear All Notifications');
  await runCommand(page, COMPARE);
  const told = toast(page, 'The comparison is with the build profiled at ');
  await told.waitFor({ timeout: 120_000 });
  assert.match(await told.innerText(), /The build that was profiled last is not kept: .*\. The comparison is with/s);
  await picture('last-build-9-older');
  await page.keyboard.press('Escape');
});
