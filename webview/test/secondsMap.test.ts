// The map of seconds in a real Chromium: positions, selection by pointer and keys, and what it asks for.
import assert from 'node:assert/strict';
import type { PanelPage } from './browserPage.ts';
import type { FakeRun } from './fakeRun.ts';
import { onPage } from './onPage.ts';
import { themes } from './themes.ts';
import {
  allOf,
  assertRanges,
  boxOf,
  chips,
  EIGHT,
  lastSelect,
  press,
  SECOND,
  settled,
  showTimeline,
} from './timelinePanel.ts';

const CANVAS = '.seconds-canvas';
const toggle = (panel: PanelPage) => panel.page.locator('.timeline-tools [label="Map of seconds"]');

async function showMap(panel: PanelPage, run: FakeRun = EIGHT) {
  await showTimeline(panel, run);
  await toggle(panel).click();
  await settled(panel);
}

/** The middle of a cell of the four seconds of EIGHT, which are as wide as a second gets. */
async function placeOf(panel: PanelPage, second: number, row: number) {
  const { x, y } = await boxOf(panel, CANVAS);
  return { x: x + 24 * second + 12, y: y + 3 * row + 1.5 };
}
async function clickCell(panel: PanelPage, second: number, row: number) {
  const { x, y } = await placeOf(panel, second, row);
  await panel.page.mouse.click(x, y);
  await settled(panel);
}
const focusMap = (panel: PanelPage) => panel.page.locator('.seconds-scroller').focus();
const said = (panel: PanelPage) => panel.page.locator('.seconds-spoken').textContent();

onPage('the map takes the place of the tracks, and gives it back', {}, async (panel) => {
  await showMap(panel);
  assert.equal(await panel.page.locator('.timeline-grid').isVisible(), false);
  const { request } = (await allOf(panel, 'timeline')).at(-1)!;
  assert.deepEqual(request, { fromNs: 0, toNs: 4 * SECOND, columns: 200, first: 0, count: 0, order: 'time' });
  await toggle(panel).click();
  await settled(panel);
  assert.equal(await panel.page.locator('.timeline-grid').isVisible(), true);
  assert.equal(await panel.page.locator('.seconds-map').isVisible(), false);
});

onPage('two clicks select from the first cell to the second, and Enter commits it', {}, async (panel) => {
  await showMap(panel);
  await clickCell(panel, 2, 10);
  assert.deepEqual(await allOf(panel, 'select'), [], 'one cell is no range');
  await clickCell(panel, 1, 5);
  const { selection, preview } = await lastSelect(panel);
  assert.equal(preview, true);
  assertRanges(selection, [[1.1, 2.22]]);
  assert.deepEqual(selection.threads, []);
  await press(panel, 'Enter');
  assert.equal((await lastSelect(panel)).preview, false);
  assert.deepEqual(await chips(panel), ['1.10–2.22 s']);
});

onPage('a drag does the same, also beyond the edge of the map, and the magnifier commits it', {}, async (panel) => {
  await showMap(panel);
  const begin = await placeOf(panel, 3, 0);
  await panel.page.mouse.move(begin.x, begin.y);
  await panel.page.mouse.down();
  await panel.page.mouse.move(begin.x + 300, begin.y + 400, { steps: 5 });
  await settled(panel);
  await panel.page.mouse.up();
  assertRanges((await lastSelect(panel)).selection, [[3, 4]]);
  await panel.page.locator('.seconds-foot vscode-toolbar-button').click();
  await settled(panel);
  assert.equal((await lastSelect(panel)).preview, false);
});

onPage('keys move a cursor, begin and end a range, and say where they are', {}, async (panel) => {
  await showMap(panel);
  await focusMap(panel);
  await press(panel, 'ArrowRight', 'ArrowRight', 'ArrowDown');
  assert.match((await said(panel))!, /^1\.02–1\.04 s: \d+ samples in own code, \d+ in libraries, \d+ in the kernel$/);
  await press(panel, ' ');
  assert.match((await said(panel))!, /^A range begins here\. 1\.02–1\.04 s: /);
  await press(panel, 'Escape', ' ', 'ArrowRight', 'Enter');
  assertRanges((await lastSelect(panel)).selection, [[1.02, 2.04]]);
  assert.equal((await allOf(panel, 'select')).length, 1, 'Escape only dropped the beginning');
  await press(panel, 'Escape');
  assert.deepEqual((await lastSelect(panel)).selection.times, []);
  await press(panel, 'End', 'Enter', 'Enter', 'Enter');
  const { selection, preview } = await lastSelect(panel);
  assert.equal(preview, false);
  assertRanges(selection, [[3.98, 4]]);
});

