// A judged comparison on the page, in a real Chromium: the verdict first, intervals, repeats, facts, what is hatched, the
// explanation, other units, and frames without a box.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { wire } from '../../core/wire.ts';
import { openPage, type PanelPage, showComparison, startBrowser, wordsOf } from './browserPage.ts';
import { explainedShop, shownShop } from './comparison.ts';
import { evilNames } from './evilNames.ts';
import { shopJudgedFunctions, shopJudgedGraph, shopJudgedLines } from './shop.ts';
import { themes } from './themes.ts';

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

function onComparison(name: string, act: (panel: PanelPage) => Promise<void>) {
  test(name, async () => {
    const panel = await openPage(browser, { width: 1400, height: 800 });
    try {
      await showShop(panel);
      await act(panel);
      assert.deepEqual(await panel.faults(), []);
    } finally {
      await panel.close();
    }
  });
}

async function showShop(panel: PanelPage, comparison = shownShop) {
  await panel.post(showComparison({ comparison }));
  await panel.postView('comparedFlameGraph', shopJudgedGraph);
  await panel.postView('comparedFunctions', shopJudgedFunctions);
  await panel.postView('comparedLines', shopJudgedLines);
}
const textOf = (panel: PanelPage, selector: string) => wordsOf(panel.page.locator(selector).first());
const openTab = (panel: PanelPage, title: string) => panel.page.getByRole('tab', { name: title }).click();

onComparison('the verdict of the whole comes first, with its mark', async (panel) => {
  assert.equal(await textOf(panel, 'h1'), `▼${shownShop.sentence}`);
});

onComparison('the repeats are dots with words for who cannot see them', async (panel) => {
  const figure = panel.page.getByRole('img', {
    name: /The base side: 5 runs, median 3\.20 s, 3\.15 s to 3\.47 s, 1 of/,
  });
  assert.match(
    (await figure.getAttribute('aria-label'))!,
    /The new side: 5 runs, median 2\.40 s, 2\.38 s to 2\.45 s\./,
  );
  assert.equal(await panel.page.locator('.repeats circle').count(), 10);
  assert.equal(await panel.page.locator('.repeats .outlier').count(), 1);
  assert.match(await textOf(panel, '.repeats .outlier title'), /3\.47 s.*outlier/);
});

onComparison('what differs between the sides is marked and comes first', async (panel) => {
  assert.match(await textOf(panel, '.comparison-facts summary'), /differs in commit, arguments · 2 commits between/);
  await panel.page.locator('.comparison-facts summary').click();
  const rows = await Promise.all((await panel.page.locator('.facts-table tbody tr').all()).map(wordsOf));
  assert.deepEqual(rows.slice(0, 2), ['≠ commit a1b2c3d e4f5a6b', '≠ arguments words.txt words.txt --quiet']);
  assert.match(rows[2]!, /^=/);
  assert.equal(await panel.page.locator('.commits li').count(), 2);
});

onComparison('parts of one run are called what the verdict calls them', async (panel) => {
  const labels = async () => (await panel.page.locator('.side-label').allTextContents()).map((text) => text.trim());
  assert.deepEqual(await labels(), ['base', 'new']);
  await showShop(panel, { ...shownShop, sideNames: ['rest', 'selection'] });
  assert.deepEqual(await labels(), ['rest', 'selection']);
  const heads = await panel.page.locator('.facts-table thead th').allTextContents();
  assert.deepEqual(heads, ['rest', 'selection']);

  const words = { partNames: ['rest', 'selection'], per: 'share' };
  const table = wire.ComparedTable.encode({ ...wire.ComparedTable.decode(shopJudgedFunctions), ...words });
  const graph = wire.FlameGraph.encode({ ...wire.FlameGraph.decode(shopJudgedGraph), ...words });
  await panel.postView('comparedFlameGraph', Uint8Array.from(graph.finish()));
  await panel.postView('comparedFunctions', Uint8Array.from(table.finish()));
  const columns = await panel.page.locator('.comparedFunctions .table-head [role=columnheader]').allTextContents();
  assert.match(columns.map((text) => text.trim()).join(), /,Rest,Selection,/);
  const verdicts = await panel.page
    .locator('.comparedFunctions .cell-verdict')
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label')));
  assert.ok(verdicts.includes('less') && !verdicts.includes('faster'), verdicts.join());
  const faces = await panel.page.getByRole('group', { name: 'Widths' }).innerText();
  assert.match(faces.replaceAll(/\s+/g, ' '), /Both Rest Selection \|Change\|/);
  await panel.page.locator('.graph-tree').focus();
  await panel.page.keyboard.press('ArrowDown');
  assert.match(await panel.selectedItem(), /Total rest 2\.81 s, selection 1\.98 s.*▼ less: /);
});

