// The timeline and the selection in a real Chromium, with a host that keeps the selection as the extension does.
import assert from 'node:assert/strict';
import type { ShownTimelineRequest } from '../../core/selectionMessages.ts';
import { type PanelPage, showRun, wordsOf } from './browserPage.ts';
import { evilNames } from './evilNames.ts';
import { timelineContent } from './fakeRun.ts';
import { onPage } from './onPage.ts';
import { shopFunctions } from './shop.ts';
import { themes } from './themes.ts';
import {
  allOf,
  assertRanges,
  boxOf,
  chips,
  drag,
  EIGHT,
  focusTimeline,
  lastSelect,
  near,
  placeOn,
  press,
  SECOND,
  settled,
  showTimeline,
  THREADS,
} from './timelinePanel.ts';

onPage('a drag on a thread previews its range, and Enter commits it', {}, async (panel) => {
  await showTimeline(panel);
  await drag(panel, 1, 0.25, 0.5);
  const { selection, preview } = await lastSelect(panel);
  assert.equal(preview, true);
  assertRanges(selection, [[1, 2]]);
  assert.deepEqual(selection.threads, ['5001']);
  assert.deepEqual(await chips(panel), ['1–2 s', 'Thread worker-1 (5001)']);
  assert.equal(await wordsOf(panel.page.locator('.selection-base')), '412 of 5,321 samples (7.7 %)');
  assert.ok(await panel.page.locator('.selection-preview').isVisible());
  await press(panel, 'Enter');
  assert.deepEqual(await lastSelect(panel), { type: 'select', selection, preview: false });
  assert.equal(await panel.page.locator('.selection-preview').count(), 0);
});

onPage('tables are asked for with each answer, the graph once the hand rests', {}, async (panel) => {
  await showTimeline(panel);
  const before = (await allOf(panel, 'request')).length;
  await drag(panel, -1, 0.25, 0.5);
  const during = (await allOf(panel, 'request')).slice(before);
  assert.equal(during[0]!.view, 'functions');
  await panel.postView('functions', shopFunctions);
  await panel.page.waitForTimeout(200);
  const graphs = (await allOf(panel, 'request')).slice(before).filter(({ view }) => view === 'flameGraph');
  const steps = (await allOf(panel, 'select')).length;
  assert.ok(graphs.length >= 1 && graphs.length < steps, `${graphs.length} graphs, ${steps} steps`);
});

onPage('one step of a drag is on its way at a time, and the last one follows', {}, async (panel) => {
  await showTimeline(panel);
  await panel.page.evaluate(() => {
    (window as unknown as { answer: unknown }).answer = undefined; // the host is busy
  });
  await drag(panel, -1, 0.25, 0.75);
  const [first, ...more] = await allOf(panel, 'select');
  assert.equal(more.length, 0);
  const selected = {
    samples: 1,
    value: 1,
    runSamples: 2,
    runValue: 2,
    unit: '',
    notice: '',
    runtimes: [],
    canUndo: false,
    canRedo: false,
  };
  await panel.post({ type: 'selected', selection: first!.selection, preview: true, ...selected });
  await panel.settle();
  assertRanges((await lastSelect(panel)).selection, [[1, 3]]);
  assert.equal((await allOf(panel, 'select')).length, 2);
});

onPage('Escape goes back to what is committed', {}, async (panel) => {
  await showTimeline(panel);
  await drag(panel, -1, 0.25, 0.5);
  await press(panel, 'Enter');
  const committed = await lastSelect(panel);
  await drag(panel, 2, 0.75, 0.9);
  await press(panel, 'Escape');
  assert.deepEqual(await lastSelect(panel), committed);
  assert.deepEqual(await chips(panel), ['1–2 s']);
  await press(panel, 'Control+z');
  assert.deepEqual(await chips(panel), [], 'the preview that was dropped is no step of undo');
});

onPage('a double click and the magnifier commit, too', {}, async (panel) => {
  await showTimeline(panel);
  await drag(panel, -1, 0.25, 0.5);
  const { x, y } = await placeOn(panel, -1, 0.4);
  await panel.page.mouse.dblclick(x, y);
  await settled(panel);
  assert.equal((await lastSelect(panel)).preview, false);
  await drag(panel, -1, 0.6, 0.7);
  await panel.page.locator('.timeline-commit vscode-toolbar-button').click();
  await settled(panel);
  const { selection, preview } = await lastSelect(panel);
  assert.equal(preview, false);
  assertRanges(selection, [[2.4, 2.8]]);
});

