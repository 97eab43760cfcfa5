// The first minutes: the walkthrough with its pictures, and the doctor's page, in a dark and a light theme.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codeLenses } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, knowsCommand } from '../../../scripts/editor/palette.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-doctor-'));
const story = storyIn(folder);

async function useTheme({ page }, name, kind) {
  mkdirSync(path.join(folder, '.vscode'), { recursive: true });
  writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify({ 'workbench.colorTheme': name }));
  await page.locator(`.monaco-workbench.${kind}`).waitFor();
}

const themes = [
  ['Default Dark Modern', 'vs-dark'],
  ['Default Light Modern', 'vs'],
];

story('the walkthrough has four steps, each with its picture', async (session) => {
  const { page, picture } = session;
  await knowsCommand(page, 'Lineheat: Doctor');
  await chooseFrom(page, 'Welcome: Open Walkthrough...', 'Find the hot lines of a native program');
  const steps = page.locator('.getting-started-step');
  await steps.nth(3).waitFor();
  assert.equal(await steps.count(), 4);
  for (const [name, kind] of themes) {
    await useTheme(session, name, kind);
    for (const [at, title] of [
      'Check this machine',
      'Set up the profiling permission',
      'Profile a target',
      'Change, profile',
    ].entries()) {
      await steps.filter({ hasText: title }).locator('.step-title').first().click();
      await page.locator('.getting-started-media').first().waitFor();
      await page.waitForTimeout(600); // the picture is a webview, which fades in
      await picture(`walkthrough-${kind}-${at + 1}`);
    }
  }
});

story('its first button shows what this machine allows, and how to set it up', async (session) => {
  const { page, picture } = session;
  await page
    .locator('.getting-started-step')
    .filter({ hasText: 'Check this machine' })
    .locator('.step-title')
    .first()
    .click();
  await page.locator('.getting-started-step .monaco-button').filter({ hasText: 'Check This Machine' }).first().click();
  await page.locator('.tab.active').filter({ hasText: 'Lineheat Doctor' }).waitFor();
  const lenses = await eventually('lenses', async () => {
    const titles = (await codeLenses(page)).flatMap(({ titles: words }) => words);
    return titles.length >= 3 ? titles : undefined;
  });
  for (const title of ['Check Again', 'Set Up Profiling Permission', 'Remove Profiling Permission'])
    assert.ok(
      lenses.some((words) => words.includes(title)),
      lenses.join(' | '),
    );
  const text = (await page.locator('.monaco-editor .view-lines').last().innerText()).replaceAll('\u00a0', ' ');
  assert.match(text, /This machine (can|cannot) record/);
  assert.match(text, /(✓ ok|! costs|✗ missing) +Kernel/);
  for (const [name, kind] of themes) {
    await useTheme(session, name, kind);
    await page.waitForTimeout(300);
    await picture(`doctor-${kind}`);
  }
  // In a narrow window long sentences go on in the next line, below the first.
  await page.setViewportSize({ width: 900, height: 1250 });
  const wraps = await eventually('lines that are all in view', () =>
    page.evaluate(() => {
      const editor = [...document.querySelectorAll('.monaco-editor')].at(-1);
      const { right } = editor.getBoundingClientRect();
      const lines = [...editor.querySelectorAll('.view-line > span')];
      const numbers = [...editor.querySelectorAll('.line-numbers')].filter((one) => one.textContent.trim() !== '');
      const inView = lines.every((line) => line.getBoundingClientRect().right <= right);
      return inView && lines.length > numbers.length && { lines: lines.length, numbers: numbers.length };
    }),
  );
  assert.ok(wraps.lines > wraps.numbers, JSON.stringify(wraps));
  await picture('doctor-narrow');
});
