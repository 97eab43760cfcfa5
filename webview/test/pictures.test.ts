// Takes a picture of each theme, shape and view, for people to look at; fails only if the page does what it must not.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { showCauses } from './blamedWaits.ts';
import { openPage, type PageOptions, type PanelPage, showComparison, showRun, startBrowser } from './browserPage.ts';
import { explainedShop, shownShop, shownSweep } from './comparison.ts';
import { graphContent, randomGraph } from './contents.ts';
import { serveRun } from './fakeRun.ts';
import {
  shopComparedFunctions,
  shopComparedGraph,
  shopComparedLines,
  shopFunctions,
  shopGraph,
  shopJudgedFunctions,
  shopJudgedGraph,
  shopJudgedLines,
} from './shop.ts';
import { themes } from './themes.ts';

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

const problems = [
  'No line tables in libz.so.1: its functions show, its lines do not.',
  '14 of 3,182 samples were lost (0.4 %).',
];

/** A committed range on two threads, a change of the stacks, and one more range as a preview with the stack under the pointer. */
async function selectShop(panel: PanelPage) {
  const host = await serveRun(panel.page, {
    threads: 64,
    seconds: 4,
    stack: ['main', 'parse', 'next'].map(shopFunction),
  });
  await showShop(panel);
  await panel.post(host.first());
  await panel.page.locator('.timeline-grid').focus();
  const keys = ['ArrowDown', 'ArrowDown', ...Array(10).fill('ArrowRight'), ...Array(30).fill('Shift+ArrowRight')];
  for (const key of [...keys, 'Shift+ArrowDown', 'Enter', 'k']) await panel.page.keyboard.press(key);
  await panel.page.locator('.table-row').nth(1).click();
  await panel.page.waitForTimeout(300);
  const { x, y, width } = (await panel.page.locator('.timeline-all .timeline-canvas').boundingBox())!;
  await panel.page.keyboard.down('Shift');
  await panel.page.mouse.move(x + width * 0.6, y + 20);
  await panel.page.mouse.down();
  await panel.page.mouse.move(x + width * 0.75, y + 20, { steps: 4 });
  await panel.page.mouse.up();
  await panel.page.keyboard.up('Shift');
  await panel.page.mouse.move(x + width * 0.3, y + 54);
  await panel.page.waitForTimeout(300);
}
const shopFunction = (name: string) => ({ name, module: 'shop' });

async function picture(name: string, options: PageOptions, act: (panel: PanelPage) => Promise<void>) {
  const panel = await openPage(browser, options);
  await act(panel);
  await panel.settle();
  await panel.page.waitForTimeout(100);
  await panel.screenshot(name);
  assert.deepEqual(await panel.faults(), []);
  await panel.close();
}

export async function showShop(panel: PanelPage) {
  await panel.post(showRun({ problems }));
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
}

async function compareShop(panel: PanelPage) {
  await panel.post(showComparison());
  await panel.postView('comparedFlameGraph', shopComparedGraph);
  await panel.postView('comparedFunctions', shopComparedFunctions);
  await panel.postView('comparedLines', shopComparedLines);
}

async function judgeShop(panel: PanelPage) {
  await panel.post(showComparison({ title: 'before the hash map → hash map', comparison: shownShop }));
  await panel.postView('comparedFlameGraph', shopJudgedGraph);
  await panel.postView('comparedFunctions', shopJudgedFunctions);
  await panel.postView('comparedLines', shopJudgedLines);
}

