// The table of lines that allocate, in a real Chromium: what it asks for, its figures, sorting, keys, roles, themes and narrow pages.
import assert from 'node:assert/strict';
import type { ShownMeasure } from '../../core/measureText.ts';
import { wire } from '../../core/wire.ts';
import { type PanelPage, showRun } from './browserPage.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';
import { themes } from './themes.ts';
import { allOf } from './timelinePanel.ts';

const values: ShownMeasure[] = [
  { type: 'cpu', unit: 'nanoseconds', family: 'cpu' },
  { type: 'alloc_space', unit: 'bytes', family: 'memory' },
];
const MIB = 2 ** 20;

const column = (bytes: readonly number[], objects: readonly number[], error: readonly number[]) => ({
  space: bytes.map((one) => one * MIB),
  objects: [...objects],
  error: [...error],
  totalSpace: 400 * MIB,
  totalObjects: 0,
  totalError: 0.02,
});
const strings = [
  '',
  'shop::countWords(std::istream&)',
  'shop',
  '/src/shop/words.cpp',
  'main',
  '/src/shop/main.cpp',
  '[unknown]',
];
const content = (parts: object = {}) =>
  wire.AllocationTable.encode({
    frames: {
      strings,
      name: [1, 4, 6],
      module: [2, 2, 0],
      file: [3, 5, 0],
      line: [31, 9, 0],
      kind: [0, 0, 3],
      collapsed: [],
    },
    allocated: column([300, 99, 1], [600_000, 99, 1], [0.041, 0.09, Number.NaN]),
    inUse: column([0, 90, 0], [0, 9, 0], [Number.NaN, 0.1, Number.NaN]),
    peak: column([10, 95, 0], [9, 9, 0], [0.2, 0.1, Number.NaN]),
    temporary: column([290, 4, 0], [9, 9, 0], [0.05, 0.4, Number.NaN]),
    ...parts,
  }).finish();

async function showTable(panel: PanelPage, bytes = content()) {
  await panel.post(showRun({ values }));
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  await panel.page.getByRole('tab', { name: 'Allocations' }).click();
  await panel.postView('allocations', bytes);
  await panel.settle();
}

const table = (panel: PanelPage) => panel.page.getByRole('grid', { name: 'Allocations' });
const cells = async (panel: PanelPage, id: string) => {
  const rows = table(panel).locator('.table-row:not([hidden])');
  const inOrder = await rows.evaluateAll(
    (all, name) =>
      all.map((row) => ({
        at: Number(row.getAttribute('aria-rowindex')),
        text: (row.querySelector(`.cell-${name}`) as HTMLElement).innerText.replace(/\s+/g, ' ').trim(),
      })),
    id,
  );
  return inOrder.sort((a, b) => a.at - b.at).map(({ text }) => text);
};

onPage('a run without memory has no such table, and one with memory asks once it is looked at', {}, async (panel) => {
  await panel.post(showRun());
  assert.equal(await panel.page.getByRole('tab', { name: 'Allocations' }).count(), 0);
  await showTable(panel);
  const asked = (await allOf(panel, 'request')).filter((one) => 'view' in one && one.view === 'allocations');
  assert.deepEqual(asked, [{ type: 'request', view: 'allocations', value: 0 }]);
});

onPage('each line has what it allocated, with its error', { width: 2400 }, async (panel) => {
  await showTable(panel);
  assert.deepEqual(await cells(panel, 'allocated'), ['75.0 %300 MiB', '24.8 %99.0 MiB', '0.3 %1.00 MiB']);
  assert.deepEqual(await cells(panel, 'inUse'), ['0.0 %', '22.5 %90.0 MiB', '0.0 %']);
  assert.deepEqual(await cells(panel, 'objects'), ['600,000', '99', '1']);
  assert.deepEqual(await cells(panel, 'error'), ['± 4.1 %', '± 9.0 %', '']);
  assert.deepEqual(await cells(panel, 'line'), ['words.cpp:31', 'main.cpp:9', '']);
  const title = await table(panel).locator('.table-row .cell-peak').nth(1).getAttribute('title');
  assert.equal(title, '95.0 MiB (± 10.0 %), 23.8 %');
  await panel.screenshot('allocations-wide');
});

