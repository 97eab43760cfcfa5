// From the palette to heat in ten workspaces that a newcomer may open, none of them prepared for profiling.
// Writes each workspace's steps and result to artifacts/first-minute.md, the table of docs/benchmarks.md.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { workbenchAddress } from '../../../scripts/editor/browser.mjs';
import { decoratedLines } from '../../../scripts/editor/marks.mjs';
import { answer, chooseFrom, listedRow, openFile, pickRow, runCommand } from '../../../scripts/editor/palette.mjs';
import { run } from '../../../scripts/steps/command.mjs';
import { artifacts, engine } from '../../../scripts/steps/paths.mjs';
import { recorded, savedRuns } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';
import { makeWorkspaces, workspaces } from './support/workspaces.mjs';

const CHOICES_MAX = 3; // the command in the palette among them
const LOADS_MAX = 8;
const base = mkdtempSync(path.join(os.tmpdir(), 'lineheat-minute-'));
const rows = [];
let made = [];
let server;
const story = storyIn(base, {
  prepare: async () => {
    made = await makeWorkspaces(base);
  },
  remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
});
after(() => {
  server?.kill();
  const head = '| workspace | choices after the palette | heat of the hot line |\n|---|---|---|';
  writeFileSync(path.join(artifacts, 'first-minute.md'), `${[head, ...rows].join('\n')}\n`);
});

/** The box that asks for a command is open: not the list before it, which has a box, too. */
const commandAsked = (page) =>
  page
    .locator('.quick-input-title')
    .filter({ hasText: /^Run a Command$/ })
    .waitFor();

/** After a folder, the editor in the browser may show a .code-workspace without its folders until it is loaded again. */
async function openWorkspace(page, address) {
  for (let loads = 1; ; loads++) {
    await page.goto(address);
    const listed = page.locator('.explorer-folders-view .monaco-list-row').first();
    const failure = await listed.waitFor({ timeout: 10_000 }).catch((error) => error);
    if (!failure) return;
    if (loads === LOADS_MAX) throw failure;
  }
}

/** What the program that is being recorded reads from its terminal. */
async function typeInTerminal(page, text) {
  await page.locator('.statusbar-item').filter({ hasText: 'Stop and Keep' }).waitFor();
  // A click could meet the terminal of an earlier program.
  await runCommand(page, 'Terminal: Focus Terminal');
  await page.keyboard.type(`${text}\n`);
}

for (const [at, { name }] of workspaces.entries())
  story(name, async ({ page, server: editor, picture }) => {
    const { folder, workspace, choices, hot, run: runName, types, server: program } = made[at];
    assert.ok(1 + choices.length <= CHOICES_MAX, 'more choices than a newcomer should have to make');
    if (program) server = spawn(program(folder), { stdio: 'ignore' });
    await openWorkspace(page, workbenchAddress(editor, folder, [], workspace));
    await openFile(page, hot[0]);

    const [first, ...others] = choices;
    await chooseFrom(page, 'Lineheat: Profile This Target', first);
    for (const choice of others) {
      if (!choice.answer) await pickRow(page, choice, { timeoutMs: 120_000 });
      else {
        await commandAsked(page);
        await answer(page, choice.answer);
      }
    }
    if (types) await typeInTerminal(page, types);
    await recorded(page, folder, 1);
    server?.kill();
    server = undefined;

    const marked = await eventually(
      `heat on "${hot[1]}"`,
      async () => (await decoratedLines(page)).find((row) => row.after.length > 0 && row.text?.includes(hot[1])),
      { timeoutMs: 60_000 },
    );
    await picture(`first-minute-${at + 1}`);
    const [file] = savedRuns(folder);
    const { lines } = JSON.parse(await run(engine, ['report', file, '--lines', '--json']));
    assert.equal(path.basename(lines[0].file), hot[0], 'another file is hotter');
    if (runName) {
      await runCommand(page, 'Lineheat: Focus on Runs View');
      await page.locator('.pane-body .monaco-list-row').filter({ hasText: runName }).first().waitFor();
    }
    const words = choices.map((choice) => choice.answer ?? choice).join(' → ');
    rows.push(`| ${name} | ${choices.length}: ${words} | ${marked.after.join(' ')} |`);
  });

story('Profile Again repeats a typed command, and the list of commands offers it', async ({ page, picture }) => {
  const { folder, choices } = made.at(-1);
  const { answer: line } = choices.at(-1);
  await runCommand(page, 'Lineheat: Profile Again');
  await typeInTerminal(page, '1000000');
  await recorded(page, folder, 2);
  const command = async (file) => (await run(engine, ['report', file])).includes('python3');
  assert.ok(await command(savedRuns(folder)[1]), 'another program was recorded');
  await chooseFrom(page, 'Lineheat: Profile This Target', 'Run a Command…');
  await commandAsked(page);
  await listedRow(page, line);
  await picture('first-minute-history');
  await page.keyboard.press('Escape');
});

story('a command that only a shell understands is refused with the reason', async ({ page, picture }) => {
  await chooseFrom(page, 'Lineheat: Profile This Target', 'Run a Command…');
  await commandAsked(page);
  await answer(page, 'python3 main.py > out.txt');
  await listedRow(page, '> redirects input or output, which only a shell can do');
  await picture('first-minute-shell');
  await page.keyboard.press('Escape');
});

story('Browse for a Program… records a program of another folder', async ({ page }) => {
  const { folder } = made.at(-1);
  const program = path.join(made.find(({ folder: one }) => one.endsWith('/prebuilt')).folder, 'bin/burn');
  await chooseFrom(page, 'Lineheat: Profile This Target', 'Browse for a Program…');
  const dialog = page.locator('.quick-input-widget').filter({ hasText: 'Browse for a Program' });
  // The dialog writes into its box whenever it has listed a folder: what was entered before that must be entered again,
  // and an Enter before its list has followed only leads to the folder.
  await dialog.waitFor();
  const box = dialog.locator('input[type=text]');
  const enter = async () => {
    await box.fill(program, { timeout: 5000 });
    await listedRow(page, 'burn', { timeoutMs: 5000 });
    await box.press('Enter', { timeout: 5000 });
  };
  await eventually(
    'the program is taken',
    async () => {
      if (await dialog.isVisible()) await enter().catch(() => undefined);
      await page.waitForTimeout(1000);
      if (await dialog.isVisible()) return false;
      // An Enter that led to the folder hides the dialog for a moment, too.
      await page.waitForTimeout(2000);
      return !(await dialog.isVisible());
    },
    { timeoutMs: 90_000 },
  );
  await recorded(page, folder, 3);
  assert.match(await run(engine, ['report', savedRuns(folder)[2]]), /burn/);
});
