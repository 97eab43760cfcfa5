import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { run } from '../steps/command.mjs';
import { inRoot } from '../steps/paths.mjs';

/** Of all that people read: help, errors, pages of the editor, documents. Tests apart. */
async function texts() {
  const listed = await run('git', ['ls-files', '-z'], { cwd: inRoot() });
  const shown =
    /^(helper\/crates\/[^/]+\/src|extension\/src|webview|core)\/.*\.(rs|ts)$|^[^/]+\.(md|json)$|^docs\/.*\.md$/;
  const files = listed.split('\0').filter((file) => shown.test(file) && !/test\.ts$/.test(file));
  return files.map((file) => ({ file, text: readFileSync(inRoot(file), 'utf8') }));
}

/** Advice to run Lineheat's engine as root; a path may stand before its name, or a place for it. */
const asRoot = /sudo[ \w/=.-]* (?:\S*lineheat|\{[^}]*\}|ENGINE) (?!doctor)\w|record (?:it )?as root/i;

test('nobody is advised to run as root an engine that may belong to the user', async () => {
  const found = (await texts()).flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, at) => (asRoot.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  );
  assert.deepEqual(found, []);
});

test('such advice would be found, and other uses of sudo are not', () => {
  for (const advice of [
    '  sudo {} record -- COMMAND',
    'sudo lineheat record -- x',
    'sudo -E /x/lineheat serve',
    'Or record as root;',
  ])
    assert.match(advice, asRoot);
  for (const other of ['sudo lineheat doctor --install', 'Record without sudo', '  sudo chmod go-w /usr/local'])
    assert.doesNotMatch(other, asRoot);
});
