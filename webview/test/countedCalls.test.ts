// The columns of counted calls in the table of functions, in a real Chromium.
import assert from 'node:assert/strict';
import { wire } from '../../core/wire.ts';
import { type PanelPage, showRun } from './browserPage.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';

/** The first function was counted and has samples, the second was counted only, the others were not counted. */
async function showCounted(panel: PanelPage, isTimed = false) {
  await panel.post(showRun());
  await panel.postView('flameGraph', shopGraph);
  const { frames, ...table } = wire.FunctionTable.decode(shopFunctions);
  const of = (first: number, second: number) =>
    (frames?.name ?? []).map((_, row) => [first, second][row] ?? Number.NaN);
  const calls = {
    ...{ calls: of(1_204_000, 7), perCall: of(680.4, Number.NaN), perCallUnit: 'nanoseconds' },
    ...{ perCallLow: of(634.2, Number.NaN), perCallHigh: of(728.9, Number.NaN) },
  };
  const times = isTimed && {
    ...{ callP50Ns: of(2_900, 18_000), callP90Ns: of(4_100, 18_000) },
    ...{ callP99Ns: of(41_000, 18_000), callLongestNs: of(12_500_000, 19_312) },
  };
  const encoded = wire.FunctionTable.encode({ ...table, ...calls, ...times, frames: frames! }).finish();
  await panel.postView('functions', encoded);
  await panel.settle();
}

/** Rows have one line of cells, which do not overlap. */
async function assertInColumns(panel: PanelPage) {
  const rows = await panel.page
    .locator('.table.functions .table-head, .table.functions .table-row')
    .evaluateAll((all) =>
      all.slice(0, 4).map((row) =>
        [...row.children]
          .map((cell) => cell.getBoundingClientRect())
          .filter(({ width }) => width > 0)
          .map(({ left, right, top, bottom }) => ({ left, right, middle: (top + bottom) / 2 })),
      ),
    );
  for (const cells of rows)
    for (const [at, cell] of cells.entries()) {
      assert.ok(Math.abs(cell.middle - cells[0]!.middle) < 2, 'one line');
      if (at > 0) assert.ok(cell.left >= cells[at - 1]!.right - 1, `column ${at} begins after the one before it`);
    }
  assert.equal(new Set(rows.map((cells) => cells.length)).size, 1);
}

const perCall = async (panel: PanelPage) => {
  const cells = panel.page.locator('.table.functions .table-row .cell-perCall');
  return (await cells.evaluateAll((all) => all.map((cell) => (cell as HTMLElement).innerText.trim()))).filter(Boolean);
};

for (const [width, shown] of [
  [1900, '680 ns (634 ns to 729 ns)'],
  [1200, '680 ns'],
  [700, '680 ns (634 ns to 729 ns)'],
  [400, '680 ns'],
] as const)
  onPage(`counted calls and the time per call can be read at ${width} px`, { width, height: 700 }, async (panel) => {
    await showCounted(panel);
    await assertInColumns(panel);
    assert.deepEqual(await perCall(panel), [shown]);
    const calls = await panel.page.locator('.table.functions .table-row .cell-calls').allTextContents();
    assert.deepEqual(calls.slice(0, 3), ['1,204,000', '7', '']);
    await panel.screenshot(`counted-calls-${width}`);
  });

onPage('what was not counted comes last, whichever way round', {}, async (panel) => {
  await showCounted(panel);
  const first = async () => panel.page.locator('.table.functions .table-row .cell-calls').first().textContent();
  await panel.page.locator('.cell-calls[role=columnheader] button').click();
  await panel.settle();
  assert.equal(await first(), '1,204,000');
});

const timeColumns = ['cell-callP50', 'cell-callP90', 'cell-callP99', 'cell-callLongest'];

const visibleTexts = async (panel: PanelPage, column: string) => {
  const cells = panel.page.locator(`.table.functions .table-row .${column}`);
  const texts = await cells.evaluateAll((all) =>
    all.map((cell) => (cell.getClientRects().length > 0 ? cell.textContent : '')),
  );
  return texts.filter(Boolean);
};

for (const [width, shown] of [
  [1900, timeColumns],
  [1200, ['cell-callP50', 'cell-callP99']],
  [700, ['cell-callP50', 'cell-callP99', 'cell-callLongest']],
  [400, ['cell-callP50', 'cell-callP99']],
] as const)
  onPage(`how long calls took can be read at ${width} px`, { width, height: 700 }, async (panel) => {
    await showCounted(panel, true);
    await assertInColumns(panel);
    const texts = {
      ...{ 'cell-callP50': ['2.90 µs', '18.0 µs'], 'cell-callP90': ['4.10 µs', '18.0 µs'] },
      ...{ 'cell-callP99': ['41.0 µs', '18.0 µs'], 'cell-callLongest': ['12.5 ms', '19.3 µs'] },
    };
    for (const [column, expected] of Object.entries(texts))
      assert.deepEqual(await visibleTexts(panel, column), shown.includes(column as never) ? expected : [], column);
    await panel.screenshot(`timed-calls-${width}`);
  });

onPage('the table is sorted by how long calls took, what was not timed last', {}, async (panel) => {
  await showCounted(panel, true);
  const p50 = async () =>
    (await panel.page.locator('.table.functions .table-row .cell-callP50').allTextContents()).slice(0, 3);
  await panel.page.locator('.cell-callP50[role=columnheader] button').click();
  await panel.settle();
  assert.deepEqual(await p50(), ['18.0 µs', '2.90 µs', '']);
});

onPage('a run whose calls were counted only has no columns of times', { width: 1900, height: 700 }, async (panel) => {
  await showCounted(panel);
  assert.equal(await panel.page.locator(timeColumns.map((column) => `.${column}`).join(', ')).count(), 0);
});
