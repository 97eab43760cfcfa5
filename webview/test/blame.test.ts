// Waiting time by what caused it, in a real Chromium.
import assert from 'node:assert/strict';
import { EMPTY_SELECTION } from '../../core/selectionMessages.ts';
import type { PageMessage } from '../../core/webviewMessages.ts';
import { wire } from '../../core/wire.ts';
import { blameContent, LACK, LOCK_NOTE, showWaitingRun } from './blamedWaits.ts';
import { type PanelPage, wordsOf } from './browserPage.ts';
import { onPage } from './onPage.ts';

async function showWaitsTab(panel: PanelPage) {
  await showWaitingRun(panel);
  await panel.page.locator('vscode-tab-header', { hasText: 'Waits' }).click();
}

async function showBlame(panel: PanelPage, lack = '') {
  await showWaitsTab(panel);
  await panel.page.getByText('By cause', { exact: true }).click();
  await panel.postView('blame', blameContent(lack));
  await panel.settle();
}

const rowsOf = (panel: PanelPage) =>
  panel.page
    .locator('.table.blame .table-row:visible')
    .evaluateAll((rows) =>
      rows
        .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
        .map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText.replace(/\s+/g, ' ').trim())),
    );

type Of<Type extends PageMessage['type']> = Extract<PageMessage, { type: Type }>;
async function sentOf<Type extends PageMessage['type']>(panel: PanelPage, type: Type): Promise<Of<Type>[]> {
  return (await panel.sent()).filter((message): message is Of<Type> => message.type === type);
}
const askedFor = async (panel: PanelPage, view: string) =>
  (await sentOf(panel, 'request')).filter((message) => message.view === view).length;

onPage('what caused the waits, how that is known, and where they were', { width: 2200 }, async (panel) => {
  await showBlame(panel);
  assert.deepEqual(await rowsOf(panel), [
    ['50.0 % 2.00 s', '400', '4', 'hold turns.c:7', 'held the lock', 'lock', 'take_turn turns.c:12'],
    ['25.0 % 1.00 s', '120', '3', 'put queue.c:36', 'ended the wait', 'condition, pipe', 'get queue.c:20 +3'],
    ['15.0 % 600 ms', '800', '4', 'a timer', 'ended the wait', 'sleep', 'hold turns.c:7'],
    ['7.5 % 300 ms', '3', '1', 'another process, feeder', 'ended the wait', 'network', 'get queue.c:24'],
    ['2.5 % 100 ms', '90', '5', 'not known (run queue)', '', 'run queue', 'ready, while others ran'],
    ['5.00 s', '2', '1', 'idle threads', '', 'condition', 'main turns.c:90'],
  ]);
  const grid = panel.page.getByRole('grid', { name: 'Waits by cause' });
  assert.equal(await grid.getAttribute('aria-colcount'), '7');
  const cause = await panel.page.locator('.blame .table-row .cell-cause').first().getAttribute('title');
  assert.deepEqual(cause?.split('\n'), ['hold', '/src/turns.c:7', 'held the lock']);
  const lines = await panel.page.locator('.blame .table-row .cell-waiting').nth(1).getAttribute('title');
  const expected = ['700 ms at get /src/queue.c:20', '200 ms at get /src/queue.c:24', 'and 2 more lines'];
  assert.deepEqual(lines?.split('\n'), expected);
  assert.equal(await panel.page.locator('.waits-lack').isVisible(), false);
  await panel.screenshot('blame');
});

onPage('the table is asked for when it is looked at, and the choice of it is kept', {}, async (panel) => {
  await showWaitsTab(panel);
  assert.deepEqual([await askedFor(panel, 'waits'), await askedFor(panel, 'blame')], [1, 0]);
  const group = panel.page.getByRole('group', { name: 'Waits by' });
  assert.equal(await group.isVisible(), true);
  await panel.page.getByText('By cause', { exact: true }).click();
  assert.deepEqual([await askedFor(panel, 'waits'), await askedFor(panel, 'blame')], [1, 1]);
  await panel.postView('blame', blameContent());
  assert.equal(await panel.page.locator('.table.waits').count(), 0);
  await panel.page.getByText('By waiting line', { exact: true }).click();
  assert.equal(await panel.page.locator('.table.blame').isVisible(), false);
  await panel.page.getByText('By cause', { exact: true }).click();
  await panel.page.waitForTimeout(250);
  assert.deepEqual([await askedFor(panel, 'waits'), await askedFor(panel, 'blame')], [1, 1], 'nothing has changed');
  const state = await panel.page.evaluate(() => JSON.parse(sessionStorage.getItem('state') ?? '{}'));
  assert.equal((state as { waitsBy: string }).waitsBy, 'cause');
});

onPage('the switch is reached and pressed by keys', {}, async (panel) => {
  await showWaitsTab(panel);
  const button = panel.page.locator('.waits-by vscode-toolbar-button').nth(1).locator('button');
  await button.focus();
  await panel.page.keyboard.press('Enter');
  await panel.settle();
  assert.equal(await askedFor(panel, 'blame'), 1);
});

