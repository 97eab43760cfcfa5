// The page of a recording in progress in a real Chromium: it is made anew as the recording grows, and nothing flickers.
import assert from 'node:assert/strict';
import { type PanelPage, showRun } from './browserPage.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';

const growing = showRun({ isGrowing: true });

async function showDrawn(panel: PanelPage) {
  await panel.post(growing);
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  await panel.settle();
}

const coversOf = (panel: PanelPage) => panel.page.locator('.former-page').count();
/** The words that are on screen in the middle of both panes. */
const seen = (panel: PanelPage) =>
  panel.page.evaluate(() => {
    const pages = [...document.querySelectorAll<HTMLElement>('.page')];
    const inFront = pages.find((page) => page.classList.contains('former-page')) ?? pages[0]!;
    return inFront.innerText;
  });

onPage('what was drawn stays in front until the newer state is drawn', {}, async (panel) => {
  await showDrawn(panel);
  const drawn = await seen(panel);
  assert.doesNotMatch(drawn, /Reading the/);
  await panel.post(growing);
  assert.equal(await coversOf(panel), 1);
  assert.equal(await seen(panel), drawn);
  const former = panel.page.locator('.former-page');
  const [front, page] = await Promise.all([former.boundingBox(), panel.page.locator('body').boundingBox()]);
  assert.deepEqual(front, page);
  await panel.postView('flameGraph', shopGraph);
  assert.equal(await coversOf(panel), 1, 'the table is not there yet');
  await panel.postView('functions', shopFunctions);
  assert.equal(await coversOf(panel), 0);
  assert.doesNotMatch(await seen(panel), /Reading the/);
});

onPage('a state that is newer still has one page in front of it, and a failure has none', {}, async (panel) => {
  await showDrawn(panel);
  const drawn = await seen(panel);
  for (let state = 0; state < 3; state++) await panel.post(growing);
  assert.equal(await coversOf(panel), 1);
  assert.equal(await seen(panel), drawn);
  await panel.post({ type: 'failed', message: 'The recording has ended.', advice: '' });
  assert.equal(await coversOf(panel), 0);
  assert.match(await panel.page.locator('body').innerText(), /The recording has ended\./);
});

onPage('a saved run is shown anew without the former page in front', {}, async (panel) => {
  await showDrawn(panel);
  await panel.post(showRun({}));
  assert.equal(await coversOf(panel), 0);
});
