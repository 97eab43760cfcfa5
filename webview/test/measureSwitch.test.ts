// The switch for what is measured, in a real Chromium: runs of ours and of other tools, narrow pages, all themes, colours and words of
// waiting time and memory.
import assert from 'node:assert/strict';
import { hcl } from 'd3-color';
import type { ShownMeasure } from '../../core/measureText.ts';
import type { ShowMessage } from '../../core/webviewMessages.ts';
import { wire } from '../../core/wire.ts';
import { type PanelPage, showComparison, showRun, wordsOf } from './browserPage.ts';
import { shownShop } from './comparison.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph, shopJudgedFunctions, shopJudgedGraph, shopJudgedLines } from './shop.ts';
import { themes } from './themes.ts';
import { allOf } from './timelinePanel.ts';

const measure = (type: string, unit: string, family: ShownMeasure['family'], isDetail = false): ShownMeasure => ({
  ...{ type, unit, family, isDetail },
  isComplete: family === 'waiting',
});
/** All that a recording of ours can have, as it has them. */
const own = [
  measure('samples', 'count', 'cpu', true),
  measure('cpu', 'nanoseconds', 'cpu'),
  measure('wait', 'nanoseconds', 'waiting'),
  measure('waits', 'count', 'waiting', true),
  measure('alloc_objects', 'count', 'memory', true),
  measure('alloc_space', 'bytes', 'memory'),
  measure('inuse_space', 'bytes', 'memory'),
];
const [SAMPLES, CPU, WAIT, WAITS, , ALLOC] = own.keys();
const unrecorded = [
  { type: 'wait', sentence: 'Waiting time was not recorded. Record without --no-waiting.' },
  { type: 'alloc_space', sentence: 'Allocated memory was not recorded. Record with --alloc.' },
];

const facesOf = async (panel: PanelPage) => {
  const faces = panel.page.locator('.measure-switch vscode-toolbar-button, .measure-switch .measure-absent');
  return (await faces.allTextContents()).map((text) => text.trim());
};

async function showOwn(panel: PanelPage, more: Partial<ShowMessage> = {}) {
  const values = own;
  await panel.post(showRun({ values, defaultValue: CPU!, ...more }));
  await postOf(panel, CPU!);
}

/** Graph and table of the shop as if they were of another measure. */
async function postOf(panel: PanelPage, value: number) {
  const { type, unit } = own[value]!;
  const { frames: ofGraph, ...graph } = wire.FlameGraph.decode(shopGraph);
  const { frames: ofTable, ...table } = wire.FunctionTable.decode(shopFunctions);
  const named = { type, unit };
  await panel.postView('flameGraph', wire.FlameGraph.encode({ ...graph, ...named, frames: ofGraph! }).finish(), value);
  await panel.postView(
    'functions',
    wire.FunctionTable.encode({ ...table, ...named, frames: ofTable! }).finish(),
    value,
  );
}

async function choose(panel: PanelPage, name: string, value: number) {
  await panel.page.getByRole('switch', { name }).click();
  await postOf(panel, value);
  await panel.settle();
}

onPage('a button for each measure, and a menu for the counts of the same events', {}, async (panel) => {
  await showOwn(panel);
  assert.deepEqual(await facesOf(panel), ['CPU', 'Waiting', 'Allocated', 'In use', '…']);
  await panel.page.getByRole('switch', { name: 'More measures' }).click();
  const items = panel.page.getByRole('menuitem');
  assert.deepEqual(
    (await items.allTextContents()).map((text) => text.trim()),
    ['samples', 'waits', 'allocated objects'],
  );
  await items.nth(1).click();
  await panel.settle();
  assert.deepEqual(await allOf(panel, 'chooseMeasure'), [{ type: 'chooseMeasure', value: WAITS }]);
  assert.deepEqual((await facesOf(panel)).at(-1), 'waits');
  await panel.post({ type: 'measureChosen', value: ALLOC! });
  await panel.settle();
  assert.deepEqual((await facesOf(panel)).at(-1), '…');
  assert.notEqual(SAMPLES, ALLOC);
});

