// The menu of a frame or row in a real Chromium: by pointer and by keys, what each entry does, hidden functions, callers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { NamedFunction } from '../../core/webviewMessages.ts';
import { openPage, type PanelPage, showComparison, showRun, startBrowser, wordsOf } from './browserPage.ts';
import { shopComparedFunctions, shopComparedGraph, shopComparedLines, shopFunctions, shopGraph } from './shop.ts';

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

function onShop(name: string, act: (panel: PanelPage) => Promise<void>) {
  test(name, async () => {
    const panel = await openPage(browser);
    try {
      await panel.page.evaluate(() => {
        // What the browser would open of its own: nobody has prevented it once the event is through.
        const counted = window as unknown as { own: number };
        counted.own = 0;
        window.addEventListener('contextmenu', (event) => {
          if (!event.defaultPrevented) counted.own++;
        });
      });
      await panel.post(showRun());
      await panel.postView('flameGraph', shopGraph);
      await panel.postView('functions', shopFunctions);
      await act(panel);
      // A page that was loaded anew counts no more.
      assert.ok(!(await panel.page.evaluate(() => (window as unknown as { own?: number }).own)));
      assert.deepEqual(await panel.faults(), []);
    } finally {
      await panel.close();
    }
  });
}

const entries = (panel: PanelPage) => panel.page.locator('.menu .menu-label').allTextContents();
const choose = async (panel: PanelPage, label: string) => {
  await panel.page.getByRole('menuitem', { name: label, exact: true }).click();
  await panel.settle();
};
const rowOf = (panel: PanelPage, name: string) => panel.page.locator('.table-row:visible', { hasText: name }).first();
async function rightClickBox(panel: PanelPage, depth: number, share: number) {
  const box = (await panel.page.locator('.graph canvas').boundingBox())!;
  await panel.page.mouse.click(box.x + box.width * share, box.y + depth * 20 + 10, { button: 'right' });
  await panel.settle();
}
/** What was asked of the host last, of one type. */
const lastOf = async (panel: PanelPage, type: string) =>
  (await panel.sent()).filter((message) => message.type === type).at(-1);

const COMMON = ['Go to Line', 'Copy Name', 'Copy Stack', 'Zoom to Frame', 'Hide Function', 'Open Callers'];
const ALL = [
  ...COMMON,
  'Focus on Function',
  'Focus on Self',
  'Focus on Call Path',
  'Merge Function into Callers',
  'Drop Samples with Function',
  'Collapse Recursion',
  'Collapse Direct Recursion',
  'Collapse Module',
  'Merge Module into Callers',
  'Hide Kernel',
  'Just My Code',
];

onShop('a right click on a frame selects it and opens our menu, nothing else', async (panel) => {
  await rightClickBox(panel, 5, 0.1);
  assert.match(await panel.selectedItem(), /^std::_Rb_tree/);
  assert.deepEqual(await entries(panel), ALL);
  assert.equal(await panel.page.evaluate(() => document.activeElement?.getAttribute('role')), 'menuitem');
  assert.equal((await panel.sent()).filter(({ type }) => type === 'navigate').length, 0);
  await panel.page.keyboard.press('Escape');
  assert.equal(await panel.page.locator('.menu').count(), 0);
  assert.equal(await panel.page.evaluate(() => document.activeElement?.getAttribute('role')), 'tree');
});

onShop('beside the frames, and on the table’s head, no menu opens at all', async (panel) => {
  await rightClickBox(panel, 16, 0.9);
  await panel.page.locator('.table-head').click({ button: 'right' });
  assert.equal(await panel.page.locator('.menu').count(), 0);
});

for (const key of ['Shift+F10', 'ContextMenu'])
  onShop(`${key} opens the menu of what is selected, in the graph and in the table`, async (panel) => {
    await panel.page.locator('.graph-tree').focus();
    await panel.page.keyboard.press('Home');
    await panel.page.keyboard.press('ArrowDown');
    await panel.page.keyboard.press(key);
    assert.deepEqual(await entries(panel), ALL);
    assert.match((await panel.page.locator('.menu').getAttribute('aria-label'))!, /_start/);
    await panel.page.keyboard.press('o'); // Open Callers
    await panel.page.keyboard.press('Enter');
    assert.equal((await lastOf(panel, 'callers'))?.type, 'callers');
    await panel.page.locator('.table.functions').focus();
    await panel.page.keyboard.press('Home');
    await panel.page.keyboard.press(key);
    assert.deepEqual(
      await entries(panel),
      ALL.filter((entry) => entry !== 'Focus on Call Path'),
    );
    await panel.page.keyboard.press('c'); // to the first that begins so
    await panel.page.keyboard.press('Enter');
    const copied = (await panel.sent()).at(-1) as { text: string };
    assert.match(copied.text, /^std::_Rb_tree<.*_M_get_insert_unique_pos\(std::string const&\)$/);
  });

