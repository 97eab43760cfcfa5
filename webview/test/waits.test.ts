// The table of waits, in a real Chromium.
import assert from 'node:assert/strict';
import type { PageMessage } from '../../core/webviewMessages.ts';
import { wire } from '../../core/wire.ts';
import { type PanelPage, showRun, wordsOf } from './browserPage.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';

const values = [
  { type: 'cpu', unit: 'nanoseconds', family: 'cpu' },
  { type: 'wait', unit: 'nanoseconds', family: 'waiting', isComplete: true },
] as const;

const strings = ['', 'flush', '/src/log.c', 'take', '/src/queue.c', 'main', 'disk', 'condition', 'run queue', 'convoy'];

/** A disk, a condition, threads that were ready, and the main thread that was parked. */
const waitContent = wire.WaitTable.encode({
  places: {
    ...{ strings, name: [1, 3, 0, 5], module: [9, 9, 0, 9], file: [2, 4, 0, 4], line: [40, 12, 0, 90] },
    kind: [0, 0, 0, 0],
  },
  ...{ waited: [3_000_000_000, 900_000_000, 100_000_000, 5_000_000_000], waitCount: [60, 300, 0, 2] },
  ...{ threads: [1, 4, 5, 1], reason: [6, 7, 8, 7], idle: [0, 0, 0, 1], total: 4_000_000_000 },
  mean: [50_000_000, 3_000_000, 0, 2_500_000_000],
}).finish();

async function showWaits(panel: PanelPage) {
  await panel.post(showRun({ values: [...values] }));
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  await panel.page.locator('vscode-tab-header', { hasText: 'Waits' }).click();
  await panel.postView('waits', waitContent);
  await panel.settle();
}

const rowsOf = (panel: PanelPage) =>
  panel.page
    .locator('.table.waits .table-row:visible')
    .evaluateAll((rows) =>
      rows
        .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
        .map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText.replace(/\s+/g, ' ').trim())),
    );

onPage(
  'where threads waited, how long and for what; idle ones last and in no share',
  { width: 1700 },
  async (panel) => {
    await showWaits(panel);
    assert.deepEqual(await rowsOf(panel), [
      ['75.0 % 3.00 s', '60', '50.0 ms', '1', 'disk', 'flush log.c:40'],
      ['22.5 % 900 ms', '300', '3.00 ms', '4', 'condition', 'take queue.c:12'],
      ['2.5 % 100 ms', '0', '', '5', 'run queue', 'ready, while others ran'],
      ['5.00 s', '2', '2.50 s', '1', 'condition (idle)', 'main queue.c:90'],
    ]);
    const grid = panel.page.getByRole('grid', { name: 'Waits' });
    assert.equal(await grid.getAttribute('aria-colcount'), '6');
    await panel.screenshot('waits');
  },
);

onPage('a click or a key goes to the waiting line', {}, async (panel) => {
  await showWaits(panel);
  await panel.page.locator('.table.waits .table-row').first().click();
  await panel.page.locator('.table.waits').focus();
  for (const key of ['End', 'Enter']) await panel.page.keyboard.press(key);
  await panel.settle();
  const sent = (await panel.sent()).filter(
    (message): message is Extract<PageMessage, { type: 'navigate' }> => message.type === 'navigate',
  );
  assert.deepEqual(
    sent.map(({ view, index }) => [view, index]),
    [
      ['waits', 0],
      ['waits', 3],
    ],
  );
});

onPage('the table of waits is sorted by reason, and found by it', { width: 1700 }, async (panel) => {
  await showWaits(panel);
  await panel.page.locator('.waits .cell-reason[role=columnheader] button').click();
  await panel.settle();
  assert.deepEqual(
    (await rowsOf(panel)).map((row) => row[4]),
    ['condition', 'condition (idle)', 'disk', 'run queue'],
  );
});

for (const [width, waiting] of [
  [700, 'flush log.c:40'],
  [400, 'log.c:40'],
] as const)
  onPage(`waits can be read at ${width} px`, { width, height: 700 }, async (panel) => {
    await showWaits(panel);
    const [first] = await rowsOf(panel);
    assert.ok(first!.includes(waiting), String(first));
    const rows = await rowsOf(panel);
    assert.ok(rows[2]!.includes('ready, while others ran') && rows[3]!.includes('condition (idle)'), String(rows));
    await panel.screenshot(`waits-${width}`);
  });

onPage('where no thread waited, the table says so', {}, async (panel) => {
  await showWaits(panel);
  const none = { strings: [''], name: [], module: [], file: [], line: [], kind: [] };
  await panel.postView('waits', wire.WaitTable.encode({ places: none }).finish());
  assert.equal(await wordsOf(panel.page.locator('.waits .table-empty')), 'No thread waited here.');
});