onComparison('the table has the change with its interval, and the graph says it of a frame', async (panel) => {
  const row = panel.page.locator('.comparedFunctions .table-row', { hasText: '__memcmp' });
  assert.equal(await row.locator('.interval-text').textContent(), '−86.3 % ±5.1');
  assert.equal(
    await row.locator('.cell-relative').getAttribute('title'),
    '▼ faster: −86.3 % ±5.1, 95 % interval −91.4 to −81.2 %, q 0.003',
  );
  const noise = panel.page.locator('.comparedFunctions .table-row', { hasText: 'push_back' });
  assert.equal(await noise.locator('.cell-verdict').getAttribute('aria-label'), 'not distinguishable from noise');
  const moved = panel.page.locator('.comparedFunctions .table-row', { hasText: '_Hash_bytes' });
  assert.equal(await moved.locator('.note').textContent(), 'cost moved here from std::_Rb_tree');
  await row.click();
  await panel.settle();
  assert.match(await panel.selectedItem(), /95 % interval/);
});

onComparison('names of facts keep their words whole beside long hashes', async (panel) => {
  await panel.page.setViewportSize({ width: 760, height: 800 });
  const hash = '4c727e10717aed8880982631b50de587352c7165'.repeat(3);
  const facts = ['build-id', 'compiler'].map((what) => ({ what, base: hash, new: hash, differs: false }));
  await showShop(panel, { ...shownShop, facts });
  await panel.page.locator('.comparison-facts summary').click();
  const heights = await panel.page.locator('.facts-table tbody th').evaluateAll((names) =>
    names.map((name) => {
      const words = document.createRange();
      words.selectNodeContents(name);
      return words.getClientRects().length;
    }),
  );
  assert.deepEqual(heights, [1, 1]);
});

onComparison('changes have the room that they need', async (panel) => {
  for (const width of [1400, 820, 620, 480]) {
    await panel.page.setViewportSize({ width, height: 800 });
    await panel.settle();
    for (const [selector, text] of [
      ['.difference-text', '−1,616.6 ms'],
      ['.interval-text', '−100.0 % untested'],
      ['.interval-text', '−97.0 % (−98.4 to −94.2)'],
    ] as const) {
      const cell = panel.page.locator(`.comparedFunctions .table-row ${selector}`).first();
      const isWhole = (part: Element, words: string) => {
        part.textContent = words;
        return part.scrollWidth <= part.clientWidth;
      };
      assert.ok(await cell.evaluate(isWhole, text), `${width}: ${text}`);
    }
  }
});

onComparison('in high contrast the chosen tab is marked', async (panel) => {
  for (const theme of [themes.highContrast, themes.highContrastLight]) {
    await panel.setTheme(theme);
    const shadows = await panel.page
      .locator('vscode-tab-header')
      .evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).boxShadow !== 'none'));
    assert.deepEqual(shadows, [true, false, false]);
  }
});

onComparison('by the head the intervals are sorted, what has none comes last', async (panel) => {
  const head = panel.page.locator('.comparedFunctions .cell-relative[role=columnheader] button');
  await head.click();
  await panel.settle();
  const first = panel.page.locator('.comparedFunctions .table-row[aria-rowindex="2"] .interval-text');
  assert.match((await first.textContent())!, /^\+/);
  await head.click();
  await panel.settle();
  assert.equal(await first.textContent(), 'gone');
});

onComparison('noise is hatched grey, and coloured when all changes are asked for', async (panel) => {
  const grey = (pixel: string) => {
    const [red, green, blue] = pixel.split(',').map(Number) as [number, number, number];
    return Math.max(red, green, blue) - Math.min(red, green, blue) < 12;
  };
  // Tokenizer::next, of which nothing can be said; its row is the sixth.
  const box = (await panel.page.locator('.graph canvas').boundingBox())!;
  const [x, y] = [Math.round(box.width * 0.5), 5 * 20 + 16];
  assert.ok(grey(await panel.pixel(x, y)));
  await panel.page.locator('vscode-single-select[aria-label="Colours of the flame graph"]').click();
  await panel.page.keyboard.press('ArrowDown');
  await panel.page.keyboard.press('ArrowDown');
  await panel.page.keyboard.press('Enter');
  await panel.settle();
  assert.ok(!grey(await panel.pixel(Math.round(box.width * 0.1), y)), 'what changed keeps its colour');
  await panel.page.waitForTimeout(300);
  await panel.load(themes.dark);
  await showShop(panel);
  const chosen = panel.page.locator('vscode-single-select[aria-label="Colours of the flame graph"]');
  assert.equal(await chosen.evaluate((select) => (select as HTMLSelectElement).value), 'ratio');
});

