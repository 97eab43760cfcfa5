// Chips, undo and changed stacks in a real Chromium, with a host that keeps the selection as the extension does.
import assert from 'node:assert/strict';
import { wordsOf } from './browserPage.ts';
import { graphContent } from './contents.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';
import { allOf, chips, drag, lastSelect, press, settled, showTimeline } from './timelinePanel.ts';

onPage('a chip goes by its ×, and undo and redo go through the steps', {}, async (panel) => {
  await showTimeline(panel);
  assert.equal(await panel.page.locator('.selection-bar').isVisible(), false);
  await drag(panel, 1, 0.25, 0.5);
  await press(panel, 'Enter', 'k');
  assert.deepEqual(await chips(panel), ['1–2 s', 'Thread worker-1 (5001)', 'Kernel hidden']);
  await panel.page.getByRole('button', { name: 'Remove Thread worker-1 (5001) from the selection' }).click();
  await settled(panel);
  assert.deepEqual(await chips(panel), ['1–2 s', 'Kernel hidden']);
  await press(panel, 'Control+z', 'Control+z');
  assert.deepEqual(await chips(panel), ['1–2 s', 'Thread worker-1 (5001)']);
  await press(panel, 'Control+Shift+Z');
  assert.deepEqual(await chips(panel), ['1–2 s', 'Thread worker-1 (5001)', 'Kernel hidden']);
  await panel.page.getByRole('button', { name: 'Clear the selection' }).click();
  await settled(panel);
  assert.deepEqual(await chips(panel), []);
  assert.ok(await panel.page.locator('.selection-bar').isVisible(), 'there is something to undo');
  await panel.page.getByRole('button', { name: 'Undo (Ctrl+Z)' }).click();
  await settled(panel);
  assert.equal((await chips(panel)).length, 3);
});

onPage(
  'a selection is compared with the rest by mouse and keys, and two ranges where there are two',
  {},
  async (panel) => {
    await showTimeline(panel);
    const [rest, ranges] = [
      panel.page.locator('.selection-compare.rest'),
      panel.page.locator('.selection-compare.ranges'),
    ];
    assert.equal(await rest.count(), 0, 'nothing is selected');
    await press(panel, 'k');
    assert.match((await rest.getAttribute('title'))!, /^Compare with the Rest: Select times, threads/);
    await rest.click({ force: true });
    assert.deepEqual(await allOf(panel, 'compareParts'), [], 'the kernel hidden leaves nothing out');
    await drag(panel, 1, 0.25, 0.5);
    assert.equal(await rest.getAttribute('aria-disabled'), 'true', 'a preview is no selection');
    await press(panel, 'Enter');
    await settled(panel);
    assert.equal(await rest.getAttribute('aria-disabled'), 'false');
    await rest.click();
    await rest.focus();
    await panel.page.keyboard.press('Enter');
    const asked = await allOf(panel, 'compareParts');
    assert.deepEqual(asked, [
      { type: 'compareParts', parts: 'rest' },
      { type: 'compareParts', parts: 'rest' },
    ]);
    assert.match((await ranges.getAttribute('aria-label'))!, /^Compare the Two Ranges: Select exactly two/);
    assert.equal(await ranges.getAttribute('aria-disabled'), 'true');
  },
);

onPage('keys of inputs are theirs', {}, async (panel) => {
  await showTimeline(panel);
  await panel.page.locator('.search-field input').fill('');
  await press(panel, 'k', 'Control+z');
  assert.deepEqual(await allOf(panel, 'select'), []);
  assert.deepEqual(await allOf(panel, 'undoSelection'), []);
});

onPage('letters change the stacks from the graph and from the table', {}, async (panel) => {
  await showTimeline(panel);
  await panel.page.locator('.graph-tree').focus();
  await press(panel, 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'f');
  const countWords = { name: 'shop::countWords(std::istream&)', module: 'shop' };
  assert.deepEqual((await lastSelect(panel)).selection.transforms, [{ kind: 'focusFunction', function: countWords }]);
  await panel.page.locator('.table.functions').focus();
  await press(panel, 'Home', 'Shift+C', 'd');
  const kinds = (await lastSelect(panel)).selection.transforms.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['focusFunction', 'collapseModule', 'dropFunction']);
  await press(panel, 'j', 'j');
  assert.equal((await lastSelect(panel)).selection.transforms.length, 3, 'the same key takes it back');
  await panel.page.locator('.table-row:visible', { hasText: 'malloc' }).first().click({ button: 'right' });
  await panel.page.getByRole('menuitem', { name: 'Merge Function into Callers' }).click();
  await settled(panel);
  assert.match((await chips(panel)).at(-1)!, /^Without: .*malloc/);
});

