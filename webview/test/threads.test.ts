// The table of threads in a real Chromium, with a host that keeps the selection as the extension does.
import assert from 'node:assert/strict';
import type { PageMessage } from '../../core/webviewMessages.ts';
import { type PanelPage, showRun, wordsOf } from './browserPage.ts';
import { type FakeRun, serveRun, timelineContent } from './fakeRun.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';

const EIGHT: FakeRun = { threads: 8, seconds: 4 }; // of three processes

async function showThreads(panel: PanelPage, run: FakeRun = EIGHT) {
  const host = await serveRun(panel.page, run);
  await panel.post(showRun());
  await panel.post(host.first());
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  await panel.page.getByRole('tab', { name: 'Threads' }).click();
  await panel.page.locator('.threads .table-row').first().waitFor();
  await panel.settle();
}
const settled = async (panel: PanelPage) => {
  await panel.page.waitForTimeout(80);
  await panel.settle();
};
type Select = Extract<PageMessage, { type: 'select' }>;
const selects = async (panel: PanelPage) =>
  (await panel.sent()).filter((message): message is Select => message.type === 'select');
const threadsOf = async (panel: PanelPage) => (await selects(panel)).at(-1)?.selection.threads;
const row = (panel: PanelPage, text: string) => panel.page.locator('.threads .table-row:visible', { hasText: text });
const rowsOf = async (panel: PanelPage) => {
  const rows = await panel.page.locator('.threads .table-row:visible').evaluateAll((elements) =>
    elements
      .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
      .map((element) =>
        [...element.children]
          .slice(3, 5)
          .map((cell) => cell.textContent)
          .join(' ')
          .trim(),
      ),
  );
  return rows;
};
const ticks = (panel: PanelPage) =>
  panel.page
    .locator('.threads .table-row:visible [role=checkbox]')
    .evaluateAll((boxes) =>
      boxes
        .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
        .map((box) => box.getAttribute('aria-checked')),
    );

onPage('threads stand below their process, most samples first', { width: 1800 }, async (panel) => {
  await showThreads(panel);
  const before = [
    'shop: 3 threads',
    'main 5000',
    'io 5003',
    'worker-6 5006',
    'shop-helper: 3 threads',
    'worker-1 5001',
  ];
  assert.deepEqual((await rowsOf(panel)).slice(0, 6), before);
  assert.deepEqual(new Set(await ticks(panel)), new Set(['true']));
  await panel.page.locator('.threads .cell-samples button').click();
  await panel.settle();
  assert.deepEqual((await rowsOf(panel)).slice(0, 4), [
    'shop-helper: 3 threads',
    'io 5007',
    'worker-4 5004',
    'worker-1 5001',
  ]);
});

onPage('a tick takes a thread out, a process all of its threads, and all ticked is no filter', {}, async (panel) => {
  await showThreads(panel);
  await row(panel, '5003').locator('.tick').click();
  await settled(panel);
  assert.deepEqual(await threadsOf(panel), ['5000', '5001', '5002', '5004', '5005', '5006', '5007']);
  assert.equal((await selects(panel)).at(-1)!.preview, false);
  assert.deepEqual((await ticks(panel)).slice(0, 4), ['mixed', 'true', 'false', 'true']);
  assert.match((await panel.page.locator('.thread-status').textContent())!, /^Thread io \(5003\): not selected$/);
  await panel.page.locator('.threads .process .tick').first().click();
  await settled(panel);
  assert.deepEqual(await threadsOf(panel), []);
  assert.deepEqual(new Set(await ticks(panel)), new Set(['true']));
  await panel.page.locator('.threads .process .tick').first().click();
  await settled(panel);
  assert.deepEqual(await threadsOf(panel), ['5001', '5002', '5004', '5005', '5007']);
});

onPage('a click on a row selects it alone, a second one all again', {}, async (panel) => {
  await showThreads(panel);
  await row(panel, '5004').locator('.cell-thread').click();
  await settled(panel);
  assert.deepEqual(await threadsOf(panel), ['5004']);
  await row(panel, '5004').locator('.cell-thread').click();
  await settled(panel);
  assert.deepEqual(await threadsOf(panel), []);
});