onPage('Shift+drag adds a range, and an end of each can be moved', {}, async (panel) => {
  await showTimeline(panel);
  await drag(panel, -1, 0.1, 0.2);
  await panel.page.keyboard.down('Shift');
  await drag(panel, 3, 0.5, 0.6);
  await panel.page.keyboard.up('Shift');
  const { selection } = await lastSelect(panel);
  assertRanges(selection, [
    [0.4, 0.8],
    [2, 2.4],
  ]);
  assert.deepEqual(selection.threads, [], 'the ranges are of all threads');
  await drag(panel, 0, 0.6, 0.75);
  assertRanges((await lastSelect(panel)).selection, [
    [0.4, 0.8],
    [2, 3],
  ]);
  assert.deepEqual(await chips(panel), ['400–800 ms', '2–3 s']);
});

onPage('what is not selected is greyed on the tracks', {}, async (panel) => {
  await showTimeline(panel);
  const pixels = () =>
    panel.page.evaluate((where) => {
      const canvas = document.querySelector<HTMLCanvasElement>(where)!;
      const places = { inside: [0.4, 21], outside: [0.12, 21], otherThread: [0.45, 24 * 2 + 21] } as const;
      const entries = Object.entries(places).map(([name, [share, y]]) => {
        const { data } = canvas.getContext('2d')!.getImageData(Math.round(canvas.width * share), y, 1, 1);
        return [name, [...data].slice(0, 3).join()];
      });
      return Object.fromEntries(entries) as Record<keyof typeof places, string>;
    }, THREADS);
  const before = await pixels();
  await drag(panel, 0, 0.3, 0.5);
  const after = await pixels();
  assert.equal(after.inside, before.inside);
  assert.notEqual(after.outside, before.outside);
  assert.notEqual(after.otherThread, before.otherThread);
});

onPage('what has not come while zooming out is seen coarser, not blank', {}, async (panel) => {
  await showTimeline(panel);
  const painted = () =>
    panel.page.evaluate((where) => {
      const canvas = document.querySelector<HTMLCanvasElement>(where)!;
      const context = canvas.getContext('2d')!;
      return [0.06, 0.5].map((share) =>
        [...context.getImageData(Math.round(canvas.width * share), 21, 1, 1).data].join(),
      );
    }, THREADS);
  const whole = await painted();
  await focusTimeline(panel);
  await press(panel, ...Array(5).fill('ArrowRight'), '+', '+', ...Array(40).fill('Control+ArrowRight'));
  await panel.page.evaluate(() => {
    (window as unknown as { answer: unknown }).answer = undefined; // the host is busy
  });
  await press(panel, '0');
  assert.deepEqual(await painted(), whole);
});

onPage('keys move a cursor, extend a range and say where they are', {}, async (panel) => {
  await showTimeline(panel);
  await focusTimeline(panel);
  const said = () => panel.page.locator('.timeline [aria-live]').textContent();
  await press(panel, 'ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowDown');
  assert.match((await said())!, /^0\.08\d* s, worker-1: \d+ samples in own code, \d+ in libraries, \d+ in the kernel$/);
  const grid = panel.page.locator('.timeline-grid');
  assert.equal(await grid.getAttribute('aria-activedescendant'), 'timeline-track-1');
  for (let i = 0; i < 10; i++) await panel.page.keyboard.press('Shift+ArrowRight');
  await settled(panel);
  const { selection, preview } = await lastSelect(panel);
  assert.ok(preview);
  assertRanges(selection, [[0.08, 0.48]]);
  assert.deepEqual(selection.threads, ['5001']);
  await press(panel, 'Shift+ArrowDown');
  assert.deepEqual((await lastSelect(panel)).selection.threads, ['5001', '5002']);
  await press(panel, 'Enter');
  assert.equal((await lastSelect(panel)).preview, false);
  await press(panel, 'Home', 'Shift+End', 'Escape');
  assert.equal((await lastSelect(panel)).preview, false);
  assertRanges((await lastSelect(panel)).selection, [[0.08, 0.48]]);
});

onPage('zooming and panning ask for the part in view, and a double click on the axis for all', {}, async (panel) => {
  await showTimeline(panel);
  const requested = async () => (await allOf(panel, 'timeline')).at(-1)!.request;
  const { x, y } = await placeOn(panel, 0, 0.5);
  await panel.page.mouse.move(x, y);
  await panel.page.keyboard.down('Control');
  await panel.page.mouse.wheel(0, -250);
  await panel.page.keyboard.up('Control');
  await settled(panel);
  const zoomed = await requested();
  near(zoomed.fromNs, 1);
  near(zoomed.toNs, 3);
  await panel.page.keyboard.down('Shift');
  await panel.page.mouse.wheel(0, 99);
  await panel.page.keyboard.up('Shift');
  await settled(panel);
  assert.ok((await requested()).fromNs > zoomed.fromNs);
  await focusTimeline(panel);
  await press(panel, '+');
  const narrower = await requested();
  assert.ok(narrower.toNs - narrower.fromNs < 1.3 * SECOND);
  await panel.page.locator('.timeline-axis-surface').dblclick({ position: { x: 300, y: 8 } });
  await settled(panel);
  const ticks = await panel.page.locator('.timeline-tick:visible').allTextContents();
  assert.deepEqual(ticks.slice(0, 3), ['0 s', '0.5 s', '1.0 s']);
});

