// Timeline and table of threads follow the measure, in a real Chromium.
import assert from 'node:assert/strict';
import type { ShownMeasure } from '../../core/measureText.ts';
import { type PanelPage, showRun } from './browserPage.ts';
import { type FakeRun, serveRun } from './fakeRun.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';
import { themes } from './themes.ts';
import { ALL, allOf, boxOf, focusTimeline, press, settled } from './timelinePanel.ts';

const values: readonly ShownMeasure[] = [
  { type: 'cpu', unit: 'nanoseconds', family: 'cpu' },
  { type: 'wait', unit: 'nanoseconds', family: 'waiting', isComplete: true },
  { type: 'alloc_space', unit: 'bytes', family: 'memory' },
  { type: 'faults', unit: 'count', family: 'memory' },
];
const RUN: FakeRun = { threads: 8, seconds: 4, shows: [0, 1, 2, 3], waits: true };

async function show(panel: PanelPage) {
  const host = await serveRun(panel.page, RUN);
  await panel.post(showRun({ values }));
  await panel.post(host.first());
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  await panel.page.locator('.timeline-row').first().waitFor();
  await settled(panel);
}

async function choose(panel: PanelPage, name: string) {
  await panel.page.getByRole('switch', { name }).click();
  await settled(panel);
}
const keysOf = (panel: PanelPage) => panel.page.locator('.timeline-key:visible').allTextContents();
const noteOf = (panel: PanelPage) => panel.page.locator('.timeline-note').textContent();
const spoken = (panel: PanelPage) => panel.page.locator('.timeline > .unseen').textContent();
/** Whether a colour of the style sheet is on the canvas of all threads. */
const hasColour = (panel: PanelPage, name: string) =>
  panel.page.locator(ALL).evaluate((canvas, property) => {
    const probe = document.createElement('div');
    probe.style.color = getComputedStyle(document.body).getPropertyValue(property);
    document.body.append(probe);
    const wanted = getComputedStyle(probe).color.match(/\d+/g)!.map(Number);
    probe.remove();
    const { width, height } = canvas as HTMLCanvasElement;
    const { data } = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height);
    for (let at = 0; at < data.length; at += 4)
      if ([0, 1, 2].every((i) => Math.abs(data[at + i]! - wanted[i]!) <= 2)) return true;
    return false;
  }, name);

onPage('with waiting time the tracks are of waits alone, in its words and order', {}, async (panel) => {
  await show(panel);
  assert.equal((await allOf(panel, 'timeline')).at(-1)!.request.value, undefined, 'the default needs no number');
  assert.ok(await hasColour(panel, '--timeline-own'));
  await choose(panel, 'waiting time');
  assert.equal((await allOf(panel, 'timeline')).at(-1)!.request.value, 1);
  assert.deepEqual(await keysOf(panel), ['run queue', 'waiting']);
  assert.ok(await hasColour(panel, '--timeline-waiting'));
  assert.ok(!(await hasColour(panel, '--timeline-own')));
  await focusTimeline(panel);
  await press(panel, 'ArrowRight');
  assert.match(
    (await spoken(panel))!,
    /All threads: on average \d\.\d threads waiting for a CPU and \d\.\d for something else/,
  );
  await press(panel, 'ArrowDown');
  assert.match((await spoken(panel))!, /main: of the time, .+ % waiting for a CPU and .+ % for something else/);
  assert.equal((await allOf(panel, 'hottestStack')).at(-1)!.value, 1);
  await choose(panel, 'CPU time');
  assert.deepEqual(await keysOf(panel), ['own code', 'libraries', 'kernel', 'run queue', 'waiting']);
});

onPage(
  'with memory there is memory in use over time, with its axis and peak, and threads again after it',
  {},
  async (panel) => {
    await show(panel);
    const before = await boxOf(panel, ALL);
    await choose(panel, 'allocated memory');
    assert.deepEqual(await keysOf(panel), ['memory in use, at most']);
    assert.ok(await hasColour(panel, '--timeline-memory'));
    assert.equal((await boxOf(panel, ALL)).height, 96);
    assert.equal(await panel.page.locator('.timeline-scroller').isVisible(), false);
    assert.match(
      (await panel.page.locator('.timeline-all').innerText()).replace(/\s+/g, ' '),
      /Memory in use peak 345 MiB/,
    );
    await focusTimeline(panel);
    await press(panel, 'End', 'ArrowDown');
    assert.match((await spoken(panel))!, /MiB in use/);
    assert.match((await panel.page.locator('.timeline-tooltip:visible').textContent())!, /MiB in use/);
    await choose(panel, 'CPU time');
    assert.deepEqual(await boxOf(panel, ALL), before);
    assert.equal(await panel.page.locator('.timeline-scroller').isVisible(), true);
  },
);

onPage('a measure without times says so, and the tracks stay those of samples', {}, async (panel) => {
  await show(panel);
  await choose(panel, 'page faults');
  assert.match(
    (await noteOf(panel))!,
    /The run has no times for this measure \(page faults\), so the tracks show samples/,
  );
  assert.deepEqual(await keysOf(panel), ['own code', 'libraries', 'kernel', 'run queue', 'waiting']);
  await choose(panel, 'CPU time');
  assert.equal(await noteOf(panel), '');
});

onPage('the table of threads has the figures of the measure', {}, async (panel) => {
  await show(panel);
  await panel.page.getByRole('tab', { name: 'Threads' }).click();
  const heads = () => panel.page.locator('.threads [role=columnheader]').allTextContents();
  const cells = (name: string) =>
    panel.page
      .locator('.threads .table-row:visible', { hasText: name })
      .first()
      .locator('[role=gridcell]')
      .allTextContents();
  await panel.page.locator('.threads .table-row').first().waitFor();
  assert.ok(
    (await heads()).some((head) => head.trim() === 'Samples'),
    String(await heads()),
  );
  await choose(panel, 'waiting time');
  await panel.page.locator('.threads .table-row').first().waitFor();
  assert.ok(
    (await heads()).some((head) => head.trim() === 'Waiting time'),
    String(await heads()),
  );
  const [, share, amount] = await cells('worker-6');
  assert.deepEqual([share!.trim(), amount!.trim()], ['19.4 %', '7.00 ms']);
});

for (const [name, theme] of Object.entries(themes))
  onPage(`memory over time in ${name}`, { theme, width: 520 }, async (panel) => {
    await show(panel);
    await choose(panel, 'allocated memory');
    assert.ok(await hasColour(panel, '--timeline-memory'));
    assert.equal(await panel.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true);
  });