onPage('keys move, tick and select alone; the last tick stays', {}, async (panel) => {
  await showThreads(panel);
  await panel.page.locator('.table.threads').focus();
  for (const key of ['Home', 'ArrowDown', 'Enter']) await panel.page.keyboard.press(key);
  await settled(panel);
  assert.deepEqual(await threadsOf(panel), ['5000']);
  await panel.page.keyboard.press('ArrowDown');
  await panel.page.keyboard.press('Space');
  await settled(panel);
  assert.deepEqual(await threadsOf(panel), ['5000', '5003']);
  assert.equal(await panel.page.locator('.table.threads').getAttribute('aria-activedescendant'), 'threads-2');
  await panel.page.keyboard.press('Space');
  await panel.page.keyboard.press('ArrowUp');
  await settled(panel);
  const steps = (await selects(panel)).length;
  await panel.page.keyboard.press('Space');
  await settled(panel);
  assert.equal((await selects(panel)).length, steps);
  assert.equal(await wordsOf(panel.page.locator('.thread-status')), 'At least one thread stays selected.');
});

onPage('the help of a run lists the keys of the table', {}, async (panel) => {
  await showThreads(panel);
  await panel.page.locator('.table.threads').focus();
  await panel.page.keyboard.press('?');
  const group = panel.page.locator('dialog.help section', {
    has: panel.page.getByRole('heading', { name: 'Threads' }),
  });
  assert.deepEqual(
    await group
      .locator('.help-row')
      .evaluateAll((rows) => rows.map(({ children }) => [...children].map((part) => part.textContent))),
    [
      ['↑ ↓, Home · End', 'move in the table'],
      ['click a tick, Space', 'add or remove the thread or process'],
      ['click a name, Enter', 'select it alone · all again'],
    ],
  );
});

onPage('ticks follow what is selected elsewhere, and undo', {}, async (panel) => {
  await showThreads(panel);
  await panel.page.locator('.timeline-row', { hasText: 'worker-1' }).click();
  await settled(panel);
  assert.deepEqual(
    (await ticks(panel)).filter((checked) => checked !== 'false'),
    ['mixed', 'true'],
  );
  await panel.page.keyboard.press('Control+z');
  await settled(panel);
  assert.deepEqual(new Set(await ticks(panel)), new Set(['true']));
});

onPage('ten thousand threads come in pages, and only rows in view exist', {}, async (panel) => {
  await showThreads(panel, { threads: 10_000, seconds: 4 });
  const asked = (await panel.sent()).flatMap((message) => (message.type === 'timeline' ? [message.request] : []));
  const pages = asked.filter(({ columns }) => columns === 1);
  assert.equal(pages.length, 40);
  assert.deepEqual(pages[1], { fromNs: 0, toNs: 0, columns: 1, first: 256, count: 256, order: 'process' });
  assert.equal(await panel.page.locator('.table.threads').getAttribute('aria-rowcount'), '10004');
  assert.ok((await panel.page.locator('.threads .table-row').count()) < 60);
  const steps = (await selects(panel)).length;
  await row(panel, '5003').locator('.tick').click();
  await settled(panel);
  assert.equal((await selects(panel)).length, steps);
  assert.match(await wordsOf(panel.page.locator('.thread-status')), /at most 1024 threads/);
  await panel.page.locator('.threads .process .tick').first().click();
  await settled(panel);
  assert.deepEqual((await selects(panel)).at(-1)!.selection.processes, ['4001', '4002']);
});

onPage('the tab stays after a reload; a run without threads says so', {}, async (panel) => {
  await showThreads(panel);
  await panel.page.waitForTimeout(250);
  await panel.page.reload();
  await panel.post(showRun());
  await panel.settle();
  for (let i = 0; i < 2; i++) {
    const request = (await panel.sent())
      .flatMap((message) => (message.type === 'timeline' ? [message.request] : []))
      .at(-1)!;
    const content = Uint8Array.from(timelineContent({ threads: 0, seconds: 0 }, request)).buffer;
    await panel.post({ type: 'timeline', request, content });
  }
  assert.equal(await wordsOf(panel.page.locator('.threads .table-empty')), 'This profile does not name its threads.');
});

for (const width of [320, 420, 900])
  onPage(`names and ticks of threads are seen at ${width} px`, { width }, async (panel) => {
    await showThreads(panel);
    const cells = panel.page.locator('.threads .table-row:visible').nth(1).locator('.cell-tick, .cell-thread');
    for (const box of await cells.evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().toJSON())))
      assert.ok(box.width >= 24 && box.right <= width, JSON.stringify(box));
    assert.equal(await panel.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
  });
