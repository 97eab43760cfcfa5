// Measures in a real Chromium: the choice that page and editor share, and a measure of which nobody knows the samples.
import assert from 'node:assert/strict';
import { EMPTY_SELECTION } from '../../core/selectionMessages.ts';
import type { ShowMessage } from '../../core/webviewMessages.ts';
import { type PanelPage, showComparison, showRun, wordsOf } from './browserPage.ts';
import { explainedShop, shownShop } from './comparison.ts';
import { uncountedFunctions, uncountedGraph, uncountedRows } from './contents.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph, shopJudgedFunctions, shopJudgedGraph, shopJudgedLines } from './shop.ts';
import { allOf } from './timelinePanel.ts';

const cpu = { type: 'cpu', unit: 'nanoseconds', family: 'cpu' } as const;
const memory = { type: 'inuse_space', unit: 'bytes', family: 'memory' } as const;
const MEASURED = { values: [cpu, memory], defaultValue: 0 };

async function showHeap(panel: PanelPage, more: Partial<ShowMessage> = {}) {
  await panel.post(showRun({ values: [memory], ...more, runs: [{ name: 'heap', facts: ['count unknown'] }] }));
  await panel.postView('flameGraph', uncountedGraph(shopGraph));
  await panel.postView('functions', uncountedFunctions(shopFunctions));
}

/** Nothing on the page speaks of a number of samples, or of few. */
async function assertUncounted(panel: PanelPage) {
  const words = await wordsOf(panel.page.locator('body'));
  assert.doesNotMatch(words, /\d samples?\b|samples? \d|Fewer than|few/i);
  const titles = await panel.page.locator('[title]').evaluateAll((all) => all.map((one) => one.getAttribute('title')));
  assert.deepEqual(
    titles.filter((title) => /\d samples?\b/.test(title ?? '')),
    [],
  );
}

onPage('where nobody knows the samples, graph, details, tooltip and table have values alone', {}, async (panel) => {
  await showHeap(panel);
  await panel.page.locator('.graph-tree').focus();
  for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown'])
    await panel.page.keyboard.press(key);
  await panel.settle();
  assert.match(await panel.selectedItem(), /^std::_Rb_tree.*Self 21\.7 %, 582 MiB; Total/);
  assert.match(await wordsOf(panel.page.locator('.details')), /^Self 21\.7 %, 582 MiB · Total/);
  const box = (await panel.page.locator('.graph canvas').boundingBox())!;
  await panel.page.mouse.move(box.x + box.width * 0.1, box.y + 5 * 20 + 10);
  await panel.page.locator('.tooltip:visible').waitFor();
  assert.match(
    await wordsOf(panel.page.locator('.tooltip-figures')),
    /^Self ?21\.7 % ?582 MiB ?Total ?[\d.]+ % ?[\d.]+ GiB$/,
  );
  assert.equal(await panel.page.locator('.tooltip-note').count(), 0);
  const heads = await panel.page.locator('.table.functions [role=columnheader]').allTextContents();
  assert.deepEqual(
    heads.map((head) => head.replace(/[^\p{L} ]/gu, '').trim()),
    ['Self', 'Total', 'Function', 'Module'],
  );
  await assertUncounted(panel);
  await panel.screenshot('measure-uncounted');
});

onPage('a frame of which nobody knows the samples is not one of few', {}, async (panel) => {
  await showHeap(panel);
  await panel.page.locator('.graph-tree').focus();
  for (const key of ['Home', 'End']) await panel.page.keyboard.press(key);
  await panel.settle();
  assert.doesNotMatch(await panel.selectedItem(), /Fewer|sample/);
});

onPage('callers and what is selected are told without samples', {}, async (panel) => {
  await showHeap(panel);
  const callers = [{ name: 'main', module: 'shop', value: 3 << 20, samples: undefined, newValue: 0 }];
  await panel.post({ type: 'callers', function: 'malloc', unit: 'bytes', total: 4 << 20, callers });
  assert.match(await wordsOf(panel.page.locator('dialog.callers')), /main ?75\.0 % · 3\.00 MiB/);
  await panel.page.keyboard.press('Escape');
  const selection = { ...EMPTY_SELECTION, threads: ['io'] };
  await panel.post({
    ...{ type: 'selected', selection, preview: false, samples: undefined, value: 1 << 20 },
    ...{ runSamples: undefined, runValue: 4 << 20, unit: 'bytes', notice: '', canUndo: true, canRedo: false },
    runtimes: [],
  });
  await panel.settle();
  assert.equal(await wordsOf(panel.page.locator('.selection-base')), '1.00 MiB of 4.00 MiB (25.0 %)');
  await assertUncounted(panel);
});

