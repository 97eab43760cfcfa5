// Where the wall time of a run went, in the head of its page, in a real Chromium.
import assert from 'node:assert/strict';
import { type PanelPage, showRun } from './browserPage.ts';
import { serveRun } from './fakeRun.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';

const wallTime = [
  '6.90 s wall · 1.60 s CPU (sampled) · 5.20 s waiting (lock 3.90 s, sleep 1.30 s) · 100 ms run queue',
  'of thread shop (4711), the busiest of the longest-lived',
  '5 threads together: 6.20 s CPU · 20.1 s waiting (lock 18.8 s, sleep 1.30 s) · 400 ms run queue',
  '3 idle threads not counted: parked in worker_loop (condition)',
];

async function post(panel: PanelPage, more: Parameters<typeof showRun>[0]) {
  const host = await serveRun(panel.page, { threads: 8, seconds: 4 });
  await panel.post(showRun(more));
  await panel.post(host.first());
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
}

onPage('one line says it, and unfolds to whose it is, all threads and the idle ones', {}, async (panel) => {
  await post(panel, { wallTime, problems: ['14 of 3,182 samples were lost (0.4 %).'] });
  const [summary, list] = [panel.page.locator('.wall-time summary'), panel.page.locator('.wall-time li')];
  assert.equal(await summary.innerText(), wallTime[0]);
  assert.equal(await list.first().isVisible(), false);
  await panel.screenshot('wall-time-folded');
  await summary.focus();
  await panel.page.keyboard.press('Enter');
  assert.deepEqual(await list.allInnerTexts(), wallTime.slice(1));
  await panel.screenshot('wall-time-unfolded');
});

onPage('a run without waits has one sentence, in which the flag is a button to the setting', {}, async (panel) => {
  const hint = '6.90 s wall · 1.60 s CPU. To see what it waited for, record without --no-waiting.';
  await post(panel, { wallTime: [hint] });
  const note = panel.page.locator('.wall-time');
  assert.equal(await note.innerText(), hint.replace('without --no-waiting', 'with the setting Record: Waiting'));
  await panel.screenshot('wall-time-hint');
  await note.getByRole('button').click();
  assert.deepEqual(await panel.lastSent(), { type: 'command', command: 'waitingSetting' });
});

onPage('beside an editor, the sentence is whole, and its button can be clicked', { width: 620 }, async (panel) => {
  await post(panel, {
    wallTime: ['6.90 s wall · 1.60 s CPU. To see what it waited for, record without --no-waiting.'],
  });
  const note = panel.page.locator('.wall-time');
  const [seen, all] = await note.evaluate((element) => [element.clientWidth, element.scrollWidth]);
  assert.ok(seen! >= all!, `${seen} of ${all} px`);
  await panel.screenshot('wall-time-hint-narrow');
  await note.getByRole('button').click();
  assert.deepEqual(await panel.lastSent(), { type: 'command', command: 'waitingSetting' });
});

onPage('that samples are few is not said of a measure that has all events', {}, async (panel) => {
  const few = 'Only 4 samples: shares are mostly chance. Record with --repeat 200, or give the program more work.';
  const lost = '14 of 3,182 samples were lost (0.4 %).';
  const values = [
    { type: 'cpu', unit: 'nanoseconds', family: 'cpu' as const },
    { type: 'wait', unit: 'nanoseconds', family: 'waiting' as const, isComplete: true },
  ];
  await post(panel, { values, problems: [few, lost], sampleProblems: [few] });
  const words = panel.page.locator('.problems summary');
  assert.match(await words.innerText(), /^2 things to know/);
  await panel.post({ type: 'measureChosen', value: 1 });
  assert.match(await words.innerText(), /^14 of 3,182 samples were lost/);
  await panel.post({ type: 'measureChosen', value: 0 });
  assert.match(await words.innerText(), /^2 things to know/);
});
