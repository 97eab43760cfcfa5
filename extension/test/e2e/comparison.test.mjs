// The story of a change that made one function slower: both versions recorded several times, compared in the editor with
// intervals, found by steps from change to change, read in a git diff, explained in the panel, and told in the Runs view.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codeLenses, decoratedLines, hoverOver } from '../../../scripts/editor/marks.mjs';
import { answer, openFile, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { run } from '../../../scripts/steps/command.mjs';
import { engine } from '../../../scripts/steps/paths.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-comparison-'));
const SAME = 'total += 1.0';
/** Two functions of about the same weight; `rounds` decides how long one of them takes, a comment shifts its lines. */
const source = (rounds, comment) => `#include <cstdio>
${comment}
__attribute__((noinline)) static double scramble(long turns) {
  double sum = 0;
  for (long turn = 1; turn <= turns; turn++) {
    double mixed = (double)turn;
    for (int round = 0; round < ${rounds}; round++) mixed = 1.0 / mixed + (double)round;
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
  std::printf("%f %f\\n", scramble(8000000), count(80000000));
}
`;
const git = (...words) =>
  run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', ...words], { cwd: folder });

async function recordVersion(name, rounds, comment) {
  writeFileSync(path.join(folder, 'work.cpp'), source(rounds, comment));
  await run('g++', ['-O2', '-g', '-o', 'work', 'work.cpp'], { cwd: folder });
  const output = path.join(folder, `.lineheat/runs/${name}.pb.gz`);
  mkdirSync(path.dirname(output), { recursive: true });
  const words = ['record', '--repeat', '5', '--warm-up', '1', '--name', name, '--output', output, '--', './work'];
  await run(engine, words, { cwd: folder });
}

const story = storyIn(folder, {
  prepare: async () => {
    await git('init', '-q');
    writeFileSync(path.join(folder, '.gitignore'), '.lineheat\nwork\n');
    await recordVersion('before', 8, '');
    await git('add', '-A');
    await git('commit', '-qm', 'eight rounds');
    await recordVersion('after', 15, '// fifteen rounds\n');
  },
});

const marked = async (page) => (await decoratedLines(page)).filter((row) => row.after.length > 0);
const markOf = (page, text) =>
  eventually(`a figure behind "${text}"`, async () => (await marked(page)).find((row) => row.text?.includes(text)), {
    timeoutMs: 90_000,
  });

