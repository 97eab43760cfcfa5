// The window is reloaded, and the extension host killed, while a program is recorded: a second later nothing of ours
// runs, the program that was started for the recording neither, and what was recorded is in the Runs view.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chooseFrom, runCommand } from '../../../scripts/editor/palette.mjs';
import { extensionHost, running } from './support/processes.mjs';
import { compileProgram } from './support/program.mjs';
import { savedRuns } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-killed-'));
const story = storyIn(folder, {
  prepare: async () => {
    await compileProgram(folder);
    mkdirSync(path.join(folder, '.vscode'));
    const hours = {
      name: 'for hours',
      type: 'cppdbg',
      request: 'launch',
      program: `${folder}/burn`,
      args: ['900000000000'],
    };
    writeFileSync(
      path.join(folder, '.vscode/launch.json'),
      JSON.stringify({ version: '0.2.0', configurations: [hours] }),
    );
  },
});

const ours = (server) => [...running(folder), ...running(server.profile)];
const names = (list) => list.map(({ program }) => path.basename(program)).sort();

async function recordForHours({ page, server }) {
  await chooseFrom(page, 'Lineheat: Profile This Target', 'for hours');
  await page
    .locator('.statusbar-item')
    .filter({ hasText: /Stop and Keep: [2-9] s · [\d,]+ samples/ })
    .waitFor();
  const before = names(ours(server));
  assert.ok(
    before.includes('burn') && before.includes('lineheat') && before.includes('lineheat-sampler'),
    before.join(),
  );
}

/** How long these processes, and this one, have waited for a CPU so far, in milliseconds (second number of schedstat). */
function delayMs(pids) {
  const waited = ['self', ...pids].map((pid) => {
    try {
      return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
    } catch {
      return 0; // gone
    }
  });
  return waited.reduce((sum, ms) => sum + ms, 0);
}

/** How long until nothing of ours runs, in milliseconds, without what ours waited for a CPU; a minute is waited. */
async function goneAfter(server, start) {
  const pids = ours(server).map(({ pid }) => pid);
  const before = delayMs(pids);
  let delay = before;
  while (ours(server).length > 0 && performance.now() - start < 60_000) {
    delay = Math.max(delay, delayMs(pids));
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.deepEqual(names(ours(server)), [], 'still running after a minute');
  return performance.now() - start - (delay - before);
}

/** A window that was reloaded brings its views back by and by, and a click on the icon of one that is there closes it. */
async function showRuns(page, row) {
  const comes = () =>
    row.waitFor({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
  await eventually('the Runs view', async () => {
    if (await comes()) return true;
    await page.locator('.activitybar .action-label[aria-label^="Lineheat"]').click();
    return comes();
  });
}

async function isListed(page, count, facts) {
  await page.locator('.monaco-workbench .part.statusbar').waitFor();
  // The Explorer has the program of that name, without samples.
  const rows = page.locator('.pane-body .monaco-list-row').filter({ hasText: 'burn' }).filter({ hasText: 'samples' });
  await eventually(`${count} saved runs`, () => savedRuns(folder).length === count);
  await showRuns(page, rows.first());
  await eventually(`${count} runs in the view`, async () => (await rows.count()) === count);
  const text = (await rows.first().innerText()).replaceAll(/\s+/g, ' ');
  assert.match(text, facts);
}

story('a reload of the window ends the recording and keeps it', async (session) => {
  const { page, server, picture } = session;
  await recordForHours(session);
  const loaded = page.waitForEvent('load');
  await runCommand(page, 'Developer: Reload Window');
  await loaded;
  const ms = await goneAfter(server, performance.now());
  assert.ok(ms < 1_500, `${Math.round(ms)} ms`);
  await isListed(page, 1, /[1-9][\d,]* samples/);
  await picture('killed-1-reloaded');
});

story('kill -9 of the extension host does so too', async (session) => {
  const { page, server, picture } = session;
  await recordForHours(session);
  const start = performance.now();
  process.kill(extensionHost(server.profile), 'SIGKILL');
  const ms = await goneAfter(server, start);
  assert.ok(ms < 1_500, `${Math.round(ms)} ms`);
  await page.reload();
  await isListed(page, 2, /[1-9][\d,]* samples/);
  await picture('killed-2-host');
});

story('kill -9 of the engine leaves the run, marked partial, and one message', async (session) => {
  const { page, server, picture } = session;
  await recordForHours(session);
  const recording = ours(server).find(
    ({ words, pid }) => words.endsWith('lineheat serve') && running(folder).some((target) => target.parent === pid),
  );
  assert.ok(recording, 'the engine that records is the parent of its target');
  const start = performance.now();
  process.kill(recording.pid, 'SIGKILL');
  await page.locator('.notification-toast').filter({ hasText: 'marked partial' }).waitFor();
  assert.equal(await page.locator('.notification-toast').filter({ hasText: 'engine' }).count(), 1);
  const left = names(ours(server)).filter((name) => name !== 'lineheat'); // the one that views goes on
  assert.deepEqual(left, [], `${Math.round(performance.now() - start)} ms later`);
  await isListed(page, 3, /[1-9][\d,]* samples.*partial/);
  await picture('killed-3-engine');
});
