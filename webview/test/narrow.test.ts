// How much room the head of the page takes, and what names look like where there is little, in a real Chromium.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openPage, type PanelPage, showComparison, showRun, startBrowser } from './browserPage.ts';
import { shownShop } from './comparison.ts';
import { functionsContent, graphContent } from './contents.ts';
import { serveRun } from './fakeRun.ts';
import { shopFunctions, shopGraph, shopJudgedFunctions, shopJudgedGraph, shopJudgedLines } from './shop.ts';

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

const WIDTHS = [320, 420, 620, 900, 1600];
const ROW = 24; // CSS pixels: a line of text, a button
const PADDING = 24; // of header and toolbar together

const problems = [
  'No line tables in libz.so.1: its functions show, its lines do not.',
  '14 of 3,182 samples were lost (0.4 %).',
];

const wallTime = [
  '6.90 s wall · 1.60 s CPU (sampled) · 5.20 s waiting (lock 3.90 s, sleep 1.30 s) · 100 ms run queue',
  'of thread shop (4711), the longest-lived',
];
const values = [
  { type: 'cpu', unit: 'nanoseconds', family: 'cpu' as const },
  { type: 'samples', unit: 'count', family: 'cpu' as const },
];

/** Above the panes: header and tools. */
const heightAbove = (panel: PanelPage) =>
  panel.page.evaluate(() => document.querySelector('.panes')!.getBoundingClientRect().top);
const isCutOff = (panel: PanelPage) =>
  panel.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
const overlapping = (panel: PanelPage) =>
  panel.page.evaluate(() => {
    const parts = [...document.querySelectorAll('.header-words > *, .toolbar .search-field, .toolbar-controls')];
    const boxes = parts.map((part) => part.getBoundingClientRect()).filter(({ width }) => width > 0);
    return boxes.some((a, at) =>
      boxes
        .slice(at + 1)
        .some((b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1),
    );
  });

test('between two sidebars of a small window nothing covers the search', async () => {
  const panel = await openPage(browser, { width: 270, height: 700 });
  await panel.post(showRun({ problems, values }));
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  assert.deepEqual([await isCutOff(panel), await overlapping(panel)], [false, false]);
  await panel.close();
});

for (const width of WIDTHS) {
  test(`header and tools of a run take three rows at most, ${width} px`, async () => {
    const shown = [[], problems.slice(0, 1), problems].flatMap((told) => [
      { problems: told },
      { problems: told, wallTime },
    ]);
    for (const notes of shown) {
      const panel = await openPage(browser, { width, height: 700 });
      await panel.post(showRun({ ...notes, values }));
      await panel.postView('flameGraph', shopGraph);
      await panel.postView('functions', shopFunctions);
      assert.ok((await heightAbove(panel)) <= 3 * ROW + PADDING, `${await heightAbove(panel)}`);
      assert.deepEqual([await isCutOff(panel), await overlapping(panel)], [false, false]);
      await panel.close();
    }
  });

  test(`four lines stand above the graph of a comparison, ${width} px`, async () => {
    const panel = await openPage(browser, { width, height: 700 });
    await panel.post(showComparison({ title: 'before → after', comparison: shownShop, problems }));
    await panel.postView('comparedFlameGraph', shopJudgedGraph);
    await panel.postView('comparedFunctions', shopJudgedFunctions);
    await panel.postView('comparedLines', shopJudgedLines);
    assert.ok((await heightAbove(panel)) <= 4 * ROW + PADDING, `${await heightAbove(panel)}`);
    assert.deepEqual([await isCutOff(panel), await overlapping(panel)], [false, false]);
    const legend = panel.page.locator('.notch-legend');
    assert.ok(await legend.isVisible(), 'the notch is explained where it is drawn');
    const sentence = await panel.page.locator('.title').getAttribute('title');
    assert.equal(sentence, shownShop.sentence);
    await panel.close();
  });
}

/** Parts of the head that lie on each other, or leave it, by their words. */
const liesOnOthers = (panel: PanelPage) =>
  panel.page.evaluate(() => {
    const parts = '.title, .side-label, .side-name, .measure-switch vscode-toolbar-button, .header-notes > *';
    const boxes = [...document.querySelectorAll(parts)]
      .map((part) => ({ words: part.textContent?.trim(), at: part.getBoundingClientRect() }))
      .filter(({ at }) => at.width > 0);
    const outside = boxes.filter(({ at }) => at.left < 0 || at.right > window.innerWidth).map(({ words }) => words);
    const onOthers = boxes.flatMap(({ words, at: a }, index) =>
      boxes
        .slice(index + 1)
        .filter(({ at: b }) => a.left < b.right - 1 && b.left < a.right - 1)
        .filter(({ at: b }) => a.top < b.bottom - 1 && b.top < a.bottom - 1)
        .map((other) => `${words} | ${other.words}`),
    );
    return [...outside, ...onOthers];
  });

const threeMeasures = [
  { type: 'cpu', unit: 'nanoseconds', family: 'cpu' as const },
  { type: 'wait', unit: 'nanoseconds', family: 'waiting' as const },
  { type: 'alloc_space', unit: 'bytes', family: 'memory' as const },
];

for (const width of [320, 415, 500, 620, 760, 900])
  test(`names of parts and measures of a comparison do not lie on each other, ${width} px`, async () => {
    const panel = await openPage(browser, { width, height: 700 });
    const comparison = { ...shownShop, sideNames: ['rest', 'selection'] as const };
    const measures = { comparedMeasures: threeMeasures, comparedMeasure: 0 };
    await panel.post(showComparison({ title: 'rest → selection', comparison, problems, ...measures }));
    await panel.postView('comparedFlameGraph', shopJudgedGraph);
    await panel.settle();
    assert.deepEqual(await liesOnOthers(panel), []);
    const names = await panel.page.locator('.side-name').evaluateAll((all) => all.map((name) => name.clientWidth));
    assert.ok(Math.min(...names) >= 40, `${names}`);
    await panel.screenshot(`comparison-parts-${width}`);
    await panel.close();
  });

for (const width of [270, ...WIDTHS])
  test(`timeline and selection fit into ${width} px`, async () => {
    const panel = await openPage(browser, { width, height: 700 });
    const host = await serveRun(panel.page, { threads: 64, seconds: 4 });
    await panel.post(showRun({ problems, values }));
    await panel.post(host.first());
    await panel.postView('flameGraph', shopGraph);
    await panel.postView('functions', shopFunctions);
    await panel.page.locator('.timeline-grid').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'Shift+End', 'k', 'j'])
      await panel.page.keyboard.press(key);
    await panel.page.waitForTimeout(200);
    assert.equal(await isCutOff(panel), false);
    const panes = (await panel.page.locator('.panes').boundingBox())!;
    assert.ok(panes.height >= 200, `graph and table keep ${panes.height} px`);
    const tracks = (await panel.page.locator('.timeline-scroller .timeline-canvas').boundingBox())!;
    assert.ok(tracks.width >= width * 0.5 && tracks.x + tracks.width <= width, `tracks are ${tracks.width} px wide`);
    const [bar, strip] = await Promise.all(
      ['.selection-bar', '.timeline'].map((part) => panel.page.locator(part).boundingBox()),
    );
    assert.ok(bar!.y + bar!.height <= strip!.y + 0.5);
    await panel.close();
  });

