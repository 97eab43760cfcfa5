// Notes that concern one measure, in a real Chromium: shown with their measure, and behind the same control with every other one.
import assert from 'node:assert/strict';
import type { ShownMeasure } from '../../core/measureText.ts';
import type { MeasureProblems } from '../../core/webviewMessages.ts';
import { type PanelPage, showRun, wordsOf } from './browserPage.ts';
import { onPage } from './onPage.ts';

const values: ShownMeasure[] = [
  { type: 'samples', unit: 'count', family: 'cpu', isDetail: true },
  { type: 'cpu', unit: 'nanoseconds', family: 'cpu' },
  { type: 'wait', unit: 'nanoseconds', family: 'waiting' },
  { type: 'waits', unit: 'count', family: 'waiting', isDetail: true },
];
const [, CPU, WAIT, WAITS] = values.keys();
const PLACES = '94.3 % of the 312189 waits were too frequent to find the stack of each.';
const BUILD = 'app was built without optimization.';
const measureProblems: MeasureProblems[] = [{ values: [WAIT!, WAITS!], problems: [PLACES] }];

const note = (panel: PanelPage) => panel.page.locator('.problems');
const summary = (panel: PanelPage) => wordsOf(note(panel).locator('summary'));
const choose = async (panel: PanelPage, value: number) => {
  await panel.post({ type: 'measureChosen', value });
  await panel.settle();
};

onPage('a note of waits is shown with waiting time, and counted with CPU time', {}, async (panel) => {
  await panel.post(showRun({ values, defaultValue: CPU!, problems: [PLACES], measureProblems }));
  assert.equal(await summary(panel), 'Notes on other measures: 1');
  assert.equal(await note(panel).locator('.icon').count(), 0, 'no warning of these figures');
  await note(panel).locator('summary').click();
  assert.equal(await wordsOf(note(panel).locator('li')), `Waiting time: ${PLACES}`);
  await panel.screenshot('problems-of-others');
  for (const value of [WAIT!, WAITS!]) {
    await choose(panel, value);
    assert.equal(await summary(panel), PLACES);
    assert.equal(await note(panel).locator('.icon').count(), 1);
    assert.equal(await note(panel).locator('li').count(), 0);
  }
  await choose(panel, CPU!);
  assert.equal(await summary(panel), 'Notes on other measures: 1');
});

onPage('notes of this measure come first, and those of others are behind the same control', {}, async (panel) => {
  await panel.post(showRun({ values, defaultValue: CPU!, problems: [PLACES, BUILD], measureProblems }));
  assert.equal(await summary(panel), BUILD);
  await note(panel).locator('summary').press('Enter');
  assert.equal(await wordsOf(note(panel).locator('p')), 'About other measures:');
  assert.deepEqual(await note(panel).locator('li').allTextContents(), [`Waiting time: ${PLACES}`]);
  await panel.screenshot('problems-own-and-others');
  await choose(panel, WAIT!);
  assert.equal(await summary(panel), '2 things to know about these figures');
  assert.deepEqual(await note(panel).locator('li').allTextContents(), [PLACES, BUILD]);
});
