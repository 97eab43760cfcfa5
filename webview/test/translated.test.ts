// The page in another language: each text of the export in brackets, handed over as the host does it. What a page shows then
// without brackets is either foreign (a name, a figure) or was never translated.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openPage, type PanelPage, showComparison, showRun, startBrowser, wordsOf } from './browserPage.ts';
import { serveRun } from './fakeRun.ts';
import { shopComparedFunctions, shopComparedGraph, shopComparedLines, shopFunctions, shopGraph } from './shop.ts';

type Exported = Record<string, string | { readonly message: string }>;
const exported: Exported = JSON.parse(fs.readFileSync(new URL('../../l10n/bundle.l10n.json', import.meta.url), 'utf8'));
const translations = Object.fromEntries(
  Object.entries(exported).map(([key, text]) => [key, `⟦${typeof text === 'string' ? text : text.message}⟧`]),
);

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

/** Parts of the page that hold names, figures or keys only. */
const FOREIGN = [
  ...['.title', '.side-name', '.facts', 'canvas', 'style', 'script', 'kbd', '.menu-keys', '.callers-of'],
  ...['.cell-name', '.cell-module', '.cell-line', '.elided-name', '[role=treeitem]', '.details', '.tooltip'],
  ...['.timeline-thread', '.timeline-row', '.timeline-key.tinted', '.timeline-tooltip'],
].join(', ');

/** A mark, as icons are. */
const MATCH_CASE = 'Aa';

/** Words of the page that carry no bracket: texts of elements, and what is read out or shown beside them. */
async function plainWords(panel: PanelPage): Promise<string[]> {
  const shown = await panel.page.evaluate(
    (foreign) =>
      [...document.body.querySelectorAll('*')]
        .filter((element) => !element.closest(foreign))
        .flatMap((element) => [
          ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent),
          ...['aria-label', 'title', 'placeholder', 'label'].map((name) => element.getAttribute(name)),
        ]),
    FOREIGN,
  );
  const words = shown.map((text) => text?.trim() ?? '');
  const isFigure = (text: string) => /^[^\p{L}]*(ns|µs|ms|s|pp)?[^\p{L}]*$/u.test(text);
  return [...new Set(words.filter((text) => !isFigure(text) && text !== MATCH_CASE && !/[⟦⟧]/.test(text)))];
}

async function onPage(act: (panel: PanelPage) => Promise<void>) {
  const panel = await openPage(browser, { translations });
  try {
    await act(panel);
    assert.deepEqual(await panel.faults(), []);
  } finally {
    await panel.close();
  }
}

test('a page that waits for its profile says so in the language of the user', () =>
  onPage(async (panel) => {
    assert.equal(await wordsOf(panel.page.locator('.message-text')), '⟦Opening the profile…⟧');
  }));

test('a run has no text in English: header, tools, graph, table, menu and help', () =>
  onPage(async (panel) => {
    await panel.post(showRun());
    await panel.postView('flameGraph', shopGraph);
    await panel.postView('functions', shopFunctions);
    await panel.page.locator('.table-row').first().click({ button: 'right' });
    assert.ok((await panel.page.locator('.menu-label').allTextContents()).includes('⟦Copy Name⟧'));
    assert.deepEqual(await plainWords(panel), []);
  }));

test('timeline and selection have no text in English', () =>
  onPage(async (panel) => {
    const host = await serveRun(panel.page, { threads: 8, seconds: 4, samplesWithoutTime: 3 });
    await panel.post(showRun());
    await panel.post(host.first());
    await panel.postView('flameGraph', shopGraph);
    await panel.postView('functions', shopFunctions);
    await panel.page.locator('.timeline-grid').focus();
    for (const key of [
      'ArrowDown',
      'ArrowDown',
      'ArrowRight',
      'Shift+End',
      'Shift+ArrowDown',
      'k',
      'Control+z',
      'Shift+Home',
    ])
      await panel.page.keyboard.press(key);
    await panel.page.waitForTimeout(250);
    await panel.page.locator('.timeline-row').nth(2).click({ button: 'right' });
    assert.deepEqual(await plainWords(panel), []);
  }));

test('a comparison has no text in English', () =>
  onPage(async (panel) => {
    await panel.post(showComparison());
    await panel.postView('comparedFlameGraph', shopComparedGraph);
    await panel.postView('comparedFunctions', shopComparedFunctions);
    await panel.postView('comparedLines', shopComparedLines);
    assert.deepEqual(await plainWords(panel), []);
  }));

test('a figure keeps its place in a translated sentence, and a part of its own is drawn in it', () =>
  onPage(async (panel) => {
    await panel.post(showRun({ problems: ['One.', 'Two.'] }));
    assert.equal(await wordsOf(panel.page.locator('.problem-words')), '⟦2 things to know about these figures⟧');
    const drawn = await panel.page.locator('.summary-more').allTextContents();
    assert.deepEqual(drawn, ['⟦', ' things to know about these figures⟧']);
  }));