onComparison('the explanation is asked for once, when it is looked at', async (panel) => {
  const asked = async () => (await panel.sent()).filter(({ type }) => type === 'explain').length;
  assert.equal(await asked(), 0);
  await openTab(panel, 'Explain');
  await panel.settle();
  await openTab(panel, 'Lines');
  await openTab(panel, 'Explain');
  await panel.settle();
  assert.equal(await asked(), 1);
  await panel.post({ type: 'explanation', explanation: explainedShop });
  await panel.settle();
  assert.match(await textOf(panel, '.explain-whole'), /In all −783 ms of CPU time per run\. .* add up to 1\.54 s/);
  assert.deepEqual(await panel.page.locator('.explain-group h2').allTextContents(), [
    'Gone',
    'Faster',
    'New',
    'Not beyond noise',
  ]);
});

onComparison('a line of the explanation opens, a name is selected in graph and table', async (panel) => {
  await openTab(panel, 'Explain');
  await panel.post({ type: 'explanation', explanation: explainedShop });
  await panel.settle();
  await panel.page.locator('.line-added').click();
  assert.deepEqual(await panel.lastSent(), { type: 'openExplained', index: 1, line: 34, aside: false });
  await panel.page.locator('.explain-place', { hasText: 'stl_tree' }).click();
  assert.deepEqual(await panel.lastSent(), { type: 'openExplained', index: 0, line: 0, aside: false });
  assert.equal(await panel.page.locator('.line-gone').getAttribute('role'), 'listitem', 'what is gone leads nowhere');
  await panel.page.locator('.explain-name', { hasText: '_Rb_tree' }).focus();
  await panel.page.keyboard.press('Enter');
  await panel.settle();
  assert.match(await panel.selectedItem(), /^std::_Rb_tree/);
});

onComparison('an explanation that fails says so, and is asked for again', async (panel) => {
  await openTab(panel, 'Explain');
  await panel.post({ type: 'explanationFailed', message: 'The engine ended.', advice: 'Open the runs again.' });
  await panel.settle();
  assert.match(await textOf(panel, '.explain-scroller [role=alert]'), /The engine ended\. Open the runs again\./);
  await openTab(panel, 'Lines');
  await openTab(panel, 'Explain');
  await panel.settle();
  assert.equal((await panel.sent()).filter(({ type }) => type === 'explain').length, 2);
});

onComparison('another unit is asked for, and what was looked at stays', async (panel) => {
  await openTab(panel, 'Lines');
  await panel.page.locator('vscode-single-select[aria-label="Unit of the comparison"]').click();
  await panel.page.keyboard.press('ArrowDown');
  await panel.page.keyboard.press('ArrowDown');
  await panel.page.keyboard.press('Enter');
  await panel.settle();
  assert.deepEqual(await panel.lastSent(), { type: 'normalise', normalisation: 4 });
  await showShop(panel, { ...shownShop, normalisation: 4, per: 'share' });
  assert.equal(await panel.page.getByRole('tab', { name: 'Lines' }).getAttribute('aria-selected'), 'true');
  assert.match(await textOf(panel, '.repeats-figure'), /new scaled to the size of base/);
});

onComparison('frames without a box are listed, and one that is chosen is shown', async (panel) => {
  const button = panel.page.locator('.elided-button');
  assert.equal(await button.isVisible(), false, 'widths of both runs leave out nothing');
  await panel.page.getByText('New', { exact: true }).first().click();
  await panel.settle();
  assert.match((await button.textContent())!, /^\d+ without a box$/);
  await button.click();
  const first = panel.page.locator('.elided-list button').first();
  assert.match((await first.textContent())!, /_Rb_tree.*1\.37 s → 0 ns/);
  await first.click();
  await panel.settle();
  assert.equal(await panel.page.locator('dialog.elided').count(), 0);
  assert.match(await panel.selectedItem(), /^std::_Rb_tree/);
  assert.equal(await button.isVisible(), false);
});

onComparison('the host can point at a function that only the table has', async (panel) => {
  await panel.post({
    type: 'reveal',
    row: -1,
    name: 'std::_Hash_bytes(void const*, unsigned long, unsigned long)',
    module: '',
  });
  await panel.settle();
  assert.match(await panel.selectedItem(), /^std::_Hash_bytes/);
  assert.match(await textOf(panel, '.comparedFunctions .table-row[aria-selected=true]'), /_Hash_bytes/);
});

onComparison('foreign words in sentence, facts and explanation make no element', async (panel) => {
  const [evil] = evilNames;
  const one = { ...explainedShop.functions[1]!, name: evil!, note: evil!, place: evil! };
  const facts = [{ what: evil!, base: evil!, new: evil!, differs: true }];
  await showShop(panel, { ...shownShop, sentence: evil!, method: [evil!], facts, commits: [evil!] });
  await openTab(panel, 'Explain');
  await panel.post({ type: 'explanation', explanation: { ...explainedShop, functions: [one] } });
  await panel.settle();
  const made = await panel.page.evaluate(() => document.querySelectorAll('img, iframe, b, i, style, object, a').length);
  assert.equal(made, 0);
});