onPage('what was not recorded says how to record it, to the eye, by keys and to a screen reader', {}, async (panel) => {
  await panel.post(showRun({ unrecorded }));
  assert.deepEqual(await facesOf(panel), ['CPU', 'Waiting', 'Allocated']);
  const waiting = panel.page.getByRole('button', { name: /^Waiting: Waiting time was not recorded\./ });
  assert.equal(await waiting.getAttribute('aria-disabled'), 'true');
  await waiting.focus();
  await panel.page.keyboard.press('Enter');
  const advice = panel.page.locator('.measure-advice');
  assert.equal(
    await wordsOf(advice),
    'Waiting time was not recorded. Record with the setting Record: Waiting. Profile again with waiting time',
  );
  assert.deepEqual(await allOf(panel, 'chooseMeasure'), []);
  await panel.screenshot('measure-unrecorded');
  await advice.getByRole('button', { name: 'Record: Waiting' }).click();
  assert.deepEqual(await panel.lastSent(), { type: 'command', command: 'waitingSetting' });
});

/** All kinds that a recording of ours can lack beside CPU time. */
const allUnrecorded = [
  ...unrecorded,
  { type: 'inuse_space', sentence: 'Memory in use was not recorded. Record with --alloc.' },
  { type: 'calls', sentence: 'Calls were not counted. Record with --calls.' },
  { type: 'syscall', sentence: 'System calls were not recorded. Record with --syscalls.' },
  { type: 'faults', sentence: 'Page faults were not recorded. Record with --faults.' },
];

onPage('each kind that is missing can be recorded with one button more', { height: 400 }, async (panel) => {
  await panel.post(showRun({ unrecorded: allUnrecorded }));
  const names = ['Waiting', 'Allocated', 'In use', 'Calls', 'System calls', 'Faults'];
  assert.deepEqual(await facesOf(panel), ['CPU', ...names]);
  const advice = panel.page.locator('.measure-advice');
  const buttons = async () => (await advice.getByRole('button').allTextContents()).map((text) => text.trim());
  const absent = (name: string) => panel.page.locator('.measure-absent', { hasText: new RegExp(`^${name}$`) });
  const shown: string[][] = [];
  for (const name of names) {
    await absent(name).press('Enter');
    shown.push(await buttons());
  }
  const setting = (name: string) => `with the setting Record: ${name}`;
  assert.deepEqual(shown, [
    [setting('Waiting'), 'Profile again with waiting time'],
    [setting('Allocations'), 'Profile again with allocated memory'],
    [setting('Allocations'), 'Profile again with memory in use'],
    [setting('Calls')], // the functions must be chosen
    [setting('System Calls'), 'Profile again with time in system calls'],
    [setting('Page Faults'), 'Profile again with page faults'],
  ]);
  await panel.screenshot('measure-missing-kinds');
  await advice.getByRole('button', { name: 'Profile again' }).click();
  assert.deepEqual(await panel.lastSent(), { type: 'recordWith', measure: 'faults' });
});

onPage('no button records what needs a permission first', {}, async (panel) => {
  const sentence = 'Page faults were not recorded. This requires the permission to record: see `lineheat doctor`.';
  await panel.post(showRun({ unrecorded: [{ type: 'faults', sentence }] }));
  await panel.page.locator('.measure-absent').press('Enter');
  assert.deepEqual(await panel.page.locator('.measure-advice').getByRole('button').allTextContents(), ['Doctor']);
});

onPage('no button records while a recording runs', {}, async (panel) => {
  await panel.post(showRun({ unrecorded: [allUnrecorded[5]!], isGrowing: true }));
  await panel.page.locator('.measure-absent').press('Enter');
  const shown = await panel.page.locator('.measure-advice').getByRole('button').allTextContents();
  assert.deepEqual(shown, ['with the setting Record: Page Faults']);
});

onPage('a run of ours with all kinds has buttons, however many', {}, async (panel) => {
  const all = [...own, measure('peak_space', 'bytes', 'memory'), measure('calls', 'count', 'calls')];
  await panel.post(showRun({ values: all, defaultValue: CPU!, unrecorded: [allUnrecorded[5]!] }));
  assert.deepEqual(await facesOf(panel), ['CPU', 'Waiting', 'Allocated', 'In use', 'Peak', 'Calls', 'Faults', '…']);
  await panel.screenshot('measure-all-kinds');
});

onPage('a file of another tool has its own names, and more than five measures are a list', {}, async (panel) => {
  const named = (names: string) => names.split(' ').map((name) => measure(name, 'count', 'other'));
  await panel.post(showRun({ values: named('Ir Dr') }));
  assert.deepEqual(await facesOf(panel), ['Ir', 'Dr']);
  await panel.post(showRun({ values: named('Ir Dr Dw I1mr D1mr D1mw'), panel: 'run:2' }));
  assert.deepEqual(await facesOf(panel), []);
  const list = panel.page.locator('.measure-switch vscode-single-select');
  await list.click();
  await panel.page.getByRole('option', { name: 'D1mr' }).click();
  assert.deepEqual(await allOf(panel, 'chooseMeasure'), [{ type: 'chooseMeasure', value: 4 }]);
  await panel.post({ type: 'measureChosen', value: 2 });
  await panel.settle();
  assert.equal(await list.evaluate((element) => (element as HTMLInputElement).value), '2');
});

