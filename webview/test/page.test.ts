// The page in a real Chromium: keys, search, mouse, messages, themes, state, foreign names.
import assert from 'node:assert/strict';
import { visibleText } from '../../core/foreignText.ts';
import { frameModule, frameName } from '../content/frameTable.ts';
import { readFunctionTable } from '../content/tables.ts';
import { type PanelPage, showComparison, showRun, wordsOf } from './browserPage.ts';
import { functionsContent, graphContent, randomGraph } from './contents.ts';
import { evilNames } from './evilNames.ts';
import { onPage } from './onPage.ts';
import { shopComparedFunctions, shopComparedGraph, shopComparedLines, shopFunctions, shopGraph } from './shop.ts';
import { themes } from './themes.ts';

async function showShop(panel: PanelPage) {
  await panel.post(showRun());
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
}

async function compareShop(panel: PanelPage) {
  await panel.post(showComparison());
  await panel.postView('comparedFlameGraph', shopComparedGraph);
  await panel.postView('comparedFunctions', shopComparedFunctions);
  await panel.postView('comparedLines', shopComparedLines);
}

const focusGraph = (panel: PanelPage) => panel.page.locator('.graph-tree').focus();
async function press(panel: PanelPage, ...keys: string[]) {
  for (const key of keys) await panel.page.keyboard.press(key);
  await panel.settle();
}
/** The middle of a box of the wide graph: depth, and a share of the graph's width. */
async function boxAt(panel: PanelPage, depth: number, share: number) {
  const box = (await panel.page.locator('.graph canvas').boundingBox())!;
  return { x: box.x + box.width * share, y: box.y + depth * 20 + 10 };
}
/** Waits until the page has said it, for a click is held back in case it becomes a double click. */
async function said(panel: PanelPage, type: string) {
  const deadline = Date.now() + 5000;
  for (;;) {
    const found = (await panel.sent()).filter((message) => message.type === type);
    if (found.length > 0) return found;
    assert.ok(Date.now() < deadline, `the page said nothing of type ${type}`);
    await panel.page.waitForTimeout(20);
  }
}

onPage('the page says ready, then asks for the views of what it is shown', {}, async (panel) => {
  assert.deepEqual(await panel.sent(), [{ type: 'ready' }]);
  await panel.post(showRun());
  await panel.settle();
  assert.deepEqual((await panel.sent()).slice(1), [
    { type: 'request', view: 'flameGraph', value: 0 },
    { type: 'request', view: 'functions', value: 0 },
    {
      type: 'timeline',
      request: { fromNs: 0, toNs: 0, columns: 1000, first: 0, count: 28, order: 'time' },
    },
  ]);
});