onPage('a click on a name selects the thread; the menu selects all of that name', {}, async (panel) => {
  await showTimeline(panel);
  await panel.page.locator('.timeline-row', { hasText: 'io' }).first().click();
  await settled(panel);
  assert.deepEqual((await lastSelect(panel)).selection.threads, ['5003']);
  assert.equal((await lastSelect(panel)).preview, false);
  await panel.page.locator('.timeline-row', { hasText: 'io' }).first().click({ button: 'right' });
  const entries = await panel.page.locator('.menu .menu-label').allTextContents();
  assert.deepEqual(entries, ['This Thread', 'Add or Remove This Thread', 'Same Name', 'This Process', 'All Threads']);
  await panel.page.getByRole('menuitem', { name: 'Same Name' }).click();
  await settled(panel);
  assert.deepEqual((await lastSelect(panel)).selection.threads, ['io']);
  assert.deepEqual(await chips(panel), ['Thread io']);
  await panel.page.locator('.timeline-row', { hasText: 'worker-1' }).click({ modifiers: ['Control'] });
  await settled(panel);
  assert.deepEqual((await lastSelect(panel)).selection.threads, ['io', '5001']);
  await panel.page.locator('.timeline-row', { hasText: 'All threads' }).click();
  await settled(panel);
  assert.deepEqual((await lastSelect(panel)).selection.threads, []);
});