test('in a narrow page the choices are behind a button, and work', async () => {
  const panel = await openPage(browser, { width: 420, height: 700 });
  await panel.post(showComparison({ comparison: shownShop }));
  await panel.postView('comparedFlameGraph', shopJudgedGraph);
  const choice = panel.page.getByText('|Change|', { exact: true });
  assert.equal(await choice.isVisible(), false);
  await panel.page.locator('.toolbar-more vscode-toolbar-button').click();
  await choice.click();
  await panel.page.waitForTimeout(250);
  const state = await panel.page.evaluate(() => JSON.parse(sessionStorage.getItem('state') ?? '{}'));
  assert.equal((state as { widthMode: string }).widthMode, 'change');
  await panel.close();
});

const LONG = 'shop::inventory::warehouse::ShelfIterator';
const names = [
  `${LONG}::advanceToNextOccupied(std::vector<int> const&, bool)`,
  `${LONG}::advanceToNextReserved(std::vector<int> const&, bool)`,
  'std::map<std::vector<unsigned long>, int>::insert_or_assign(long, int)',
  'std::map<std::vector<unsigned char>, int>::insert_or_assign(long, int)',
];

test('long names keep the end that tells them apart, in a narrow table', async () => {
  const panel = await openPage(browser, { width: 420, height: 700 });
  await panel.post(showRun());
  const children = names.map((name) => ({ name, self: 25 }));
  await panel.postView('flameGraph', graphContent({ name: 'all', self: 0, children }));
  const rows = names.map((name) => ({ name, self: 25, total: 25 }));
  await panel.postView('functions', functionsContent(rows, 100));
  const cells = panel.page.locator('.table-row:visible .cell-name');
  const seen = await cells.evaluateAll((elements) =>
    elements.map((cell) => {
      const tail = cell.querySelector('.name-tail')!;
      const [inside, outside] = [tail.getBoundingClientRect(), cell.getBoundingClientRect()];
      return { tail: tail.textContent, whole: cell.getAttribute('title'), seen: inside.right <= outside.right + 1 };
    }),
  );
  assert.deepEqual(
    seen.map(({ whole }) => whole),
    names,
  );
  assert.ok(seen.every((cell) => cell.seen));
  const texts = await cells.allTextContents();
  assert.equal(new Set(texts).size, names.length, texts.join('\n'));
  assert.deepEqual(texts.slice(2), [
    'std::map<std::vector<unsigned long>, int>::insert_or_assign(long, int)',
    'std::map<std::vector<unsigned char>, int>::insert_or_assign(long, int)',
  ]);
  await panel.close();
});

test('a column of samples says that they are those of the function itself', async () => {
  const panel = await openPage(browser);
  await panel.post(showRun());
  await panel.postView('functions', shopFunctions);
  assert.equal((await panel.page.locator('.cell-samples[role=columnheader]').textContent())?.trim(), 'Self samples');
  // A bar is as high as a figure beside it, and as long as its share.
  const bar = await panel.page.locator('.table-row .cell-self .bar').first().boundingBox();
  assert.ok(bar!.height >= 14, `${bar!.height}`);
  await panel.close();
});