onPage('waits are called waits in table, details and tooltip', {}, async (panel) => {
  await showOwn(panel);
  assert.equal((await panel.page.locator('.cell-samples[role=columnheader]').textContent())?.trim(), 'Self samples');
  await choose(panel, 'waiting time', WAIT!);
  assert.equal((await panel.page.locator('.cell-samples[role=columnheader]').textContent())?.trim(), 'Self waits');
  await panel.page.locator('.graph-tree').focus();
  for (const key of ['Home', 'ArrowDown']) await panel.page.keyboard.press(key);
  await panel.settle();
  assert.match(await panel.selectedItem(), /Total .*\d waits/);
  assert.doesNotMatch(await panel.selectedItem(), /sample/);
  const callers = [{ name: 'main', module: 'shop', value: 3e6, samples: 7, newValue: 0 }];
  await panel.post({ type: 'callers', function: 'poll', unit: 'nanoseconds', total: 4e6, callers });
  assert.match(await wordsOf(panel.page.locator('dialog.callers')), /main ?75\.0 % · 3\.00 ms · 7 waits/);
});

/** Of the box of `main`, left of its label. */
const hueOfGraph = async (panel: PanelPage) => hcl(`rgb(${await panel.pixel(2, 30)})`).h;

onPage('graph and bars are cool while waiting is shown, and violet while memory is', {}, async (panel) => {
  await showOwn(panel);
  const bar = () =>
    panel.page
      .locator('.table-row .bar')
      .first()
      .evaluate((one) => getComputedStyle(one).backgroundColor);
  const orange = await bar();
  await choose(panel, 'waiting time', WAIT!);
  const cool = await hueOfGraph(panel);
  assert.ok(cool > 150 && cool < 290, `${cool}`);
  const teal = hcl(await bar()).h;
  assert.ok(teal > 150 && teal < 260, `${teal}`);
  await panel.screenshot('measure-waiting-dark');
  await choose(panel, 'allocated memory', ALLOC!);
  const violet = await hueOfGraph(panel);
  assert.ok(violet > 280 || violet < 20, `${violet}`);
  await panel.screenshot('measure-memory-dark');
  await choose(panel, 'CPU time', CPU!);
  assert.equal(await bar(), orange);
});

for (const [name, theme] of Object.entries(themes))
  onPage(`the switch is drawn in ${name}`, { theme, width: 900 }, async (panel) => {
    await showOwn(panel, { unrecorded });
    await choose(panel, 'waiting time', WAIT!);
    await panel.screenshot(`measure-switch-${name}`);
    assert.ok(await panel.page.getByRole('switch', { name: 'waiting time', checked: true }).isVisible());
  });

for (const width of [300, 420])
  onPage(`the switch fits into a page of ${width} px`, { width }, async (panel) => {
    await showOwn(panel, { unrecorded: allUnrecorded, problems: ['14 of 3,182 samples were lost (0.4 %).'] });
    await panel.screenshot(`measure-switch-${width}`);
    const boxes = await panel.page
      .locator('.measure-switch vscode-toolbar-button, .measure-absent')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
    assert.ok(Math.max(...boxes) <= width, boxes.join());
    assert.equal(await panel.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
    await choose(panel, 'waiting time', WAIT!);
  });

onPage('a comparison has the same switch', { width: 1400 }, async (panel) => {
  const shown = { comparison: shownShop, comparedMeasures: own, comparedMeasure: WAIT!, values: [own[WAIT!]!] };
  await panel.post(showComparison(shown));
  await panel.postView('comparedFlameGraph', shopJudgedGraph);
  await panel.postView('comparedFunctions', shopJudgedFunctions);
  await panel.postView('comparedLines', shopJudgedLines);
  assert.deepEqual(await facesOf(panel), ['CPU', 'Waiting', 'Allocated', 'In use', '…']);
  const row = panel.page.locator('.comparedFunctions .table-row').first();
  assert.match((await row.locator('.cell-base').getAttribute('title'))!, /\d waits?$/);
  await panel.screenshot('measure-compared');
  await panel.page.getByRole('switch', { name: 'allocated memory' }).click();
  assert.deepEqual(await allOf(panel, 'compareMeasure'), [{ type: 'compareMeasure', measure: ALLOC }]);
});