story('two runs are compared: the panel begins with the verdict', async ({ page, picture }) => {
  await openFile(page, 'work.cpp');
  await runCommand(page, 'Lineheat: Compare Two Saved Runs');
  // By the keyboard: the pointer rests on a row, whose hover covers the next one.
  await page.locator('.quick-input-widget input[placeholder^="The base"]').waitFor();
  await answer(page, 'before');
  await page.locator('.quick-input-widget input[placeholder^="The new run"]').waitFor();
  await answer(page, 'after');
  const panel = await webviewWith(page, '.graph canvas');
  const title = panel.locator('h1');
  await eventually('the verdict', async () => /slower/.test((await title.textContent()) ?? ''), { timeoutMs: 60_000 });
  assert.match(await title.textContent(), /^▲New is \d+(\.\d+)? % slower than base \(.* to .*\)/);
  assert.equal(await panel.locator('.repeats .dot').count(), 10);
  const row = panel.locator('.comparedFunctions .table-row', { hasText: 'scramble' }).first();
  assert.match(await row.locator('.interval-text').textContent(), /^\+\d+\.\d % (±|\()/);
  await picture('comparison-1-panel');
});

story('the changed line is red with its interval; what is noise is grey', async ({ page, picture }) => {
  const slower = await eventually(
    'a line that became slower',
    async () => (await marked(page)).find((row) => row.after.join(' ').includes('▲')),
    { timeoutMs: 60_000 },
  );
  assert.match(slower.after.join(' '), /▲ \+\d+\.\d % (±\d|\()/);
  assert.ok(slower.background, 'a line that became slower has no tint');
  // Runs one after the other may drift, so the verdict of the unchanged loop is not ours to say; its interval is.
  const same = await markOf(page, SAME);
  assert.match(same.after.join(' '), /^[○▲▼] [+−±]\d+\.\d % (±|\()/);
  for (const { after, background } of await marked(page))
    assert.equal(/^(≈ )?[▲▼+−] /.test(after.join(' ')), background !== undefined, after.join(' '));
  await picture('comparison-2-lines');
});

story('lenses and the hover say verdict, interval, samples and method', async ({ page }) => {
  const lens = await eventually(
    'a lens of scramble',
    async () => (await codeLenses(page)).flatMap(({ titles }) => titles).find((title) => title.startsWith('▲')),
    { timeoutMs: 60_000 },
  );
  assert.match(lens, /^▲ \+\d+\.\d % .*slower · .* → .* per execution/);
  // The pointer may rest on a button, whose own hover would be read.
  await page.mouse.move(700, 1100);
  await page.locator('.monaco-hover:not(.hidden)').filter({ hasText: /\S/ }).waitFor({ state: 'detached' });
  const words = await hoverOver(page, SAME);
  assert.match(words, /(slower|faster|not distinguishable from noise): /);
  assert.match(words, /95 % interval/);
  assert.match(words, /CPU time per execution/);
});

story('Next Significant Change goes to the changed lines only', async ({ page }) => {
  await openFile(page, 'work.cpp');
  await page.keyboard.press('Control+Home');
  const coloured = (await marked(page)).filter(({ background }) => background).map(({ line }) => line);
  const seen = [];
  for (let step = 0; step < coloured.length; step++) {
    await page.keyboard.press('Control+F7');
    const next = await eventually('the next change', async () => {
      const status = page.locator('.statusbar-item').filter({ hasText: /^Ln \d+/ });
      const line = Number(/Ln (\d+)/.exec((await status.first().textContent()) ?? '')?.[1]);
      return line !== (seen.at(-1) ?? 1) ? line : undefined;
    });
    seen.push(next);
  }
  assert.deepEqual(seen, coloured);
});

story('in a git diff both sides carry their figures', async ({ page, picture }) => {
  await openFile(page, 'work.cpp');
  await runCommand(page, 'Git: Open Changes');
  await page.locator('.monaco-diff-editor').first().waitFor({ timeout: 60_000 });
  const sides = () =>
    page.evaluate(() =>
      ['.original', '.modified'].map((side) =>
        [...document.querySelectorAll(`.monaco-diff-editor ${side} .view-line span[class*="ced-"]`)]
          .map((span) => getComputedStyle(span, '::after').content)
          .filter((content) => content.includes('%')),
      ),
    );
  const both = await eventually(
    'figures on both sides',
    async () => {
      const figures = await sides();
      return figures.every((side) => side.length > 0) ? figures : undefined;
    },
    { timeoutMs: 60_000 },
  );
  for (const side of both)
    assert.ok(
      side.some((content) => content.includes('▲')),
      JSON.stringify(both),
    );
  await picture('comparison-3-diff');
  await runCommand(page, 'View: Close Editor');
});

story('the panel explains the change with the lines of both texts', async ({ page, picture }) => {
  const panel = await webviewWith(page, '.graph canvas');
  await panel.getByRole('tab', { name: 'Explain' }).click();
  const first = panel.locator('.explain-group li').first();
  await first.waitFor({ timeout: 60_000 });
  assert.match(await first.textContent(), /scramble/);
  await eventually('the text diff', async () => (await panel.locator('.line-added').count()) > 0);
  await picture('comparison-4-explain');
  await panel.locator('button.line-added').first().click();
  await page.locator('.tab.active').filter({ hasText: 'work.cpp' }).first().waitFor();
});

story('another unit is compared anew, in the panel and beside the lines', async ({ page }) => {
  const panel = await webviewWith(page, '.graph canvas');
  // The panel is narrow: what is drawn, and how, is below a button.
  await panel.getByRole('button', { name: 'View options' }).click();
  await panel.locator('vscode-single-select[aria-label="Unit of the comparison"]').click();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  const caption = panel.locator('.repeats-figure figcaption');
  await eventually('the other unit', async () =>
    /scaled to the size of base/.test((await caption.textContent()) ?? ''),
  );
  await eventually('lenses without the former unit', async () => {
    const titles = (await codeLenses(page)).flatMap((lens) => lens.titles);
    return titles.some((title) => title.includes(' → ')) && !titles.some((title) => title.includes('per execution'));
  });
});

const runRow = (page, name) => page.locator('.pane-body .monaco-list-row').filter({ hasText: name }).first();
const rowText = async (page, name) => (await runRow(page, name).textContent()) ?? '';

/** The items of the menu of a run in the Runs view. */
async function openMenu(page, name) {
  await runRow(page, name).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Rename…' }).waitFor();
  // A menu takes no click while it opens.
  await page.waitForTimeout(1000);
  return page.getByRole('menuitem').allTextContents();
}

async function chooseFromMenu(page, name, title) {
  await openMenu(page, name);
  await page.getByRole('menuitem', { name: title }).hover();
  await page.waitForTimeout(300);
  await page.keyboard.press('Enter');
}

const hasVerdict = (page, name) =>
  eventually(`the verdict of ${name}`, async () => /% slower than baseline/.test(await rowText(page, name)), {
    timeoutMs: 60_000,
  });

story('a pinned baseline gives later runs their verdict in the Runs view', async ({ page, picture }) => {
  await page.locator('.activitybar .action-label[aria-label^="Lineheat"]').click();
  await chooseFromMenu(page, 'before', 'Pin as Baseline');
  await hasVerdict(page, 'after');
  assert.match(await rowText(page, 'before'), /baseline/);
  await picture('comparison-5-baseline');
});

const hasNoBaseline = (page, names) =>
  eventually('rows without a baseline', async () => {
    const texts = await Promise.all(names.map((name) => rowText(page, name)));
    return texts.every((text) => text.includes('samples') && !text.includes('baseline'));
  });

story('a baseline that is deleted is pinned no more, and a later run has no verdict against it', async ({ page }) => {
  await chooseFromMenu(page, 'before', 'Delete');
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Delete' }).click();
  await runRow(page, 'before').waitFor({ state: 'detached' });
  await hasNoBaseline(page, ['after']);
  await recordVersion('later', 30, '// thirty rounds\n');
  await runRow(page, 'later').waitFor();
  // Longer than the verdict above took to come.
  await page.waitForTimeout(5000);
  await hasNoBaseline(page, ['after', 'later']);
  assert.ok(!(await openMenu(page, 'later')).some((title) => /Compare with Baseline|Unpin/.test(title)));
  await page.keyboard.press('Escape');
});

story('so is one whose file goes away', async ({ page, picture }) => {
  await chooseFromMenu(page, 'after', 'Pin as Baseline');
  await hasVerdict(page, 'later');
  rmSync(path.join(folder, '.lineheat/runs/after.pb.gz'));
  await runRow(page, 'after').waitFor({ state: 'detached' });
  await hasNoBaseline(page, ['later']);
  await picture('comparison-6-no-baseline');
});
