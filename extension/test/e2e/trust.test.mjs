// Restricted Mode: saved runs can be viewed, nothing of the folder is built or run, and trusting it is one click away.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codeLenses, decoratedLines } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { editorFolder } from '../../../scripts/steps/paths.mjs';
import { descendants, extensionHost } from './support/processes.mjs';
import { compileProgram, recordRun } from './support/program.mjs';
import { recorded, savedRuns } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-trust-'));
// A build that tells that it ran: nothing may even list its targets.
const built = path.join(folder, 'cmake-ran');
writeFileSync(path.join(folder, 'CMakeLists.txt'), `project(burn)\nfile(WRITE ${built} yes)\n`);
mkdirSync(path.join(folder, 'made'));
// Even a dry run would write this.
writeFileSync(path.join(folder, 'made/Makefile'), `X := $(shell touch ${built})\nburn: burn.c\n`);
mkdirSync(path.join(folder, '.vscode'));
writeFileSync(
  path.join(folder, '.vscode/settings.json'),
  JSON.stringify({ 'lineheat.record.durationLimit': 1, 'lineheat.heat.threshold': 2 }),
);
const story = storyIn(folder, {
  prepare: async () => {
    await recordRun(folder, 'first', await compileProgram(folder));
  },
  workspaceTrust: true,
  settings: { 'security.workspace.trust.startupPrompt': 'never' },
});

const toast = (page, text) => page.locator('.notification-toast').filter({ hasText: text });

story('the folder is in Restricted Mode, and its saved run opens with heat, lens and flame graph', async (session) => {
  const { page, picture } = session;
  await page.getByText('Restricted Mode').first().waitFor();
  await page.locator('.activitybar .action-label[aria-label^="Lineheat"]').click();
  await page.locator('.pane-body .monaco-list-row').filter({ hasText: 'burn' }).first().click();
  const marked = async () => (await decoratedLines(page)).find((row) => row.after.length > 0);
  assert.match((await eventually('heat', marked)).after.join(' '), /%/);
  await eventually('a lens', async () => (await codeLenses(page))[0]);
  await runCommand(page, 'Lineheat: Show Flame Graph');
  await webviewWith(page, '.graph canvas');
  await picture('trust-1-restricted');
});

for (const command of ['Lineheat: Profile This Target', 'Lineheat: Profile Again'])
  story(`"${command}" says why nothing runs, and builds nothing`, async ({ page, picture }) => {
    await runCommand(page, command);
    await toast(page, 'not trusted').first().waitFor();
    await picture('trust-2-refused');
    assert.equal(savedRuns(folder).length, 1);
    assert.equal(existsSync(built), false);
    assert.equal(existsSync(path.join(folder, 'build')), false);
  });

story('the permission is not changed from its window either', async ({ page }) => {
  for (const command of ['Lineheat: Set Up Profiling Permission', 'Lineheat: Remove Profiling Permission']) {
    await runCommand(page, command);
    await toast(page, 'no command is run from its window').first().waitFor();
  }
});

story('all that, and one process has been started: the engine that views', async ({ page, server }) => {
  await runCommand(page, 'Lineheat: Show Flame Graph');
  const started = descendants(extensionHost(server.profile));
  // The editor itself looks for ports that programs listen on, now and then.
  const looksForPorts = ({ words }) => /^(sh -c )?ls -l \/proc\/|^grep socket:/.test(words);
  const programs = started.filter((one) => !one.program.startsWith(editorFolder()) && !looksForPorts(one));
  assert.deepEqual(
    programs.map(({ words }) => words.replace(/^.*\/bin\//, '')),
    ['lineheat serve'],
  );
});

story('its button leads to where the folder can be trusted', async ({ page, picture }) => {
  // It would run for hours; the folder's own limit of a second, which holds once it is trusted, ends it.
  writeFileSync(
    path.join(folder, '.vscode/launch.json'),
    JSON.stringify({
      version: '0.2.0',
      configurations: [
        { name: 'for hours', type: 'cppdbg', request: 'launch', program: `${folder}/burn`, args: ['900000000000'] },
      ],
    }),
  );
  await toast(page, 'not trusted').first().getByRole('button', { name: 'Manage Workspace Trust' }).click();
  const trust = page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true });
  await trust.waitFor();
  await picture('trust-3-manage');
  await trust.click();
  await page.locator('.workspace-trust-editor').getByText('You trust this folder').waitFor();
});

story('after that the folder is profiled, by its own settings', async ({ page, picture }) => {
  await chooseFrom(page, 'Lineheat: Profile This Target', 'for hours');
  await recorded(page, folder, 2);
  await toast(page, 'burn').first().waitFor();
  await picture('trust-4-trusted');
});
