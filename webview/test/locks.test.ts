// The table of waits for locks, in a real Chromium.
import assert from 'node:assert/strict';
import { EMPTY_SELECTION } from '../../core/selectionMessages.ts';
import type { PageMessage } from '../../core/webviewMessages.ts';
import { wire } from '../../core/wire.ts';
import { type PanelPage, showRun, wordsOf } from './browserPage.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';

const NOTE = '3.90 s waiting for a lock held at work (turns.c:7)';

const frames = (
  strings: readonly string[],
  rows: readonly (readonly [name: number, file: number, line: number])[],
) => ({
  strings: ['', ...strings],
  name: rows.map(([name]) => name),
  module: rows.map(() => 0),
  file: rows.map(([, file]) => file),
  line: rows.map(([, , line]) => line),
  kind: rows.map(() => 0),
});

/** A lock that is held at a line, one whose holder was not seen, and one that names no thread. */
const lockContent = wire.LockTable.encode({
  waiting: frames(
    ['take_turn', '/src/turns.c', 'flush'],
    [
      [1, 2, 12],
      [3, 2, 40],
      [0, 0, 0],
    ],
  ),
  holder: frames(
    ['work', '/src/turns.c', 'worker', 'io'],
    [
      [1, 2, 7],
      [0, 0, 0],
      [0, 0, 0],
    ],
  ),
  ...{ waited: [3_900_000_000, 80_000_000, 20_000_000], waitCount: [400, 90, 1], longest: [31_000_000, 2_000_000, 0] },
  ...{ threads: [4, 2, 1], held: [0, 1, 2], thread: [3, 4, 0], total: 4_000_000_000 },
}).finish();

async function showLocks(panel: PanelPage, hasLocks = true) {
  await panel.post(showRun(hasLocks ? { hasLocks, lockNote: NOTE, wallTime: ['5.00 s wall · 1.00 s CPU'] } : {}));
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  if (!hasLocks) return;
  await panel.page.locator('vscode-tab-header', { hasText: 'Locks' }).click();
  await panel.postView('locks', lockContent);
  await panel.settle();
}

const rowsOf = (panel: PanelPage) =>
  panel.page
    .locator('.table.locks .table-row:visible')
    .evaluateAll((rows) =>
      rows
        .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
        .map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText.replace(/\s+/g, ' ').trim())),
    );

type Navigate = Extract<PageMessage, { type: 'navigate' }>;
const places = async (panel: PanelPage) =>
  (await panel.sent()).filter((message): message is Navigate => message.type === 'navigate');

onPage('who waits for a lock, how long, and where it is held', { width: 1900 }, async (panel) => {
  await showLocks(panel);
  assert.deepEqual(await rowsOf(panel), [
    ['97.5 % 3.90 s', '400', '31.0 ms', '4', 'take_turn turns.c:12', 'work turns.c:7', 'worker'],
    ['2.0 % 80.0 ms', '90', '2.00 ms', '2', 'flush turns.c:40', 'not seen', 'io'],
    ['0.5 % 20.0 ms', '1', '', '1', 'stack not known', 'not known', ''],
  ]);
  assert.equal(await wordsOf(panel.page.locator('.lock-note')), NOTE);
  const grid = panel.page.getByRole('grid', { name: 'Locks' });
  assert.equal(await grid.getAttribute('aria-rowcount'), '4');
  assert.equal(await grid.getAttribute('aria-colcount'), '7');
  await panel.screenshot('locks');
});

onPage('a click or a key goes to the waiting line, or to the line that holds the lock', {}, async (panel) => {
  await showLocks(panel);
  const first = panel.page.locator('.table.locks .table-row').first();
  await first.locator('.cell-waiting').click();
  await first.locator('.cell-held').click();
  await panel.page.locator('.table.locks').focus();
  for (const key of ['End', 'Home', 'ArrowDown', 'Enter', 'Shift+Enter']) await panel.page.keyboard.press(key);
  await panel.settle();
  const sent = await places(panel);
  assert.deepEqual(
    sent.map(({ view, index }) => [view, index]),
    [0, 3, 1, 4].map((index) => ['locks', index]),
  );
  const grid = panel.page.locator('.table.locks');
  assert.equal(await grid.getAttribute('aria-activedescendant'), 'locks-1');
});

onPage('the table is sorted by any column, and the search finds holders, too', { width: 1900 }, async (panel) => {
  await showLocks(panel);
  await panel.page.locator('.locks .cell-held[role=columnheader] button').click();
  await panel.settle();
  assert.equal((await rowsOf(panel))[2]![5], 'work turns.c:7');
  await panel.page.keyboard.press('Control+f');
  await panel.page.keyboard.type('work');
  await panel.page.waitForTimeout(300);
  await panel.settle();
  assert.deepEqual(
    (await rowsOf(panel)).map((row) => row[5]),
    ['work turns.c:7'],
  );
});

onPage('what is selected changes the table, and an empty one says so', {}, async (panel) => {
  await showLocks(panel);
  const asked = async () =>
    (await panel.sent()).filter((message) => message.type === 'request' && message.view === 'locks').length;
  const before = await asked();
  const selection = { ...EMPTY_SELECTION, threads: ['7'] };
  await panel.post({
    ...{ type: 'selected', selection, preview: false, samples: 4, value: 4, runSamples: 9, runValue: 9 },
    ...{ unit: 'nanoseconds', notice: '', canUndo: true, canRedo: false, runtimes: [] },
  });
  await panel.settle();
  assert.equal(await asked(), before + 1);
  const none = frames([], []);
  await panel.postView('locks', wire.LockTable.encode({ waiting: none, holder: none }).finish());
  assert.equal(await wordsOf(panel.page.locator('.locks .table-empty')), 'No thread waited for a lock here.');
});

for (const [width, held, waiting] of [
  [700, 'work turns.c:7', 'take_turn turns.c:12'],
  [400, 'turns.c:7', 'turns.c:12'],
] as const)
  onPage(`locks can be read at ${width} px`, { width, height: 700 }, async (panel) => {
    await showLocks(panel);
    const [first] = await rowsOf(panel);
    assert.ok(first!.includes(held) && first!.includes(waiting), String(first));
    await panel.screenshot(`locks-${width}`);
  });

onPage('a run without waits for locks has no tab of them', {}, async (panel) => {
  await showLocks(panel, false);
  assert.deepEqual(await panel.page.locator('vscode-tab-header').allInnerTexts(), ['Functions', 'Threads']);
  assert.equal(await panel.page.locator('.lock-note').count(), 0);
  const asked = (await panel.sent()).flatMap((message) => (message.type === 'request' ? [message.view] : []));
  assert.deepEqual(asked, ['flameGraph', 'functions']);
});

onPage('a table that is not what it should be is a sentence in its place', {}, async (panel) => {
  await showLocks(panel);
  await panel.postView('locks', wire.LockTable.encode({ waiting: frames(['a'], [[1, 0, 0]]) }).finish());
  const words = await wordsOf(panel.page.locator('vscode-tab-panel', { hasText: 'cannot be shown' }));
  assert.match(words, /This view cannot be shown/);
});