onPage('arrow keys walk the tree, and the tree for screen readers follows', {}, async (panel) => {
  await showShop(panel);
  await focusGraph(panel);
  await press(panel, 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown');
  assert.match(await panel.selectedItem(), /^shop::countWords/);
  await press(panel, 'ArrowDown');
  assert.match(await panel.selectedItem(), /^std::_Rb_tree.*Self 21\.7 %, 610 ms, 610 samples/);
  await press(panel, 'ArrowRight');
  assert.match(await panel.selectedItem(), /^shop::Tokenizer::next/);
  await press(panel, 'ArrowLeft', 'ArrowUp');
  assert.match(await panel.selectedItem(), /^shop::countWords/);
  await press(panel, 'End');
  assert.match(await panel.selectedItem(), /^__memcmp_avx2_movbe/);
  const item = panel.page.locator('[role=treeitem][aria-selected=true]');
  assert.equal(await item.getAttribute('aria-level'), '8');
  const tree = panel.page.locator('[role=tree]');
  assert.equal(await tree.getAttribute('aria-activedescendant'), await item.getAttribute('id'));
});

onPage('the selection of the graph is the selection of the table, and the other way round', {}, async (panel) => {
  await showShop(panel);
  await focusGraph(panel);
  await press(panel, 'Home', 'End');
  const row = panel.page.locator('.table-row[aria-selected=true]');
  assert.match((await row.textContent())!, /__memcmp_avx2_movbe/);
  await panel.page.locator('.table-row', { hasText: 'copy_page_to_iter' }).click();
  await panel.settle();
  assert.match(await panel.selectedItem(), /^copy_page_to_iter/);
});

onPage('Enter fits the selected frame, Escape goes back, 0 shows everything', {}, async (panel) => {
  await showShop(panel);
  await focusGraph(panel);
  const right = await panel.pixel(700, 123); // nothing is drawn there: countWords ends before
  await press(panel, 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
  assert.notEqual(await panel.pixel(700, 103), right);
  const fitted = await panel.pixel(600, 103);
  assert.equal(await panel.pixel(100, 103), fitted); // one box from edge to edge
  await press(panel, 'Escape');
  await press(panel, 'Enter', '0');
  assert.notEqual(await panel.pixel(600, 103), fitted);
});

onPage('the wheel zooms with Ctrl only', { height: 500 }, async (panel) => {
  await showShop(panel);
  const { x, y } = await boxAt(panel, 5, 0.1);
  const stateSpan = () =>
    panel.page.evaluate(
      () => JSON.parse(sessionStorage.getItem('state') ?? '{}').span as { left: number; width: number },
    );
  await panel.page.mouse.move(x, y);
  await panel.page.mouse.wheel(0, -120);
  await panel.page.waitForTimeout(250);
  assert.deepEqual(await stateSpan(), { left: 0, width: 1 });
  await panel.page.keyboard.down('Control');
  await panel.page.mouse.wheel(0, -240);
  await panel.page.keyboard.up('Control');
  await panel.page.waitForTimeout(250);
  const zoomed = await stateSpan();
  assert.ok(zoomed.width < 0.7 && zoomed.left > 0, JSON.stringify(zoomed));
  assert.ok(Math.abs(zoomed.left + zoomed.width * 0.1 - 0.1) < 0.01, 'what is under the pointer stays there');
  await panel.page.mouse.down();
  await panel.page.mouse.move(x + 60, y, { steps: 5 });
  await panel.page.mouse.up();
  await panel.page.waitForTimeout(350);
  assert.ok((await stateSpan()).left < zoomed.left, 'dragging right shows what is to the left');
  assert.ok(!(await panel.sent()).some(({ type }) => type === 'navigate'), 'a drag is not a click');
});

onPage('a click goes to the source, Alt+click to the side, a double click fits', {}, async (panel) => {
  await showShop(panel);
  const at = await boxAt(panel, 5, 0.1);
  await panel.page.mouse.click(at.x, at.y);
  assert.deepEqual((await said(panel, 'navigate')).at(-1), {
    type: 'navigate',
    view: 'flameGraph',
    value: 0,
    index: 5,
    aside: false,
  });
  await panel.page.keyboard.down('Alt');
  await panel.page.mouse.click(at.x, at.y);
  await panel.page.keyboard.up('Alt');
  await panel.page.waitForTimeout(400);
  assert.deepEqual(await panel.lastSent(), { type: 'navigate', view: 'flameGraph', value: 0, index: 5, aside: true });
  const before = (await panel.sent()).length;
  await panel.page.mouse.dblclick(at.x, at.y);
  await panel.page.waitForTimeout(400);
  assert.equal((await panel.sent()).length, before);
  assert.equal(await panel.pixel(600, 103), await panel.pixel(100, 103));
});

onPage('a frame without source says why at the foot of the page, until something else is chosen', {}, async (panel) => {
  await showShop(panel);
  const status = panel.page.locator('.page-status');
  await focusGraph(panel);
  await press(panel, 'Home', 'End', 'F12');
  assert.equal(await status.textContent(), '');
  const message = 'This function has no source lines: <b>its module</b> has no line information.';
  await panel.post({ type: 'noSource', message });
  await panel.settle();
  assert.equal(await status.textContent(), message);
  assert.ok(await status.isVisible());
  assert.equal(await status.getAttribute('role'), 'status');
  const [line, view] = [await status.boundingBox(), panel.page.viewportSize()];
  assert.ok(line!.y + line!.height <= view!.height + 0.5, 'it is inside the page');
  await press(panel, 'Home');
  assert.equal(await status.textContent(), '');
  // Also when only the table is in view.
  await press(panel, '5');
  await panel.page.locator('.table').focus();
  await press(panel, 'Home', 'Enter');
  await panel.post({ type: 'noSource', message });
  await panel.settle();
  assert.ok(await status.isVisible());
});

onPage('F12 opens the source, Ctrl+C copies the name, from graph and table', {}, async (panel) => {
  await showShop(panel);
  await focusGraph(panel);
  await press(panel, 'Home', 'End', 'F12');
  assert.equal((await panel.lastSent())!.type, 'navigate');
  await press(panel, 'Control+c');
  assert.deepEqual(await panel.lastSent(), { type: 'copy', text: '__memcmp_avx2_movbe' });
  await panel.page.locator('.table').focus();
  await press(panel, 'Home', 'Enter');
  assert.deepEqual(await panel.lastSent(), { type: 'navigate', view: 'functions', value: 0, index: 0, aside: false });
});

onPage('search filters the table, counts matches and walks through them', {}, async (panel) => {
  await showShop(panel);
  await press(panel, 'Control+f');
  await panel.page.keyboard.type('malloc');
  await panel.page.waitForTimeout(150);
  const count = panel.page.locator('.search-count');
  // What they add up to is the engine's figure: none is shown before it has come, and none of an earlier search.
  assert.equal(await count.textContent(), '2');
  const [asked] = (await said(panel, 'measureMatches')).slice(-1);
  assert.ok(asked?.type === 'measureMatches' && asked.frames.length === 2);
  await panel.post({ type: 'matched', search: asked.search - 1, share: 0.5, newShare: 0 });
  await panel.post({ type: 'matched', search: asked.search, share: 0.0974, newShare: 0 });
  await panel.settle();
  assert.equal(await count.textContent(), '2 · 9.7 %');
  assert.equal(await panel.page.locator('.table-row:visible').count(), 2);
  await press(panel, 'Enter');
  assert.equal(await count.textContent(), '1 of 2 · 9.7 %');
  assert.match(await panel.selectedItem(), /^malloc/);
  await press(panel, 'Enter');
  assert.match(await panel.selectedItem(), /^_int_malloc/);
  await press(panel, 'Shift+Enter');
  assert.match(await panel.selectedItem(), /^malloc/);
  await press(panel, 'Alt+c');
  await panel.page.locator('.search-field input').fill('MALLOC');
  await panel.page.waitForTimeout(150);
  assert.equal(await count.textContent(), 'No matches');
  await press(panel, 'Alt+r');
  await panel.page.locator('.search-field input').fill('(');
  await panel.page.waitForTimeout(150);
  assert.equal(await count.textContent(), 'Not a valid regular expression');
  await panel.page.locator('.search-field input').fill('^_int_m.lloc$');
  await panel.page.waitForTimeout(150);
  assert.match((await count.textContent())!, /^1$/);
  await press(panel, 'Escape');
  await panel.page.waitForTimeout(150);
  assert.equal(await count.textContent(), '');
});

onPage('the table sorts by each head and says so', {}, async (panel) => {
  await showShop(panel);
  const head = panel.page.locator('.table .cell-name[role=columnheader]');
  const first = () => panel.page.locator('.table-row[aria-rowindex="2"] .cell-name').textContent();
  await head.locator('button').click();
  await panel.settle();
  assert.equal(await head.getAttribute('aria-sort'), 'ascending');
  assert.match((await first())!, /^0x7f3c/);
  await head.locator('button').click();
  await panel.settle();
  assert.equal(await head.getAttribute('aria-sort'), 'descending');
  assert.match((await first())!, /^void std/);
});

onPage('the tooltip tells the frame, and in time screen readers too', {}, async (panel) => {
  await showShop(panel);
  const { x, y } = await boxAt(panel, 5, 0.1);
  await panel.page.mouse.move(x, y);
  const tooltip = panel.page.locator('.tooltip');
  await tooltip.waitFor();
  assert.match(await wordsOf(tooltip), /stl_tree\.h:2064.*48\.8 %/);
  await panel.page.waitForTimeout(700);
  assert.match((await panel.page.locator('.graph [aria-live]').textContent())!, /Total 48\.8 %/);
  await panel.page.mouse.move(x, y + 400);
  assert.equal(await tooltip.isVisible(), false);
});

onPage('a change of the theme recolours the graph', {}, async (panel) => {
  await showShop(panel);
  const dark = await panel.pixel(500, 50);
  await panel.setTheme(themes.light);
  await panel.settle();
  const light = await panel.pixel(500, 50);
  assert.notEqual(light, dark);
  assert.equal(await panel.pixel(500, 400), '255,255,255');
  await panel.setTheme(themes.highContrast);
  await panel.settle();
  assert.equal(await panel.pixel(500, 50), '0,0,0');
});

onPage('what was looked at is there again after a reload', {}, async (panel) => {
  await showShop(panel);
  await focusGraph(panel);
  await press(panel, 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
  await panel.page.locator('.cell-name[role=columnheader] button').click();
  await panel.page.locator('.search-field input').fill('std');
  await panel.page.waitForTimeout(400);
  await focusGraph(panel);
  await press(panel, '1');
  await panel.page.waitForTimeout(300);
  const pixel = await panel.pixel(400, 90);
  await panel.load(themes.dark);
  await showShop(panel);
  assert.equal(await panel.page.locator('.table').count(), 0);
  assert.equal(await panel.page.locator('.search-field input').inputValue(), 'std');
  assert.equal(await panel.pixel(400, 90), pixel);
  assert.match(await panel.selectedItem(), /^shop::countWords/);
  await focusGraph(panel);
  await press(panel, '2');
  assert.equal(await panel.page.locator('.cell-name[role=columnheader]').getAttribute('aria-sort'), 'ascending');
});

onPage('another panel does not get this one’s state', {}, async (panel) => {
  await showShop(panel);
  await press(panel, '5');
  await panel.page.waitForTimeout(300);
  await panel.load(themes.dark);
  await panel.post(showRun({ panel: 'run:2' }));
  await panel.settle();
  assert.equal(await panel.page.locator('.graph-pane').count(), 1);
});

onPage('a comparison shows new and vanished frames, widths of both, base or new', {}, async (panel) => {
  await compareShop(panel);
  await focusGraph(panel);
  await press(panel, 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown');
  assert.match(await panel.selectedItem(), /^shop::Tokenizer::next/); // the widest of both runs together
  await press(panel, 'ArrowLeft', 'ArrowLeft');
  assert.match(await panel.selectedItem(), /^std::_Rb_tree.*Self base 610 ms, new 0 ns, change −610 ms/);
  const vanished = await panel.pixel(60, 103);
  const [red, , blue] = vanished.split(',').map(Number) as [number, number, number];
  assert.ok(blue > red + 60, `a vanished frame is blue, not ${vanished}`);
  await panel.page.getByText('New', { exact: true }).first().click();
  await panel.settle();
  const added = (await panel.pixel(60, 103)).split(',').map(Number) as [number, number, number];
  assert.ok(added[0] > added[2] + 40, `the new run begins with the new frame in red, not ${added}`);
});

onPage('tables of a comparison: functions, lines, self and total', {}, async (panel) => {
  await compareShop(panel);
  const first = panel.page.locator('.comparedFunctions .table-row[aria-rowindex="2"]');
  assert.match((await first.textContent())!, /^−−610\.0 ms/);
  assert.equal(await first.locator('.cell-verdict').getAttribute('aria-label'), 'gone');
  await panel.page.getByText('Total', { exact: true }).click();
  await panel.settle();
  assert.match((await first.textContent())!, /−1,370\.0 ms.*_Rb_tree/);
  await panel.page.getByText('Lines', { exact: true }).click();
  const line = panel.page.locator('.comparedLines .table-row[aria-rowindex="2"]');
  await line.click();
  assert.deepEqual((await said(panel, 'navigate')).at(-1), {
    type: 'navigate',
    view: 'comparedLines',
    value: 0,
    index: 0,
    aside: false,
  });
  assert.match((await line.locator('.cell-line').textContent())!, /stl_tree\.h:2064/);
});

onPage('foreign names make no element, run nothing and hide nothing', {}, async (panel) => {
  const children = evilNames.map((name) => ({ name, self: 20, module: name, file: name, line: 3 }));
  const rows = evilNames.map((name) => ({ name, self: 20, total: 20, module: name, file: name, line: 3 }));
  await panel.post(
    showRun({
      title: evilNames[0]!,
      runs: [{ name: '', facts: evilNames.slice(0, 9) }],
      problems: evilNames.slice(0, 3),
    }),
  );
  await panel.postView('flameGraph', graphContent({ name: 'all', self: 0, children }));
  await panel.postView('functions', functionsContent(rows, 20 * rows.length));
  await focusGraph(panel);
  await press(panel, 'Home', 'ArrowDown');
  for (let i = 0; i < evilNames.length; i++) await press(panel, 'ArrowRight');
  const { x, y } = await boxAt(panel, 1, 0.02);
  await panel.page.mouse.move(x, y);
  await panel.page.locator('.search-field input').fill('__proto__');
  await panel.page.waitForTimeout(200);
  assert.equal(await panel.page.locator('.search-count').textContent(), '1');
  await panel.page.locator('.search-field input').fill('');
  await panel.page.waitForTimeout(200);
  const found = await panel.page.evaluate(() => {
    // Blanks between elements are the templates' own; a name stands in a text of its own.
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode.nodeValue ?? '');
    return {
      evil: (window as unknown as { evil?: number }).evil,
      elements:
        document.querySelectorAll('img, iframe, b, i, style, object, a').length +
        document.querySelectorAll('body script').length,
      text: texts.filter((text) => /[^\n ]/.test(text)).join(''),
    };
  });
  assert.equal(visibleText(found.text, Number.POSITIVE_INFINITY), found.text, 'every character can be seen');
  assert.deepEqual([found.evil, found.elements], [undefined, 0]);
});

onPage('the host can point at a function, before or after the views have come', {}, async (panel) => {
  await panel.post(showRun());
  await panel.post({ type: 'reveal', row: -1, name: 'malloc', module: '' });
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  assert.match(await panel.selectedItem(), /^malloc/);
  const { frames } = readFunctionTable(shopFunctions);
  const [first, module] = [frameName(frames, 0), frameModule(frames, 0)];
  assert.match(first, /^std::_Rb_tree/);
  await panel.post({ type: 'reveal', row: -1, name: first, module: 'another module' });
  await panel.settle();
  assert.match(await panel.selectedItem(), /^malloc/);
  await panel.post({ type: 'reveal', row: -1, name: first, module });
  await panel.settle();
  assert.match(await panel.selectedItem(), /^std::_Rb_tree/);
});

onPage('another value is asked for when it is chosen', {}, async (panel) => {
  await panel.post(
    showRun({
      values: [
        { type: 'cpu', unit: 'nanoseconds', family: 'cpu' },
        { type: 'wait', unit: 'nanoseconds', family: 'waiting' },
      ],
    }),
  );
  await panel.postView('flameGraph', shopGraph);
  await panel.page.getByRole('switch', { name: 'waiting time' }).click();
  await panel.settle();
  assert.deepEqual((await panel.sent()).slice(-3), [
    { type: 'request', view: 'flameGraph', value: 1 },
    { type: 'request', view: 'functions', value: 1 },
    { type: 'chooseMeasure', value: 1 },
  ]);
});

onPage('the help opens and closes by key and gives the focus back', {}, async (panel) => {
  await showShop(panel);
  await focusGraph(panel);
  await press(panel, '?');
  assert.equal(await panel.page.locator('dialog').isVisible(), true);
  await press(panel, 'Escape');
  assert.equal(await panel.page.locator('dialog').isVisible(), false);
  assert.equal(await panel.page.evaluate(() => document.activeElement?.getAttribute('role')), 'tree');
});

onPage('panes stand beside each other in a wide panel and above each other in a narrow one', {}, async (panel) => {
  await showShop(panel);
  const places = async () => {
    const graph = (await panel.page.locator('.graph-pane').boundingBox())!;
    const table = (await panel.page.locator('.table-pane').boundingBox())!;
    return table.x >= graph.x + graph.width - 2 ? 'beside' : table.y >= graph.y + graph.height - 2 ? 'below' : 'over';
  };
  assert.equal(await places(), 'beside');
  await panel.page.setViewportSize({ width: 420, height: 700 });
  await panel.page.waitForTimeout(200);
  assert.equal(await places(), 'below');
  assert.equal(await panel.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
});

onPage('half a million nodes are drawn, walked and searched', {}, async (panel) => {
  const { graph, functions } = randomGraph(500_000, 1_000_000);
  await panel.post(showRun());
  await panel.postView('flameGraph', graph);
  await panel.postView('functions', functions);
  await focusGraph(panel);
  await press(panel, 'Home', 'End', 'Enter', '0');
  await panel.page.locator('.search-field input').fill('parse');
  await panel.page.waitForTimeout(500);
  assert.match((await panel.page.locator('.search-count').textContent())!, /^[\d,]+$/);
});
