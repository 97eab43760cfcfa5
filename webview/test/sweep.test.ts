// A sweep and a repeated run on the page, in a real Chromium.
import assert from 'node:assert/strict';
import { contrast } from '../graph/colourContrast.ts';
import { type PanelPage, showRun, wordsOf } from './browserPage.ts';
import { shownSweep } from './comparison.ts';
import { evilNames } from './evilNames.ts';
import { onPage } from './onPage.ts';
import { themes } from './themes.ts';

const inSweep = (name: string, act: (panel: PanelPage) => Promise<void>) =>
  onPage(name, { width: 1000, height: 900 }, act);
const showSweep = async (panel: PanelPage, sweep = shownSweep) => {
  await panel.post({ type: 'showSweep', panel: 'sweep:1', title: 'shop: threads × chunk', sweep });
  await panel.settle();
};

inSweep('a sweep has a row for each cell, the best marked, and says what is missing', async (panel) => {
  await showSweep(panel);
  const rows = panel.page.locator('table[aria-label="Cells"] tbody tr');
  assert.equal(await rows.count(), 11);
  assert.match(
    (await panel.page.locator('.subtitle').textContent())!,
    /^11 cells, 1 not recorded · the mean is the wall time per run$/,
  );
  assert.match(await wordsOf(panel.page.locator('tr.best')), /^8 20000? .*★ best$/);
  assert.match(await wordsOf(panel.page.locator('tr.like-best')), /≈ like the best$/);
  assert.match(await wordsOf(rows.first()), /3\.2\d s ± 129 ms \(4\.0 %\)/);
});

inSweep(
  'the chart has a line for each value of the second parameter, and a point for each cell that opens it',
  async (panel) => {
    await showSweep(panel);
    assert.equal(await panel.page.locator('.sweep-chart polyline').count(), 3);
    assert.equal(await panel.page.locator('.sweep-legend li').count(), 3);
    const point = panel.page.getByRole('button', { name: /^threads=4 chunk=20000: .* ± / });
    await point.focus();
    await panel.page.keyboard.press('Enter');
    assert.deepEqual(await panel.lastSent(), { type: 'openCell', index: 7 });
    await panel.page.locator('.sweep-open').nth(2).click();
    assert.deepEqual(await panel.lastSent(), { type: 'openCell', index: 2 });
  },
);

inSweep(
  'two ticked cells are compared, the earlier one is the base; a third takes the place of the first',
  async (panel) => {
    await showSweep(panel);
    const compare = panel.page.locator('.sweep-compare');
    const isDisabled = () => compare.evaluate((button) => (button as HTMLButtonElement).disabled);
    assert.equal(await isDisabled(), true);
    await panel.page.getByRole('checkbox', { name: 'Compare threads=8 chunk=5000', exact: true }).check();
    await panel.page.getByRole('checkbox', { name: 'Compare threads=4 chunk=5000', exact: true }).check();
    await panel.page.getByRole('checkbox', { name: 'Compare threads=1 chunk=5000', exact: true }).check();
    assert.equal(
      await panel.page.getByRole('checkbox', { name: 'Compare threads=8 chunk=5000', exact: true }).isChecked(),
      false,
    );
    await compare.click();
    assert.deepEqual(await panel.lastSent(), { type: 'compareCells', base: 0, new: 6 });
  },
);

inSweep('values that are no numbers stand in their order, and one cell is a chart', async (panel) => {
  const rows = ['small', 'large'].map((value) => ({ ...shownSweep.rows[0]!, values: [value] }));
  await showSweep(panel, { ...shownSweep, parameters: ['input'], rows, growing: [] });
  const labels = await panel.page.locator('.axes text[text-anchor=middle]').allTextContents();
  assert.deepEqual(labels, ['small', 'large', 'input']);
  await showSweep(panel, { ...shownSweep, parameters: ['input'], rows: rows.slice(0, 1), growing: [] });
  assert.equal(await panel.page.locator('.sweep-point').count(), 1);
});

inSweep('in every theme the lines differ in colour and stand out from the background', async (panel) => {
  const rows = ['1', '2', '3', '4', '5', '6'].map((value) => ({ ...shownSweep.rows[0]!, values: ['1', value] }));
  await showSweep(panel, { ...shownSweep, rows });
  const polylines = panel.page.locator('.sweep-chart polyline');
  for (const [name, theme] of Object.entries(themes)) {
    await panel.setTheme(theme);
    const colours = await polylines.evaluateAll((lines) => lines.map((line) => getComputedStyle(line).stroke));
    assert.equal(new Set(colours).size, 6, name);
    // WCAG 2.2, 1.4.11: graphics.
    for (const colour of colours)
      assert.ok(contrast(colour, theme.variables['editor-background']!) >= 3, `${name} ${colour}`);
  }
});

inSweep('the words of the chart stay readable where the page is narrow', async (panel) => {
  await showSweep(panel);
  for (const width of [900, 560, 480, 380]) {
    await panel.page.setViewportSize({ width, height: 700 });
    await panel.settle();
    const sizes = await panel.page.locator('.axes text').evaluateAll((texts) =>
      texts.map((text) => {
        const { ownerSVGElement } = text as SVGTextElement;
        const scale = ownerSVGElement!.clientWidth / ownerSVGElement!.viewBox.baseVal.width;
        return Number.parseFloat(getComputedStyle(text).fontSize) * scale;
      }),
    );
    assert.ok(Math.min(...sizes) > 8, `${width}: ${Math.min(...sizes)} px`);
    const left = await panel.page
      .locator('.axes text[text-anchor=end]')
      .evaluateAll((texts) =>
        Math.min(
          ...texts.map((text) => text.getBoundingClientRect().left - text.closest('svg')!.getBoundingClientRect().left),
        ),
      );
    assert.ok(left >= 0, `${width}: the words of the axis begin at ${left} px`);
  }
});

inSweep('beside an editor the table of cells has room for what is best', async (panel) => {
  await showSweep(panel);
  for (const width of [760, 620, 480]) {
    await panel.page.setViewportSize({ width, height: 700 });
    await panel.settle();
    const { wanted, there } = await panel.page
      .locator('.sweep-main')
      .evaluate(({ scrollWidth, clientWidth }) => ({ wanted: scrollWidth, there: clientWidth }));
    assert.ok(wanted <= there, `${width}: ${wanted} of ${there}`);
  }
});

inSweep('foreign values make no element', async (panel) => {
  const [evil] = evilNames;
  const rows = [{ ...shownSweep.rows[0]!, values: [evil!, evil!] }];
  await showSweep(panel, { ...shownSweep, parameters: [evil!, evil!], rows, value: evil! });
  assert.equal(await panel.page.evaluate(() => document.querySelectorAll('img, iframe, b, i, object, a').length), 0);
});

inSweep('a repeated run has a table of its runs, outliers marked', async (panel) => {
  const row = (run: string, more: object = {}) => ({
    cells: [run, '1.60 s', '1.50 s', '20.0 ms', '–', '1,540'],
    warmUp: false,
    outlier: false,
    ...more,
  });
  await panel.post(showRun({ executions: [row('warm-up', { warmUp: true }), row('1'), row('2', { outlier: true })] }));
  await panel.settle();
  const summary = panel.page.locator('.comparison-facts summary');
  assert.equal(await summary.textContent(), '2 runs of the command · after 1 to warm up · 1 outlier');
  await summary.click();
  assert.match(await wordsOf(panel.page.locator('.facts-table tr.differs')), /^2 .*◇ outlier$/);
});