onPage(
  'the selected function is coloured on every track, and the one under the cursor of an editor',
  {},
  async (panel) => {
    await showTimeline(panel);
    await panel.page.locator('.graph-tree').focus();
    await press(panel, 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown');
    await panel.page.waitForTimeout(250);
    const { request } = (await allOf(panel, 'timeline')).at(-1)!;
    assert.deepEqual(request.tinted, { name: 'main', module: 'shop' });
    assert.equal(await panel.page.locator('.timeline-key.tinted').textContent(), 'main');
    await press(panel, 'Home');
    await panel.page.waitForTimeout(250);
    assert.equal((await allOf(panel, 'timeline')).at(-1)!.request.tinted, undefined);
    const under = { name: 'shop::report(std::ostream&)', module: 'shop' };
    await panel.post({ type: 'underCursor', function: under });
    await panel.page.waitForTimeout(250);
    assert.deepEqual((await allOf(panel, 'timeline')).at(-1)!.request.tinted, under);
    assert.equal(await panel.page.locator('.timeline-key.tinted').textContent(), under.name);
  },
);

const stack = [...Array(20).keys()].map((i) => ({ name: `caller_${i}`, module: 'shop' }));
onPage('a pointer that rests shows the stack there, foreign names escaped', {}, async (panel) => {
  await showTimeline(panel, { ...EIGHT, stack: [...stack, ...evilNames.map((name) => ({ name, module: 'x' }))] });
  const { x, y } = await placeOn(panel, 1, 0.3);
  await panel.page.mouse.move(x, y);
  const tooltip = panel.page.locator('.timeline-tooltip');
  await tooltip.waitFor();
  const [asked] = await allOf(panel, 'hottestStack');
  assert.deepEqual([asked!.pid, asked!.tid], [4001, 5001]);
  assert.ok(asked!.time.fromNs <= 1.2 * SECOND + 5e6 && asked!.time.toNs > 1.19 * SECOND);
  assert.match(await wordsOf(tooltip), /worker-1.*Most frequent stack: 3 of 4 samples \(75\.0 %\).*more callers/);
  assert.equal(await tooltip.locator('.timeline-frame:not(.quiet)').count(), 12);
  assert.equal(await tooltip.locator('img, script, a').count(), 0);
  await panel.page.mouse.move(x, y - 300);
  assert.equal(await tooltip.isVisible(), false);
});

onPage('waits have colours of their own, and a pointer on one says what for', {}, async (panel) => {
  const keys = panel.page.locator('.timeline-key.queued, .timeline-key.waiting');
  await showTimeline(panel, { ...EIGHT, stack, waits: true });
  assert.deepEqual(await keys.allTextContents(), ['run queue', 'waiting']);
  const { x, y } = await placeOn(panel, 1, 0.3);
  await panel.page.mouse.move(x, y);
  const tooltip = panel.page.locator('.timeline-tooltip');
  await tooltip.waitFor();
  assert.match(await wordsOf(tooltip), /worker-1.*Longest wait: lock, 2\.00 ms/);
});

onPage('beside an editor the colours of waits are whole', { width: 620 }, async (panel) => {
  await showTimeline(panel, { ...EIGHT, waits: true });
  const cut = await panel.page
    .locator('.timeline-key:visible')
    .evaluateAll((keys) => keys.filter((key) => key.scrollWidth > key.clientWidth).length);
  assert.equal(cut, 0);
});

onPage('a run without waits has no colours of them', {}, async (panel) => {
  await showTimeline(panel);
  const keys = panel.page.locator('.timeline-key:visible');
  assert.deepEqual(await keys.allTextContents(), ['own code', 'libraries', 'kernel']);
});

onPage('of ten thousand threads only those in view are asked for and exist', {}, async (panel) => {
  await showTimeline(panel, { threads: 10_000, seconds: 4 });
  const asked = async (): Promise<ShownTimelineRequest> => (await allOf(panel, 'timeline')).at(-1)!.request;
  assert.ok((await asked()).count <= 64);
  const scroller = panel.page.locator('.timeline-scroller');
  await scroller.evaluate((element) => {
    element.scrollTop = 5000 * 24;
  });
  await settled(panel);
  const { first, count } = await asked();
  assert.ok(first <= 5000 && first + count > 5003 && count <= 64, `${first} ${count}`);
  assert.match((await panel.page.locator('#timeline-track-5000').textContent())!, /worker-5000/);
  assert.ok((await panel.page.locator('.timeline-row').count()) < 20);
  assert.equal(await panel.page.locator('.timeline-grid').getAttribute('aria-rowcount'), '10001');
  const before = (await allOf(panel, 'timeline')).length;
  await scroller.evaluate((element) => {
    element.scrollTop += 10 * 24;
  });
  await settled(panel);
  assert.equal((await allOf(panel, 'timeline')).length, before, 'the margin has come already');
});

onPage('by process is another order', {}, async (panel) => {
  await showTimeline(panel);
  await panel.page.locator('.timeline-tools [label="Threads by process"]').click();
  await settled(panel);
  assert.equal((await allOf(panel, 'timeline')).at(-1)!.request.order, 'process');
});

onPage('a folded timeline stays folded, and a height stays, after a reload', {}, async (panel) => {
  await showTimeline(panel);
  const handle = panel.page.getByRole('separator', { name: 'Height of the timeline' });
  await handle.focus();
  await press(panel, 'ArrowDown', 'ArrowDown');
  const height = await panel.page.locator('.timeline-scroller').evaluate((element) => element.clientHeight);
  assert.equal(height, 6 * 24);
  assert.equal(await handle.getAttribute('aria-valuenow'), '144');
  await panel.page.getByRole('button', { name: 'Hide Timeline' }).click();
  await panel.page.waitForTimeout(250);
  assert.equal(await panel.page.locator('.timeline-grid').isVisible(), false);
  await panel.page.reload();
  await panel.setTheme(themes.dark);
  await panel.post(showRun());
  await panel.settle();
  const { request } = (await allOf(panel, 'timeline')).at(-1)!;
  const content = Uint8Array.from(timelineContent(EIGHT, request)).buffer;
  await panel.post({ type: 'timeline', request, content });
  assert.equal(await panel.page.locator('.timeline-grid').isVisible(), false);
  await panel.page.getByRole('button', { name: 'Show Timeline' }).click();
  await panel.settle();
  assert.equal(await panel.page.locator('.timeline-scroller').evaluate((element) => element.clientHeight), height);
});

onPage('executions have marks, and their numbers select them', {}, async (panel) => {
  const executions = [
    { number: 0, fromNs: 0, toNs: SECOND },
    { number: 1, fromNs: SECOND, toNs: 2 * SECOND },
    { number: 2, fromNs: 2 * SECOND, toNs: 4 * SECOND },
  ];
  await showTimeline(panel, { ...EIGHT, executions });
  await panel.page.getByRole('button', { name: 'Select execution 2' }).click();
  await settled(panel);
  assert.deepEqual((await lastSelect(panel)).selection.executions, [2]);
  assert.deepEqual(await chips(panel), ['Execution 2']);
  await focusTimeline(panel);
  await press(panel, 'Home', ...Array(30).fill('ArrowRight'), 'Shift+F10');
  await panel.page.getByRole('menuitem', { name: 'Execution 1' }).click();
  await settled(panel);
  assert.deepEqual(await chips(panel), ['Execution 1'], 'and the menu at the cursor does, too');
});

onPage('after a drag Enter means the preview, wherever the focus was', {}, async (panel) => {
  await showTimeline(panel);
  await panel.page.locator('.graph-tree').focus();
  await press(panel, 'Home', 'ArrowDown');
  await drag(panel, -1, 0.25, 0.5);
  await press(panel, 'Enter');
  assert.equal((await lastSelect(panel)).preview, false);
  await press(panel, 'Control+z', 'Control+y');
  assert.deepEqual(await chips(panel), ['1–2 s']);
});

onPage('a profile without times has no timeline', {}, async (panel) => {
  await panel.post(showRun());
  await panel.settle();
  const [{ request } = { request: undefined }] = await allOf(panel, 'timeline');
  const content = Uint8Array.from(timelineContent({ threads: 0, seconds: 0 }, request!)).buffer;
  await panel.post({ type: 'timeline', request: request!, content });
  assert.equal(await panel.page.locator('.timeline').isVisible(), false);
});

/** A page that has just asked for its first timeline. */
async function firstRequest(panel: PanelPage): Promise<ShownTimelineRequest> {
  await panel.post(showRun());
  await panel.settle();
  return (await allOf(panel, 'timeline'))[0]!.request;
}

onPage('a timeline that cannot be had for no reason is not seen', {}, async (panel) => {
  const request = await firstRequest(panel);
  await panel.post({ type: 'timelineFailed', request, message: '' });
  await panel.settle();
  assert.equal(await panel.page.locator('.timeline').isVisible(), false);
});

onPage('the failure of a request that was not the last one is not taken for an answer to it', {}, async (panel) => {
  const request = await firstRequest(panel);
  const other = { ...request, fromNs: 1e9, toNs: 2e9 };
  await panel.post({ type: 'timelineFailed', request: other, message: 'The engine has ended.' });
  await panel.settle();
  assert.equal(await panel.page.locator('.timeline').isVisible(), false);
  const content = Uint8Array.from(timelineContent({ threads: 4, seconds: 4 }, request)).buffer;
  await panel.post({ type: 'timeline', request, content });
  await panel.settle();
  assert.equal(await panel.page.locator('.timeline').isVisible(), true);
  assert.equal(await wordsOf(panel.page.locator('.timeline-note')), '');
});

onPage('a timeline that cannot be had says why in one line', {}, async (panel) => {
  const request = await firstRequest(panel);
  await panel.post({ type: 'timelineFailed', request, message: 'The engine has ended.' });
  await panel.settle();
  assert.equal(await wordsOf(panel.page.locator('.timeline-note')), 'The engine has ended.');
  assert.ok((await boxOf(panel, '.timeline')).height <= 28);
  assert.equal(await panel.page.locator('.timeline-toggle').isVisible(), false);
});

onPage('a timeline that is damaged is refused in words and asked for no more', {}, async (panel) => {
  await showTimeline(panel);
  const before = (await allOf(panel, 'timeline')).length;
  const { request } = (await allOf(panel, 'timeline')).at(-1)!;
  await panel.post({ type: 'timeline', request, content: Uint8Array.from([0x3a, 0x50, 1]).buffer });
  assert.match((await panel.page.locator('.timeline-note').textContent())!, /^The timeline cannot be shown: /);
  assert.equal((await allOf(panel, 'timeline')).length, before);
});

for (const [name, theme] of Object.entries(themes))
  onPage(`the colours of the tracks are distinct and seen in ${name}`, { theme }, async (panel) => {
    await showTimeline(panel);
    const colours = await panel.page.evaluate(() => {
      const style = getComputedStyle(document.body);
      return ['own', 'library', 'kernel', 'tinted'].map((part) => style.getPropertyValue(`--timeline-${part}`).trim());
    });
    const { contrast } = await import('../graph/colourContrast.ts');
    const { lab } = await import('d3-color');
    const background = theme.variables['editor-background']!;
    for (const [at, colour] of colours.entries()) {
      assert.ok(contrast(colour, background) >= 3, `${colour} on ${background}: ${contrast(colour, background)}`);
      for (const other of colours.slice(at + 1)) {
        const [a, b] = [lab(colour), lab(other)];
        assert.ok(Math.hypot(a.l - b.l, a.a - b.a, a.b - b.b) > 40, `${colour} and ${other} look alike`);
      }
    }
  });