onPage(
  'a collapsed library function opens by click, by key and from the menu, and collapses again',
  {},
  async (panel) => {
    const qsort = { name: 'qsort', module: 'libc.so.6' };
    await showTimeline(panel);
    await press(panel, 'j');
    const graph = {
      ...{ name: 'main', self: 20 },
      children: [{ ...qsort, self: 80, collapsed: true }],
    };
    await panel.postView('flameGraph', graphContent({ name: 'all', self: 0, children: [graph] }));
    const box = (await panel.page.locator('.graph canvas').boundingBox())!;
    await panel.page.mouse.click(box.x + box.width * 0.4, box.y + 2 * 20 + 10);
    assert.match(await panel.selectedItem(), /^qsort; libc\.so\.6 · collapsed: click to show what it calls/);
    await settled(panel);
    await panel.page.waitForTimeout(300); // a click waits for a second one
    const opened = [{ kind: 'myCode', opened: [qsort] }];
    assert.deepEqual((await lastSelect(panel)).selection.transforms, opened);
    assert.deepEqual(await chips(panel), ['Just my code, opened: qsort']);
    assert.deepEqual(await allOf(panel, 'navigate'), [], 'its source is not what was wanted');
    await press(panel, 'Control+z');
    assert.deepEqual(await chips(panel), ['Just my code']);
    await panel.page.locator('.graph-tree').focus();
    await press(panel, 'o');
    assert.deepEqual((await lastSelect(panel)).selection.transforms, opened);

    const open = {
      ...graph,
      children: [{ ...qsort, self: 50, children: [{ name: 'msort', module: 'libc.so.6', self: 30 }] }],
    };
    await panel.postView('flameGraph', graphContent({ name: 'all', self: 0, children: [open] }));
    await panel.page.mouse.click(box.x + box.width * 0.4, box.y + 2 * 20 + 10, { button: 'right' });
    await settled(panel);
    await panel.page.getByRole('menuitem', { name: 'Collapse What It Calls' }).click();
    await settled(panel);
    assert.deepEqual((await lastSelect(panel)).selection.transforms, [{ kind: 'myCode', opened: [] }]);
    await panel.page.locator('.graph-tree').focus();
    await press(panel, 'Home', 'ArrowDown', 'o');
    assert.deepEqual(await chips(panel), ['Just my code'], 'own code has nothing to open');
  },
);

onPage('a node is focused on with its call path, and runtimes of the run are hidden by the menu', {}, async (panel) => {
  await showTimeline(panel);
  await panel.page.locator('.graph-tree').focus();
  await press(panel, 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Shift+F');
  const [transform] = (await lastSelect(panel)).selection.transforms;
  assert.ok(transform?.kind === 'focusSubtree', JSON.stringify(transform));
  const names = transform.path.map(({ name }) => name);
  assert.deepEqual(names.slice(-2), ['main', 'shop::countWords(std::istream&)']);
  assert.match((await chips(panel))[0]!, /^Call path to .*countWords/);
  await panel.page.locator('.table.functions').focus();
  await press(panel, 'Home', 'Shift+F', 'Shift+R');
  const kinds = (await lastSelect(panel)).selection.transforms.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['focusSubtree', 'collapseDirectRecursion'], 'a row is no call path');
  const row = panel.page.locator('.table-row:visible', { hasText: 'malloc' }).first();
  for (const last of ['Rust standard library hidden', undefined]) {
    await row.click({ button: 'right' });
    assert.equal(await panel.page.getByRole('menuitem', { name: 'Hide Go Runtime' }).count(), 0);
    assert.equal(await panel.page.getByRole('menuitem', { name: 'Focus on Call Path' }).count(), 0);
    await panel.page.getByRole('menuitem', { name: 'Hide Rust Standard Library' }).click();
    await settled(panel);
    const shown = await chips(panel);
    if (last) assert.equal(shown.at(-1), last);
    else assert.equal(shown.length, 2, 'the same entry takes it back');
  }
});

onPage('new figures keep the selected function and the focus in the table', {}, async (panel) => {
  await showTimeline(panel);
  await panel.page.locator('.table.functions').focus();
  await press(panel, 'Home', 'ArrowDown', 'm');
  await panel.postView('functions', shopFunctions);
  await panel.page.waitForTimeout(200);
  await panel.postView('flameGraph', shopGraph);
  assert.match((await panel.page.locator('.table-row[aria-selected=true]').textContent())!, /__memcmp/);
  assert.match(await panel.selectedItem(), /^__memcmp/);
  assert.equal(await panel.page.evaluate(() => document.activeElement?.getAttribute('role')), 'grid');
});

onPage('a selection without samples says so, and how to get back', {}, async (panel) => {
  await showTimeline(panel);
  await drag(panel, 1, 0.25, 0.5);
  await panel.page.waitForTimeout(200);
  const nothing = (await import('./contents.ts')).graphContent({ name: 'all', self: 0 });
  await panel.postView('flameGraph', nothing);
  assert.match(await wordsOf(panel.page.locator('.graph-stage')), /The selection has no samples\. Undo the last step/);
});