onPage('it is sorted by each column, and its rows are reached and opened by keys', { width: 1700 }, async (panel) => {
  await showTable(panel);
  const head = (id: string) => table(panel).locator(`.cell-${id}[role=columnheader]`);
  assert.equal(await head('allocated').getAttribute('aria-sort'), 'descending');
  await head('inUse').getByRole('button').click();
  await panel.settle();
  assert.deepEqual((await cells(panel, 'line'))[0], 'main.cpp:9');
  assert.equal(await head('inUse').getAttribute('aria-sort'), 'descending');
  await head('error').getByRole('button').click();
  await head('error').getByRole('button').click();
  await panel.settle();
  assert.deepEqual(await cells(panel, 'error'), ['± 4.1 %', '± 9.0 %', '']);
  await table(panel).focus();
  await panel.page.keyboard.press('Home');
  await panel.page.keyboard.press('ArrowDown');
  await panel.settle();
  const selected = table(panel).locator('.table-row[aria-selected=true]');
  assert.equal(await selected.getAttribute('id'), await table(panel).getAttribute('aria-activedescendant'));
  await panel.page.keyboard.press('Enter');
  assert.deepEqual(await panel.lastSent(), { type: 'navigate', view: 'allocations', value: 0, index: 1, aside: false });
});

onPage('a run without a peak has no column for it', { width: 2400 }, async (panel) => {
  await showTable(panel, content({ peak: undefined, temporary: undefined }));
  const heads = await table(panel).getByRole('columnheader').allInnerTexts();
  assert.deepEqual(
    heads.map((text) => text.trim()),
    ['Allocated', 'In use', 'Allocations', 'Error', 'Line', 'Function'],
  );
  await assertInColumns(panel);
});

onPage('a table that cannot be is a sentence', {}, async (panel) => {
  await panel.post(showRun({ values }));
  await panel.page.getByRole('tab', { name: 'Allocations' }).click();
  const message = 'This run does not contain when its memory was allocated.';
  await panel.post({ type: 'viewFailed', view: 'allocations', value: 0, message, advice: '' });
  assert.match((await panel.page.locator('.table-pane').textContent())!, /does not contain when its memory/);
});

/** Rows have one line of cells, which do not overlap and stay in the pane. */
async function assertInColumns(panel: PanelPage) {
  const rows = await table(panel)
    .locator('.table-head, .table-row:not([hidden])')
    .evaluateAll((all) =>
      all.map((row) => {
        const shown = [...row.children].map((cell) => cell.getBoundingClientRect()).filter(({ width }) => width > 0);
        return {
          right: row.getBoundingClientRect().right,
          cells: shown.map(({ left, right, top, bottom }) => ({ left, right, middle: (top + bottom) / 2 })),
        };
      }),
    );
  for (const { cells: inRow, right } of rows)
    for (const [at, cell] of inRow.entries()) {
      assert.ok(Math.abs(cell.middle - inRow[0]!.middle) < 2, 'one line');
      assert.ok(cell.right <= right + 1, `column ${at} ends in the row`);
      if (at > 0) assert.ok(cell.left >= inRow[at - 1]!.right - 1, `column ${at} begins after the one before it`);
    }
  assert.equal(new Set(rows.map((row) => row.cells.length)).size, 1);
}

for (const width of [2400, 1700, 1200, 700, 400, 300])
  onPage(`it can be read at ${width} px`, { width, height: 700 }, async (panel) => {
    await showTable(panel);
    await assertInColumns(panel);
    assert.match((await cells(panel, 'allocated'))[0]!, /^75\.0 %/);
    await panel.screenshot(`allocations-${width}`);
  });

for (const [name, theme] of Object.entries(themes))
  onPage(`it is drawn in ${name}`, { theme, width: 1700 }, async (panel) => {
    await showTable(panel);
    await panel.post({ type: 'measureChosen', value: 1 });
    await panel.postView('allocations', content(), 1);
    await panel.settle();
    await panel.screenshot(`allocations-${name}`);
    const asked = (await allOf(panel, 'request')).filter((one) => 'view' in one && one.view === 'allocations');
    assert.deepEqual(asked.at(-1), { type: 'request', view: 'allocations', value: 1 });
    assert.equal(await table(panel).getByRole('row').count(), 4);
  });
