// The map of seconds follows the measure, in a real Chromium: waits as waits, and a sentence where it cannot.
import assert from 'node:assert/strict';
import type { ShownMeasure } from '../../core/measureText.ts';
import { type PanelPage, showRun } from './browserPage.ts';
import { type FakeRun, serveRun } from './fakeRun.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';
import { allOf, press, SECOND, settled } from './timelinePanel.ts';

const values: readonly ShownMeasure[] = [
  { type: 'cpu', unit: 'nanoseconds', family: 'cpu' },
  { type: 'wait', unit: 'nanoseconds', family: 'waiting', isComplete: true },
  { type: 'alloc_space', unit: 'bytes', family: 'memory' },
  { type: 'faults', unit: 'count', family: 'memory' },
];
const RUN: FakeRun = { threads: 8, seconds: 4, shows: [0, 1, 2, 3], waits: true };

async function showMap(panel: PanelPage, run = RUN) {
  const host = await serveRun(panel.page, run);
  await panel.post(showRun({ values }));
  await panel.post(host.first());
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  await panel.page.locator('.timeline-row').first().waitFor();
  await panel.page.locator('.timeline-tools [label="Map of seconds"]').click();
  await settled(panel);
}

const choose = async (panel: PanelPage, name: string) => {
  await panel.page.getByRole('switch', { name }).click();
  await settled(panel);
};
const note = (panel: PanelPage) => panel.page.locator('.seconds-note').textContent();
const ofMap = async (panel: PanelPage) =>
  (await allOf(panel, 'timeline'))
    .map(({ request }) => request)
    .filter(({ columns, count }) => columns === 200 && count === 0);
/** What the first cell says. */
async function firstCell(panel: PanelPage) {
  await panel.page.locator('.seconds-scroller').focus();
  await press(panel, 'ArrowDown', 'ArrowUp');
  return panel.page.locator('.seconds-spoken').textContent();
}
const pixels = (panel: PanelPage) =>
  panel.page.locator('.seconds-canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());

onPage('with waiting time the map is of waits, and of samples again after it', {}, async (panel) => {
  await showMap(panel);
  assert.match((await firstCell(panel))!, /samples in own code/);
  const before = await pixels(panel);
  await choose(panel, 'waiting time');
  const whole = { fromNs: 0, toNs: 4 * SECOND, columns: 200, first: 0, count: 0, order: 'time' };
  assert.deepEqual((await ofMap(panel)).at(-1), { ...whole, value: 1 });
  assert.match((await firstCell(panel))!, /: \d\.\d threads waited on average$/);
  assert.equal(await note(panel), '');
  assert.notEqual(await pixels(panel), before);
  await panel.screenshot('seconds-map-waiting');
  await choose(panel, 'CPU time');
  assert.match((await firstCell(panel))!, /samples in own code/);
});

for (const [name, words] of [
  ['allocated memory', 'allocated memory'],
  ['page faults', 'page faults'],
] as const)
  onPage(`with ${name} the map says that it shows samples`, {}, async (panel) => {
    await showMap(panel);
    await choose(panel, name);
    assert.equal(await note(panel), `The map shows samples of CPU time: it cannot show ${words}.`);
    assert.match((await firstCell(panel))!, /samples in own code/);
    await choose(panel, 'CPU time');
    assert.equal(await note(panel), '');
  });

onPage('waits without times are a sentence, too', {}, async (panel) => {
  await showMap(panel, { ...RUN, shows: [0, 3, 2, 3] });
  await choose(panel, 'waiting time');
  assert.equal(await note(panel), 'The map shows samples of CPU time: it cannot show waiting time.');
  assert.match((await firstCell(panel))!, /samples in own code/);
});