onPage('a comparison of memory has its unit and its words, and no samples', { width: 1400 }, async (panel) => {
  const comparison = { ...shownShop, base: { ...shownShop.base, executions: [] } };
  const runs = ['before', 'after'].map((name) => ({ name, facts: ['count unknown'] }));
  await panel.post(showComparison({ comparison, runs, values: [memory] }));
  await panel.postView('comparedFlameGraph', uncountedGraph(shopJudgedGraph));
  await panel.postView('comparedFunctions', uncountedRows(shopJudgedFunctions));
  await panel.postView('comparedLines', uncountedRows(shopJudgedLines));
  const row = panel.page.locator('.comparedFunctions .table-row', { hasText: '__memcmp' });
  assert.match((await row.locator('.cell-relative').getAttribute('title'))!, /^▼ less: /);
  assert.equal(await row.locator('.cell-verdict').getAttribute('aria-label'), 'less');
  assert.match((await row.locator('.cell-base').getAttribute('title'))!, /^[\d.]+ % of the run$/);
  assert.match(await wordsOf(row.locator('.cell-base')), /MiB$/);
  await row.click();
  await panel.settle();
  assert.match(await panel.selectedItem(), /Total .*MiB.*▼ less/);
  await panel.page.getByRole('tab', { name: 'Explain' }).click();
  await panel.post({ type: 'explanation', explanation: explainedShop });
  await panel.settle();
  const explained = await wordsOf(panel.page.locator('.explain-scroller'));
  assert.match(explained, /^In all −747 MiB of memory in use per run\./);
  assert.match(explained, /Less/);
  assert.doesNotMatch(explained, /Faster|\d m?s\b/);
});

/** The button that is down. */
const shownNow = (panel: PanelPage) =>
  panel.page.locator('.measure-switch').getByRole('switch', { checked: true }).getAttribute('aria-label');

onPage('what is chosen on the page is told to the editor', {}, async (panel) => {
  await panel.post(showRun(MEASURED));
  await panel.postView('flameGraph', shopGraph);
  assert.equal(await shownNow(panel), 'CPU time');
  const buttons = panel.page.getByRole('group', { name: 'What is measured' }).getByRole('switch');
  assert.deepEqual((await buttons.allTextContents()).length, 2);
  await buttons.first().focus();
  await panel.page.keyboard.press('Tab');
  await panel.page.keyboard.press('Space');
  await panel.settle();
  assert.deepEqual(await allOf(panel, 'chooseMeasure'), [{ type: 'chooseMeasure', value: 1 }]);
  assert.equal(await shownNow(panel), 'memory in use');
  await panel.post({ type: 'measureChosen', value: 1 });
  await panel.settle();
  assert.equal((await allOf(panel, 'request')).filter(({ value }) => value === 1).length, 2, 'asked once');
  await buttons.nth(1).click();
  await panel.settle();
  assert.equal((await allOf(panel, 'chooseMeasure')).length, 1, 'the same again is no choice');
});

onPage('what is chosen in the editor is shown on the page, and not told back', {}, async (panel) => {
  await panel.post(showRun(MEASURED));
  await panel.postView('flameGraph', shopGraph);
  await panel.post({ type: 'measureChosen', value: 1 });
  await panel.settle();
  assert.deepEqual(
    (await allOf(panel, 'request')).slice(-2).map(({ view, value }) => [view, value]),
    [
      ['flameGraph', 1],
      ['functions', 1],
    ],
  );
  assert.deepEqual(await allOf(panel, 'chooseMeasure'), []);
  assert.equal(await shownNow(panel), 'memory in use');
  assert.equal(await panel.page.locator('.measure-switch .unseen').textContent(), 'Measure: memory in use');
  await panel.postView('flameGraph', uncountedGraph(shopGraph), 1);
  await panel.page.locator('.graph-tree').focus();
  await panel.page.keyboard.press('Home');
  await panel.page.keyboard.press('ArrowDown');
  await panel.settle();
  assert.match(await panel.selectedItem(), /GiB/);
});

onPage('a page that comes back has the measure of the window, or says which one it had', {}, async (panel) => {
  await panel.post(showRun({ ...MEASURED, value: 1 }));
  await panel.settle();
  assert.deepEqual(
    (await allOf(panel, 'request')).map(({ value }) => value),
    [1, 1],
  );
  assert.deepEqual(await allOf(panel, 'chooseMeasure'), []);
  await panel.page.waitForTimeout(250);
  await panel.page.reload();
  await panel.post(showRun(MEASURED));
  await panel.settle();
  assert.deepEqual(await allOf(panel, 'chooseMeasure'), [{ type: 'chooseMeasure', value: 1 }]);
});

const alloc = { type: 'alloc_space', unit: 'bytes', family: 'memory' } as const;

onPage('what is compared is chosen among the measures that both runs have', { width: 1400 }, async (panel) => {
  const shown = { comparison: shownShop, comparedMeasures: [cpu, memory, alloc], comparedMeasure: 0 };
  await panel.post(showComparison({ ...shown, values: [cpu] }));
  await panel.postView('comparedFlameGraph', shopJudgedGraph);
  await panel.postView('comparedFunctions', shopJudgedFunctions);
  await panel.postView('comparedLines', shopJudgedLines);
  assert.equal(await shownNow(panel), 'CPU time');
  await panel.screenshot('compared-measure-wide');
  await panel.page.getByRole('switch', { name: 'memory in use' }).click();
  assert.deepEqual(await allOf(panel, 'compareMeasure'), [{ type: 'compareMeasure', measure: 1 }]);
  await panel.post(showComparison({ ...shown, comparedMeasure: 1, values: [memory] }));
  assert.equal(await shownNow(panel), 'memory in use');
});

onPage('where both runs share one measure there is nothing to choose', {}, async (panel) => {
  await panel.post(showComparison({ comparison: shownShop, comparedMeasures: [] }));
  assert.equal(await panel.page.locator('.measure-switch').isVisible(), false);
});