onPage('the pointer is told time and samples', {}, async (panel) => {
  await showMap(panel);
  const { x, y } = await placeOf(panel, 1, 25);
  await panel.page.mouse.move(x, y);
  await panel.settle();
  const tooltip = panel.page.locator('.seconds-tooltip');
  assert.match((await tooltip.textContent())!, /^1\.50–1\.52 s: \d+ samples in own code/);
  await panel.page.mouse.move(x, y + 300);
  assert.equal(await tooltip.isVisible(), false);
});

onPage('what is not selected is quiet, and cells have the strength of their samples', {}, async (panel) => {
  await showMap(panel);
  const colour = (second: number, row: number) =>
    panel.page.evaluate(
      ([x, y]) => {
        const canvas = document.querySelector<HTMLCanvasElement>('.seconds-canvas')!;
        return [...canvas.getContext('2d')!.getImageData(x!, y!, 1, 1).data].slice(0, 3).join();
      },
      [24 * second + 12, 3 * row + 1],
    );
  const before = [await colour(0, 20), await colour(1, 20), await colour(3, 20)];
  assert.ok(new Set(before).size > 1, before.join(' '));
  await clickCell(panel, 1, 0);
  await clickCell(panel, 1, 49);
  await panel.page.mouse.move(5, 5);
  await panel.settle();
  assert.notEqual(await colour(0, 20), before[0]);
  assert.equal(await colour(1, 20), before[1]);
});

onPage('of a long run only the seconds in view are asked for, 80 at a time', {}, async (panel) => {
  await showMap(panel, { threads: 2, seconds: 3600 });
  for (let i = 0; i < 6; i++) await settled(panel);
  const asked = async () =>
    (await allOf(panel, 'timeline')).map(({ request }) => request).filter(({ count }) => count === 0);
  const first = await asked();
  assert.ok(first.length >= 2 && first.length <= 8, `${first.length} requests`);
  assert.ok(first.every(({ columns, fromNs, toNs }) => columns === 4000 && toNs - fromNs === 80 * SECOND));
  await focusMap(panel);
  await press(panel, 'ArrowRight', 'End');
  for (let i = 0; i < 6; i++) await settled(panel);
  const all = await asked();
  assert.equal(all.at(-1)!.toNs, 3600 * SECOND);
  assert.ok(all.length <= 2 * first.length + 1, `${all.length} requests`);
  assert.equal(new Set(all.map(({ fromNs }) => fromNs)).size, all.length, 'none twice');
  assert.match((await said(panel))!, /^3,599\.98–3,600\.00 s/);
});

onPage('the map stays after a reload', {}, async (panel) => {
  await showMap(panel);
  await panel.page.waitForTimeout(250);
  await panel.page.reload();
  await panel.setTheme(themes.dark);
  await showTimelineAgain(panel);
  assert.equal(await panel.page.locator('.timeline-grid').isVisible(), false);
  assert.equal(await panel.page.locator('.seconds-map').isVisible(), true);
});

async function showTimelineAgain(panel: PanelPage) {
  const { showRun } = await import('./browserPage.ts');
  const { timelineContent } = await import('./fakeRun.ts');
  await panel.post(showRun());
  await panel.settle();
  const { request } = (await allOf(panel, 'timeline')).at(-1)!;
  await panel.post({ type: 'timeline', request, content: Uint8Array.from(timelineContent(EIGHT, request)).buffer });
  await panel.settle();
}

onPage('a thousand seconds are drawn in little time', {}, async (panel) => {
  await showMap(panel, { threads: 2, seconds: 240 });
  for (let i = 0; i < 6; i++) await settled(panel);
  const calls = await panel.page.evaluate(async () => {
    let fills = 0;
    let images = 0;
    const { prototype } = CanvasRenderingContext2D;
    const { fillRect, drawImage } = prototype;
    prototype.fillRect = function (...args) {
      fills++;
      return fillRect.apply(this, args);
    };
    prototype.drawImage = function (this: CanvasRenderingContext2D, ...args: unknown[]) {
      images++;
      return (drawImage as (...all: unknown[]) => void).apply(this, args);
    } as typeof drawImage;
    document.querySelector('.seconds-scroller')!.dispatchEvent(new Event('scroll'));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    Object.assign(prototype, { fillRect, drawImage });
    return { fills, images };
  });
  assert.equal(calls.images, 1);
  assert.ok(calls.fills < 40, `${calls.fills} rectangles for 12,000 cells`);
});

for (const [name, theme] of Object.entries(themes))
  onPage(`the map in ${name} can be looked at`, { theme, width: 1100, height: 700 }, async (panel) => {
    await showMap(panel, { threads: 8, seconds: 60 });
    await focusMap(panel);
    await press(panel, 'ArrowRight', 'ArrowRight', ' ', ...Array(12).fill('ArrowRight'), ' ');
    await panel.screenshot(`seconds-${name}`);
  });
