// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of launch.json look like that
// Programs of launch.json with tasks and variables, and arguments given in the list of targets.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { answer, chooseFrom, listedRow, pickRow, runCommand } from '../../../scripts/editor/palette.mjs';
import { run } from '../../../scripts/steps/command.mjs';
import { engine } from '../../../scripts/steps/paths.mjs';
import { recorded, savedRuns } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-launch-'));
mkdirSync(path.join(folder, '.vscode'));
const write = (name, content) =>
  writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
// Tells what it was started with, then is busy for a moment.
write(
  'echo.cpp',
  `#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  std::FILE* told = std::fopen(TOLD, "w");
  for (int i = 1; i < argc; i++) std::fprintf(told, "%s\\n", argv[i]);
  std::fprintf(told, "LEVEL=%s\\n", std::getenv("LEVEL"));
  std::fclose(told);
  double sum = 0;
  for (long i = 1; i <= 100000000; i++) sum += 1.0 / (double)i;
  std::printf("%f\\n", sum);
}
`,
);
const told = path.join(folder, 'told.txt');
const compile = ['-O2', '-g', `-DTOLD="${told}"`, '-o', 'echo', 'echo.cpp'];
write('.vscode/tasks.json', {
  version: '2.0.0',
  tasks: [
    { label: 'compile', type: 'process', command: 'g++', args: compile, options: { cwd: '${workspaceFolder}' } },
    { label: 'broken', type: 'process', command: 'false' },
  ],
});
const program = '${workspaceFolder}/echo';
const native = { type: 'cppdbg', request: 'launch', program };
write('.vscode/launch.json', {
  version: '0.2.0',
  configurations: [
    {
      ...native,
      name: 'with variables',
      args: ['${workspaceFolderBasename}', '--turns=${input:turns}', '${config:editor.tabSize}', '${input:turns}'],
      environment: [{ name: 'LEVEL', value: '${input:level}' }],
      preLaunchTask: 'compile',
    },
    { ...native, name: 'task that fails', preLaunchTask: 'broken' },
    { ...native, name: 'task that is missing', preLaunchTask: 'nobody' },
    { ...native, name: 'missing input', args: ['${input:nobody}'] },
    { ...native, name: 'unknown command', args: ['${command:nobody.knows}'] },
  ],
  inputs: [
    { id: 'turns', type: 'pickString', description: 'How many turns?', options: ['10', '20'], default: '20' },
    { id: 'level', type: 'promptString', description: 'Which level?' },
  ],
});

const story = storyIn(folder);

const toldLines = () => readFileSync(told, 'utf8').trimEnd().split('\n');
async function profile(page, label) {
  await chooseFrom(page, 'Lineheat: Profile This Target', label);
}

story('variables are resolved, inputs asked once each, and the task is run first', async ({ page, picture }) => {
  await profile(page, 'with variables');
  await page.locator('.quick-input-widget input[placeholder="How many turns?"]').waitFor();
  await picture('launch-1-input');
  await pickRow(page, '10');
  await page.locator('.quick-input-widget').getByText('Which level?').waitFor();
  await answer(page, '7 of 9');
  await recorded(page, folder, 1);
  assert.deepEqual(toldLines(), [path.basename(folder), '--turns=10', '4', '10', 'LEVEL=7 of 9']);
  const report = JSON.parse(await run(engine, ['report', savedRuns(folder)[0], '--json']));
  assert.ok(
    report.functions.some(({ name }) => name === 'main'),
    'main has no samples',
  );
});

for (const [label, sentence] of Object.entries({
  'task that fails': /preLaunchTask "broken" failed with exit code 1\. Nothing was recorded/,
  'task that is missing': /preLaunchTask "nobody" was not found/,
  'missing input': /\$\{input:nobody\}, but the "inputs" of launch\.json have no such input/,
  'unknown command': /\$\{command:nobody\.knows\}, but there is no such command/,
}))
  story(`"${label}" is told in a sentence, and nothing runs`, async ({ page, picture }) => {
    await profile(page, label);
    const toasts = page.locator('.notification-toast');
    const said = async () => (await toasts.allInnerTexts()).some((text) => sentence.test(text));
    await eventually(`a message ${sentence}`, said);
    await picture(`launch-2-${label.replaceAll(' ', '-')}`);
    assert.equal(savedRuns(folder).length, 1);
    await runCommand(page, 'Notifications: Clear All Notifications');
  });

story('"Set arguments…" of a target gives it arguments, which are shown and kept', async ({ page, picture }) => {
  await runCommand(page, 'Lineheat: Profile This Target');
  const row = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'executables' }).first();
  await row.hover();
  await row.getByRole('button', { name: 'Set arguments…' }).click();
  await page.locator('.quick-input-widget').getByText('Arguments of echo').waitFor();
  await answer(page, `one 'two words' --three="3 * 3"`);
  await listedRow(page, `echo one 'two words'`);
  await picture('launch-3-arguments');
  await pickRow(page, `echo one 'two words'`);
  await recorded(page, folder, 2);
  assert.deepEqual(toldLines().slice(0, 3), ['one', 'two words', '--three=3 * 3']);
});

story('Profile Again gives the same arguments', async ({ page }) => {
  writeFileSync(told, '');
  await runCommand(page, 'Lineheat: Profile Again');
  await recorded(page, folder, 3);
  assert.deepEqual(toldLines().slice(0, 3), ['one', 'two words', '--three=3 * 3']);
});
