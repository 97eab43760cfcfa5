// Names that an enemy chose, in a profile, in file names and in the name of a program, on every surface of a real editor:
// no element, no request, no link that runs a command, and every character to be seen.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hoverOver } from '../../../scripts/editor/marks.mjs';
import {
  chooseFrom,
  knowsCommand,
  listedRow,
  listedRows,
  openFile,
  runCommand,
} from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { run } from '../../../scripts/steps/command.mjs';
import { evilNames } from '../../../webview/test/evilNames.ts';
import { evilProfile } from '../support/evilProfile.ts';
import { searchFor } from './support/graph.mjs';
import { recorded } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-evil-'));
const source = path.join(folder, 'evil.cpp');
const clicked = '[click](command:workbench.action.files.newUntitledFile)';
const story = storyIn(folder, {
  prepare: async () => {
    const second = path.join(folder, 'second.c');
    writeFileSync(
      second,
      'int main(void) { volatile double s = 0; for (long i = 1; i < 300000000; i++) s += 1.0 / i; }\n',
    );
    await run('gcc', ['-O1', '-g', '-o', path.join(folder, clicked), second]);
    writeFileSync(source, evilNames.map((_, at) => `int f${at}(int a) { return a + ${at}; }`).join('\n'));
    const named = evilNames.map((name, at) => ({ name, file: source, line: at + 1 }));
    const texts = {
      module: '<img src=https://host.example/m>',
      unit: '![u](https://host.example/u.png)',
      type: clicked,
    };
    const profile = evilProfile(named, texts);
    writeFileSync(path.join(folder, 'evil.pb.gz'), profile);
    const runs = path.join(folder, '.lineheat/runs');
    mkdirSync(runs, { recursive: true });
    for (const name of ['<img src=x onerror=evil=1>', clicked, '\u202egnp\u001b[31m', '$(flame) **b** `c`'])
      writeFileSync(path.join(runs, `${name}.pb.gz`), evilProfile(named, { ...texts, module: name }));
  },
});

const requested = [];
const listening = new WeakSet();
/** Requests to anyone but the editor's server, from now on; only the first call begins. */
function watch({ page, server }) {
  if (!listening.has(page))
    page.context().on('request', (request) => {
      const { protocol, host } = new URL(request.url());
      if (/^(https?|wss?):$/.test(protocol) && host !== server.authority) requested.push(request.url());
    });
  listening.add(page);
}

/** What a name would have made of itself, in the window and in every webview. */
async function made(page) {
  const found = [];
  for (const frame of page.frames()) {
    const words = await frame
      .evaluate(() => [
        ...[
          ...document.querySelectorAll('img[src*="host.example"], img[src="x"], [onerror], [onload], [onmouseover]'),
        ].map((element) => element.outerHTML),
        ...[...document.querySelectorAll('a')]
          .map((link) => link.dataset.href ?? link.getAttribute('href') ?? '')
          .filter((link) => /^(command:(?!lineheat\.goto\?)|javascript:|https?:\/\/host\.example)/.test(link)),
        ...(window.evil === undefined ? [] : ['a script ran']),
      ])
      .catch(() => []); // a frame that is going
    found.push(...words);
  }
  return found;
}

story('the flame graph and the table of evil names', async (session) => {
  const { page, picture } = session;
  watch(session);
  await knowsCommand(page, 'Lineheat: Doctor');
  await openFile(page, 'evil.pb.gz');
  const graph = await webviewWith(page, '.graph canvas');
  await searchFor(graph, '__proto__');
  await searchFor(graph, 'onerror');
  await graph.locator('vscode-textfield.search-field input').fill('');
  const text = await eventually('all names', async () => {
    const words = (await graph.locator('body').textContent()) ?? '';
    return words.includes('\\x1b[31mred') && words.includes('\\u202egnp') ? words : undefined;
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u200b\u202a-\u202e\u2066-\u2069]/);
  assert.deepEqual(await made(page), []);
  await picture('evil-1-graph');
});

story('the hovers of their lines', async ({ page, picture }) => {
  await openFile(page, 'evil.cpp');
  for (const at of [0, 3, 9, 12, 16]) {
    const words = await hoverOver(page, `int f${at}(int`);
    assert.match(words, /self/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    assert.doesNotMatch(words, /[\u0000-\u0008\u000b-\u001f\u200b\u202a-\u202e\u2066-\u2069]/);
    assert.deepEqual(await made(page), []);
  }
  await picture('evil-2-hover');
});

story('the Runs view and the list of runs, with evil file names', async ({ page, picture }) => {
  await page.locator('.activitybar .action-label[aria-label^="Lineheat"]').click();
  const rows = page.locator('.pane-body .monaco-list-row');
  await rows.nth(3).waitFor();
  const texts = (await rows.allInnerTexts()).join('\n');
  assert.match(texts, /\\u202egnp\\x1b\[31m/);
  let hovers = 0;
  for (const row of await rows.all()) {
    await page.mouse.move(800, 1200);
    await row.hover();
    await page.waitForTimeout(1500);
    if ((await page.locator('.monaco-hover').filter({ hasText: 'Target' }).count()) > 0) hovers++;
    assert.deepEqual(await made(page), []);
  }
  assert.notEqual(hovers, 0);
  await picture('evil-3-runs');
  await runCommand(page, 'Lineheat: Open Saved Run');
  await listedRow(page, '<img src'); // the rows before are those of the palette
  const listed = (await listedRows(page)).join('\n');
  for (const name of ['$(flame) **b** `c`', '\\u202egnp\\x1b[31m', '<img src=x onerror=evil=1>', clicked])
    assert.ok(listed.includes(name), listed);
  assert.deepEqual(await made(page), []);
  await page.keyboard.press('Escape');
});

story('the messages about a program whose name is a link', async ({ page, picture }) => {
  await chooseFrom(page, 'Lineheat: Profile This Target', 'click');
  const toast = page.locator('.notification-toast').filter({ hasText: 'click' });
  await toast.first().waitFor();
  assert.deepEqual(await made(page), []);
  await recorded(page, folder, 5);
  await toast
    .filter({ hasText: /exited|killed|ended/ })
    .first()
    .waitFor();
  await picture('evil-4-messages');
  assert.equal(await page.locator('.notification-toast .notification-list-item-message a').count(), 0);
  assert.deepEqual(await made(page), []);
});

story('nobody was asked for anything, and nothing was opened', async ({ page }) => {
  // The editor answers for these itself: the page's own two files.
  const own = /^https:\/\/[^/]+\.vscode-resource\.vscode-cdn\.net\/.*\/dist\/webview\/panel\.(css|js)$/;
  assert.deepEqual(
    requested.filter((address) => !own.test(address)),
    [],
  );
  const tabs = await page.locator('.tab').allInnerTexts();
  assert.equal(
    tabs.some((title) => /Untitled/.test(title)),
    false,
    tabs.join(),
  );
});