onPage('a click or a key goes to the line that caused the waits, or to the one that waited', {}, async (panel) => {
  await showBlame(panel);
  const row = panel.page.locator('.table.blame .table-row').nth(1);
  await row.locator('.cell-cause').click();
  await row.locator('.cell-waiting').click();
  await panel.page.locator('.table.blame').focus();
  for (const key of ['Home', 'Enter', 'Shift+Enter']) await panel.page.keyboard.press(key);
  await panel.settle();
  assert.deepEqual(
    (await sentOf(panel, 'navigate')).map(({ view, index }) => [view, index]),
    [1, 7, 0, 6].map((index) => ['blame', index]),
  );
});

onPage(
  'causes are sorted by any column, idle threads stay last, and the search finds both lines',
  { width: 2200 },
  async (panel) => {
    await showBlame(panel);
    const causes = async () => (await rowsOf(panel)).map((row) => row[3]);
    await panel.page.locator('.blame .cell-waited[role=columnheader] button').click();
    await panel.settle();
    assert.equal((await causes())[0], 'idle threads');
    await panel.page.locator('.blame .cell-cause[role=columnheader] button').click();
    await panel.settle();
    assert.deepEqual((await causes()).slice(0, 2), ['a timer', 'another process, feeder']);
    await panel.page.keyboard.press('Control+f');
    await panel.page.keyboard.type('queue.c');
    await panel.page.waitForTimeout(300);
    await panel.settle();
    assert.deepEqual(await causes(), ['another process, feeder', 'put queue.c:36']);
  },
);

onPage('what is selected changes the table, and an empty one says so', {}, async (panel) => {
  await showBlame(panel);
  const before = await askedFor(panel, 'blame');
  const selection = { ...EMPTY_SELECTION, threads: ['7'] };
  await panel.post({
    ...{ type: 'selected', selection, preview: false, samples: 4, value: 4, runSamples: 9, runValue: 9 },
    ...{ unit: 'nanoseconds', notice: '', canUndo: true, canRedo: false, runtimes: [] },
  });
  await panel.settle();
  assert.equal(await askedFor(panel, 'blame'), before + 1);
  const none = { strings: [''], name: [], module: [], file: [], line: [], kind: [] };
  const empty = wire.BlameTable.encode({ causes: none, waiting: none, topLines: none }).finish();
  await panel.postView('blame', empty);
  assert.equal(await wordsOf(panel.page.locator('.blame .table-empty')), 'No thread waited here.');
});

onPage('a run without wake-ups says which setting records them', {}, async (panel) => {
  await showBlame(panel, LACK);
  const lack = panel.page.locator('.waits-lack');
  const words =
    'Only lock holders are known. To see what ended the other waits, record with the setting Record: Wakeups.';
  assert.equal(await wordsOf(lack), words);
  await lack.getByRole('button').click();
  assert.deepEqual(await panel.lastSent(), { type: 'command', command: 'wakeupsSetting' });
  await panel.page.getByText('By waiting line', { exact: true }).click();
  assert.equal(await lack.isVisible(), false);
  await panel.screenshot('blame-lack');
});

onPage('the sentence on a lock leads to the line that held it', {}, async (panel) => {
  await showWaitingRun(panel);
  await panel.page.keyboard.press('1');
  const note = panel.page.getByRole('button', { name: LOCK_NOTE });
  for (const times of [1, 2]) {
    await note.click();
    await panel.settle();
    assert.equal(await askedFor(panel, 'blame'), times);
    await panel.postView('blame', blameContent());
    await panel.settle();
    const grid = panel.page.locator('.table.blame');
    assert.equal(await grid.getAttribute('aria-activedescendant'), 'blame-0');
    assert.equal(await grid.evaluate((table) => table === document.activeElement), true);
    await panel.page.keyboard.press('End');
  }
});

for (const [width, cause, waiting] of [
  [700, 'hold turns.c:7', 'take_turn turns.c:12'],
  [550, 'turns.c:7', 'turns.c:12'],
  [420, 'turns.c:7', 'turns.c:12'],
] as const)
  onPage(`what caused waits can be read at ${width} px`, { width, height: 700 }, async (panel) => {
    await showBlame(panel, LACK);
    const rows = await rowsOf(panel);
    assert.ok(rows[0]!.includes(cause) && rows[0]!.includes(waiting), String(rows[0]));
    assert.ok(rows[2]!.includes('a timer') && rows[5]!.includes('idle threads'), String(rows));
    const cut = await panel.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.equal(cut, false);
    await panel.screenshot(`blame-${width}`);
  });

onPage('a table of causes that is not what it should be is a sentence in its place', {}, async (panel) => {
  await showBlame(panel);
  const one = { strings: ['', 'a'], name: [1], module: [0], file: [0], line: [0], kind: [0] };
  await panel.postView('blame', wire.BlameTable.encode({ causes: one, waiting: one, topLines: one }).finish());
  const words = await wordsOf(panel.page.locator('vscode-tab-panel', { hasText: 'cannot be shown' }));
  assert.match(words, /This view cannot be shown/);
});