for (const [theme, colours] of Object.entries(themes)) {
  test(`a run in ${theme}, wide`, () =>
    picture(`run-${theme}-wide`, { theme: colours, width: 1360, height: 640 }, async (panel) => {
      await showShop(panel);
      await panel.page.mouse.move(300, 202);
    }));
  test(`collapsed libraries in ${theme}`, () =>
    picture(`collapsed-${theme}`, { theme: colours, width: 760, height: 420 }, async (panel) => {
      await panel.post(showRun());
      const library = { module: 'libc.so.6', collapsed: true };
      const children = [
        { ...library, name: 'qsort', self: 60, children: [{ name: 'shop::less(int, int)', self: 30 }] },
        { ...library, name: 'entry_SYSCALL_64_after_hwframe', module: '[kernel]', kind: 2, self: 8 },
        { name: 'shop::total', self: 20 },
      ];
      const main = { name: 'main', self: 2, children };
      await panel.postView('flameGraph', graphContent({ name: 'all', self: 0, children: [main] }));
      await panel.postView('functions', shopFunctions);
      await panel.page.locator('.graph-tree').focus();
      await panel.page.keyboard.press('Home');
      await panel.page.keyboard.press('End');
    }));
  test(`a timeline in ${theme}, wide and narrow`, async () => {
    for (const [shape, width] of [
      ['wide', 1360],
      ['narrow', 460],
    ] as const)
      await picture(`timeline-${theme}-${shape}`, { theme: colours, width, height: 760 }, selectShop);
  });
  test(`waits on a timeline in ${theme}`, () =>
    picture(`timeline-waits-${theme}`, { theme: colours, width: 1200, height: 420 }, async (panel) => {
      const host = await serveRun(panel.page, { threads: 12, seconds: 4, waits: true });
      await showShop(panel);
      await panel.post(host.first());
    }));
  test(`the table of threads in ${theme}, wide and narrow`, async () => {
    for (const [shape, width] of [
      ['wide', 1500],
      ['narrow', 460],
    ] as const)
      await picture(`threads-${theme}-${shape}`, { theme: colours, width, height: 760 }, async (panel) => {
        const host = await serveRun(panel.page, { threads: 64, seconds: 4 });
        await showShop(panel);
        await panel.post(host.first());
        await panel.page.getByRole('tab', { name: 'Threads' }).click();
        await panel.page.locator('.threads .tick').nth(3).click();
        await panel.page.keyboard.press('ArrowDown');
        await panel.page.waitForTimeout(200);
      });
  });
  test(`waits by cause in ${theme}, wide and narrow`, async () => {
    for (const [shape, width] of [
      ['wide', 1400],
      ['narrow', 420],
    ] as const)
      await picture(`waits-by-cause-${theme}-${shape}`, { theme: colours, width, height: 700 }, showCauses);
  });
  test(`a comparison in ${theme}, wide`, () =>
    picture(`comparison-${theme}-wide`, { theme: colours, width: 1360, height: 640 }, compareShop));
  test(`a judged comparison in ${theme}, wide`, () =>
    picture(`judged-${theme}-wide`, { theme: colours, width: 1500, height: 720 }, async (panel) => {
      await judgeShop(panel);
      await panel.page.mouse.move(300, 262);
    }));
  test(`the explanation in ${theme}`, () =>
    picture(`explain-${theme}`, { theme: colours, width: 1500, height: 820 }, async (panel) => {
      await judgeShop(panel);
      await panel.page.getByText('Explain', { exact: true }).click();
      await panel.post({ type: 'explanation', explanation: explainedShop });
      await panel.page.locator('.comparison-facts summary').click();
    }));
  test(`a run in ${theme}, narrow, searched`, () =>
    picture(`run-${theme}-narrow`, { theme: colours, width: 460, height: 760 }, async (panel) => {
      await showShop(panel);
      await panel.page.locator('.search-field input').fill('malloc');
      await panel.page.keyboard.press('Enter');
      await panel.page.waitForTimeout(150);
    }));
}
test('lines of a comparison, narrow', () =>
  picture('comparison-dark-narrow-lines', { width: 520, height: 760 }, async (panel) => {
    await compareShop(panel);
    await panel.page.getByText('Lines', { exact: true }).click();
  }));
test('a judged comparison, table alone and narrow', async () => {
  await picture('judged-dark-table', { width: 1300, height: 560 }, async (panel) => {
    await judgeShop(panel);
    await panel.page.keyboard.press('5');
  });
  await picture('judged-dark-narrow', { width: 480, height: 900 }, judgeShop);
});
test('frames without a box, and widths of changes', async () => {
  await picture('judged-dark-elided', { width: 1200, height: 600 }, async (panel) => {
    await judgeShop(panel);
    await panel.page.getByText('New', { exact: true }).first().click();
    await panel.page.locator('.elided-button').click();
  });
  await picture('judged-dark-change', { width: 1200, height: 600 }, async (panel) => {
    await judgeShop(panel);
    await panel.page.getByText('|Change|', { exact: true }).click();
    await panel.page.keyboard.press('1');
  });
});
for (const [theme, colours] of Object.entries(themes)) {
  test(`a sweep in ${theme}`, () =>
    picture(`sweep-${theme}`, { theme: colours, width: 1000, height: 900 }, (panel) =>
      panel.post({ type: 'showSweep', panel: 'sweep:1', title: 'shop: threads × chunk', sweep: shownSweep }),
    ));
}
test('a run that was repeated', () =>
  picture('run-dark-repeated', { width: 1200, height: 620 }, async (panel) => {
    const cells = (run: string, wall: string) => [run, wall, '1.50 s', '20.0 ms', '5,000', '1,540'];
    const row = (run: string, wall: string, more: object = {}) => ({
      cells: cells(run, wall),
      warmUp: false,
      outlier: false,
      ...more,
    });
    const executions = [
      row('warm-up', '2.11 s', { warmUp: true }),
      row('1', '1.60 s'),
      row('2', '1.62 s'),
      row('3', '2.40 s', { outlier: true }),
    ];
    await panel.post(showRun({ executions }));
    await panel.postView('flameGraph', shopGraph);
    await panel.postView('functions', shopFunctions);
    await panel.page.locator('.comparison-facts summary').click();
  }));
test('frames of too few samples in a comparison', () =>
  picture('comparison-dark-few', { width: 1000, height: 420 }, async (panel) => {
    await compareShop(panel);
    await panel.page.keyboard.press('1');
    await panel.page.locator('.search-field input').fill('visit<12>');
    await panel.page.keyboard.press('Enter');
    await panel.page.keyboard.press('Escape');
    await panel.page.waitForTimeout(150);
    await panel.page.mouse.move(480, 195);
  }));
test('a large run', () =>
  picture('large-dark', { width: 1360, height: 760 }, async (panel) => {
    const { graph, functions } = randomGraph(50_000, 100_000);
    await panel.post(showRun());
    await panel.postView('flameGraph', graph);
    await panel.postView('functions', functions);
    await panel.page.locator('.graph-tree').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await panel.page.keyboard.press(key);
  }));
test('the help', () =>
  picture('help', { width: 1100, height: 640 }, async (panel) => {
    await showShop(panel);
    await panel.page.keyboard.press('?');
  }));
test('a failure', () =>
  picture('failure', {}, (panel) =>
    panel.post({
      type: 'failed',
      message: 'shop-3.pb.gz is not a profile: it ends after 120 of 4,096 bytes.',
      advice: 'Record the run again, or open another one from the Runs view.',
    }),
  ));
