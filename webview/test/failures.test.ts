// What the page says when a view or a whole profile cannot be shown, and what it offers then, in a real Chromium.
import assert from 'node:assert/strict';
import { showRun, wordsOf } from './browserPage.ts';
import { graphContent } from './contents.ts';
import { onPage } from './onPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';

onPage('damaged content is a sentence in its pane, and the other pane works', {}, async (panel) => {
  await panel.post(showRun());
  await panel.postView('functions', shopFunctions);
  await panel.postView('flameGraph', shopGraph.slice(0, shopGraph.length - 9));
  assert.match(await wordsOf(panel.page.locator('.graph-pane [role=alert]')), /This view cannot be shown: .*\./);
  assert.ok((await panel.page.locator('.table-row:visible').count()) > 5);
  await panel.postView('flameGraph', shopGraph);
  assert.equal(await panel.page.locator('.graph-pane [role=alert]').count(), 0);
});

onPage('a view that failed and a run without samples say so', {}, async (panel) => {
  await panel.post(showRun());
  await panel.post({
    type: 'viewFailed',
    view: 'functions',
    value: 0,
    message: 'The engine ended.',
    advice: 'Open the run again.',
  });
  await panel.postView('flameGraph', graphContent({ name: 'all', self: 0 }));
  assert.match(
    await wordsOf(panel.page.locator('.table-pane [role=alert]')),
    /The engine ended\. Open the run again\./,
  );
  assert.match((await panel.page.locator('.graph-pane').textContent())!, /There are no samples to draw/);
});

onPage('a failure offers to try again', {}, async (panel) => {
  await panel.post({ type: 'failed', message: 'No such file.', advice: '' });
  await panel.page.locator('vscode-button').click();
  assert.deepEqual(await panel.lastSent(), { type: 'retry' });
});

onPage('a command that a sentence names is a button', {}, async (panel) => {
  const problem = 'Only 4 samples: shares are mostly chance. Record with --repeat 200, or give the program more work.';
  await panel.post(showRun({ problems: [problem] }));
  const summary = panel.page.locator('.problems summary');
  assert.match((await summary.textContent())!, /Record with Profile Repeatedly…, or give/);
  await summary.getByRole('button', { name: 'Profile Repeatedly…' }).click();
  assert.deepEqual(await panel.lastSent(), { type: 'command', command: 'profileRepeatedly' });
  assert.equal(await panel.page.locator('.problems[open]').count(), 0, 'the press did not unfold it');
});