onShop('the entries do what they say, for a frame and for a row', async (panel) => {
  await rightClickBox(panel, 4, 0.1);
  await choose(panel, 'Copy Stack');
  assert.deepEqual(await panel.lastSent(), {
    type: 'copy',
    text: '_start;__libc_start_main;main;shop::countWords(std::istream&)',
  });
  await rowOf(panel, '_M_get_insert_unique_pos').click({ button: 'right' });
  await choose(panel, 'Go to Line');
  assert.deepEqual(await lastOf(panel, 'navigate'), {
    type: 'navigate',
    view: 'functions',
    value: 0,
    index: 0,
    aside: false,
  });
  await rowOf(panel, '_M_get_insert_unique_pos').click({ button: 'right' });
  await choose(panel, 'Zoom to Frame');
  await panel.page.waitForTimeout(200);
  const { span } = await panel.page.evaluate(
    () => JSON.parse(sessionStorage.getItem('state') ?? '{}') as { span: { width: number } },
  );
  assert.ok(span.width < 1, JSON.stringify(span));
});

onShop('a hidden function leaves graph and table until it is shown again, and after a reload', async (panel) => {
  const hidden: NamedFunction[] = [{ name: 'shop::countWords(std::istream&)', module: 'shop' }];
  await rowOf(panel, 'countWords').click({ button: 'right' });
  await choose(panel, 'Hide Function');
  assert.deepEqual(await lastOf(panel, 'request'), { type: 'request', view: 'flameGraph', value: 0, hidden });
  assert.equal(await panel.page.locator('.table-row:visible', { hasText: 'countWords' }).count(), 0);
  // An answer to the request of before comes too late.
  await panel.postView('flameGraph', shopGraph);
  assert.equal(await panel.page.locator('.graph-pane canvas').count(), 0);
  const content = Uint8Array.from(shopGraph).buffer;
  await panel.post({ type: 'view', view: 'flameGraph', value: 0, hidden, content });
  assert.equal(await panel.page.locator('.graph-pane canvas').count(), 1);
  await rightClickBox(panel, 2, 0.1);
  await choose(panel, 'Open Callers');
  assert.deepEqual(await lastOf(panel, 'callers'), { type: 'callers', view: 'flameGraph', value: 0, hidden, index: 2 });
  await panel.page.waitForTimeout(300);
  await panel.page.reload();
  await panel.post(showRun());
  await panel.settle();
  assert.deepEqual((await panel.sent())[1], { type: 'request', view: 'flameGraph', value: 0, hidden });
  await panel.post({ type: 'view', view: 'flameGraph', value: 0, hidden, content });
  await panel.page.getByRole('button', { name: '1 hidden, show' }).click();
  assert.deepEqual(await panel.lastSent(), { type: 'request', view: 'flameGraph', value: 0 });
});

onShop('the callers are listed, and a choice shows the caller', async (panel) => {
  const callers = [
    { name: 'shop::countWords(std::istream&)', module: 'shop', value: 900e6, samples: 900, newValue: 0 },
    { name: '<img src=x onerror="window.evil=1">', module: 'shop', value: 5e6, samples: 5, newValue: 0 },
  ];
  await panel.post({ type: 'callers', function: 'malloc', unit: 'nanoseconds', total: 2812e6, callers });
  const dialog = panel.page.locator('dialog.callers');
  assert.match(await wordsOf(dialog), /Callers of malloc.*countWords.*32\.0 % · 900 ms · 900 samples/);
  await dialog.getByRole('button', { name: 'countWords' }).click();
  await panel.settle();
  assert.equal(await dialog.count(), 0);
  assert.match(await panel.selectedItem(), /^shop::countWords/);
  await panel.post({ type: 'callers', function: 'main', unit: 'nanoseconds', total: 2812e6, callers: [] });
  assert.match(await wordsOf(dialog), /It has no callers in this run/);
});

test('a comparison has the same menu without changes of the stacks', async () => {
  const panel = await openPage(browser, { width: 1500 });
  await panel.post(showComparison());
  await panel.postView('comparedFlameGraph', shopComparedGraph);
  await panel.postView('comparedFunctions', shopComparedFunctions);
  await panel.postView('comparedLines', shopComparedLines);
  await rowOf(panel, '_M_get_insert_unique_pos').click({ button: 'right' });
  assert.deepEqual(await entries(panel), COMMON);
  await choose(panel, 'Open Callers');
  assert.deepEqual(await lastOf(panel, 'callers'), { type: 'callers', view: 'comparedFunctions', value: 0, index: 0 });
  assert.deepEqual(await panel.faults(), []);
  await panel.close();
});
