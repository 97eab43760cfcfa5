// Every page in every theme against the rules of axe-core for WCAG 2.2, levels A and AA. It sees names, roles, states and the
// contrast of text, in shadow roots too; what the canvas draws has tests of its own (graph/colours.test.ts).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import axe, { type AxeResults } from 'axe-core';
import type { Browser } from 'playwright-core';
import { showCauses } from './blamedWaits.ts';
import { openPage, type PanelPage, showComparison, showRun, startBrowser } from './browserPage.ts';
import { explainedShop, shownShop, shownSweep } from './comparison.ts';
import { serveRun } from './fakeRun.ts';
import { shopFunctions, shopGraph, shopJudgedFunctions, shopJudgedGraph, shopJudgedLines } from './shop.ts';
import { themes } from './themes.ts';

const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

const execution = (run: string, more: object = {}) => ({
  cells: [run, '1.60 s', '1.50 s', '20.0 ms', '5,000', '1,540'],
  warmUp: false,
  outlier: false,
  ...more,
});

async function showShop(panel: PanelPage) {
  const problems = [
    'No line tables in libz.so.1: its functions show, its lines do not.',
    '14 of 3,182 samples were lost.',
  ];
  const executions = [execution('warm-up', { warmUp: true }), execution('1'), execution('2', { outlier: true })];
  await panel.post(showRun({ problems, executions }));
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  await panel.page.locator('.comparison-facts summary').click();
}

async function selectOnTimeline(panel: PanelPage) {
  const executions = [
    { number: 1, fromNs: 0, toNs: 2e9 },
    { number: 2, fromNs: 2e9, toNs: 4e9 },
  ];
  const host = await serveRun(panel.page, { threads: 8, seconds: 4, executions, samplesWithoutTime: 3 });
  await showShop(panel);
  await panel.post(host.first());
  await panel.page.locator('.timeline-grid').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'Shift+End', 'Shift+ArrowDown'])
    await panel.page.keyboard.press(key);
  await panel.page.waitForTimeout(250);
}

async function compareShop(panel: PanelPage) {
  await panel.post(showComparison({ comparison: shownShop }));
  await panel.postView('comparedFlameGraph', shopJudgedGraph);
  await panel.postView('comparedFunctions', shopJudgedFunctions);
  await panel.postView('comparedLines', shopJudgedLines);
  await panel.page.locator('.comparison-facts summary').click();
}

const pages: Record<string, (panel: PanelPage) => Promise<void>> = {
  'nothing yet': async () => {},
  'a run': showShop,
  'a run with a selection and a search': async (panel) => {
    await showShop(panel);
    await panel.page.locator('.search-field input').fill('malloc');
    await panel.page.keyboard.press('Enter');
    await panel.page.waitForTimeout(150);
    await panel.page.locator('.table').focus();
    await panel.page.keyboard.press('Home');
  },
  'a search that is none': async (panel) => {
    await showShop(panel);
    await panel.page.keyboard.press('Control+f');
    await panel.page.keyboard.press('Alt+r');
    await panel.page.locator('.search-field input').fill('(');
    await panel.page.locator('.search-count.wrong').waitFor();
  },
  'a timeline with a committed selection, its bar and a cursor': async (panel) => {
    await selectOnTimeline(panel);
    await panel.page.keyboard.press('Enter');
    await panel.page.keyboard.press('ArrowDown');
    await panel.page.waitForTimeout(250);
  },
  'a preview on a timeline with executions': selectOnTimeline,
  'the menu of a thread': async (panel) => {
    await selectOnTimeline(panel);
    await panel.page.locator('.timeline-row', { hasText: 'io' }).first().click({ button: 'right' });
  },
  'the table of threads': async (panel) => {
    await selectOnTimeline(panel);
    await panel.page.getByRole('tab', { name: 'Threads' }).click();
    await panel.page.locator('.threads .tick').nth(2).click();
    await panel.page.waitForTimeout(250);
  },
  'a map of seconds with a range and a cursor': async (panel) => {
    await selectOnTimeline(panel);
    await panel.page.locator('.timeline-tools [label="Map of seconds"]').click();
    await panel.page.locator('.seconds-scroller').focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'Space', 'ArrowRight', 'Space', 'Space'])
      await panel.page.keyboard.press(key);
    await panel.page.waitForTimeout(250);
  },
  'a folded timeline': async (panel) => {
    await selectOnTimeline(panel);
    await panel.page.getByRole('button', { name: 'Hide Timeline' }).click();
  },
  'the help': async (panel) => {
    await showShop(panel);
    await panel.page.keyboard.press('?');
  },
  'a comparison': compareShop,
  'lines of a comparison': async (panel) => {
    await compareShop(panel);
    await panel.page.getByRole('tab', { name: 'Lines' }).click();
  },
  'an explanation': async (panel) => {
    await compareShop(panel);
    await panel.page.getByRole('tab', { name: 'Explain' }).click();
    await panel.post({ type: 'explanation', explanation: explainedShop });
  },
  'frames without a box': async (panel) => {
    await compareShop(panel);
    await panel.page.getByText('New', { exact: true }).first().click();
    await panel.page.locator('.elided-button').click();
  },
  'a run with several measures, and some that were not recorded': async (panel) => {
    const cpu = { type: 'cpu', unit: 'nanoseconds', family: 'cpu' } as const;
    const wait = { type: 'wait', unit: 'nanoseconds', family: 'waiting', isComplete: true } as const;
    const waits = { ...wait, type: 'waits', unit: 'count', isDetail: true };
    const unrecorded = [
      { type: 'alloc_space', sentence: 'Allocated memory was not recorded. Record without --no-waiting.' },
    ];
    await panel.post(showRun({ values: [cpu, wait, waits], value: 1, unrecorded }));
    await panel.postView('flameGraph', shopGraph, 1);
    await panel.postView('functions', shopFunctions, 1);
    await panel.page.locator('.measure-absent').click({ force: true });
  },
  'waits by cause, with what was not recorded, and a sentence on a lock': showCauses,
  'a sweep': async (panel) => {
    await panel.post({ type: 'showSweep', panel: 'sweep:1', title: 'shop: threads × chunk', sweep: shownSweep });
    await panel.page.getByRole('checkbox').nth(0).check();
    await panel.page.getByRole('checkbox').nth(1).check();
  },
  'a failure': (panel) =>
    panel.post({ type: 'failed', message: 'shop.pb.gz is no profile.', advice: 'Record the run again.' }),
};

/** What each rule found, as `rule: element, why`. */
async function violations(panel: PanelPage): Promise<string[]> {
  const { violations: found } = (await panel.page.evaluate(
    (levels) =>
      (window as unknown as { axe: typeof axe }).axe.run(document, {
        runOnly: levels,
        resultTypes: ['violations'],
      }),
    LEVELS,
  )) as AxeResults;
  return found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)}, ${node.failureSummary}`),
  );
}

for (const [name, show] of Object.entries(pages))
  test(`${name} has no violation of WCAG A and AA, in any theme`, async () => {
    const panel = await openPage(browser, { width: 1400, height: 900 });
    try {
      await show(panel);
      await panel.page.evaluate(axe.source);
      const found: string[] = [];
      for (const [theme, colours] of Object.entries(themes)) {
        await panel.setTheme(colours);
        await panel.settle();
        found.push(...(await violations(panel)).map((violation) => `${theme}: ${violation}`));
      }
      assert.deepEqual(found, []);
      assert.deepEqual(await panel.faults(), []);
    } finally {
      await panel.close();
    }
  });
