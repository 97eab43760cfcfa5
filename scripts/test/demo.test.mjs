// The demo with a desktop editor: a stand-in named `code` writes down what it is called with.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { leaveWaiting, showInDesktop } from '../demo/show.mjs';
import { findProgram } from '../steps/command.mjs';
import { vsix } from '../steps/paths.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat demo '));
after(() => rmSync(folder, { recursive: true, force: true }));

function standIn(ending) {
  const bin = mkdtempSync(path.join(folder, 'bin-'));
  const calls = path.join(bin, 'calls');
  writeFileSync(
    path.join(bin, 'code'),
    `#!/bin/sh\n{ for word; do printf '%s\\n' "$word"; done; echo; } >> '${calls}'\n${ending}\n`,
  );
  chmodSync(path.join(bin, 'code'), 0o755);
  return { env: { PATH: bin }, calls: () => readFileSync(calls, 'utf8') };
}

const shown = { folder: '/a b/sample', file: '/a b/sample/src/x.hpp', line: 31 };

test('the package is installed, then the folder opened on the hot line', async () => {
  const { env, calls } = standIn('exit 0');
  assert.equal(await showInDesktop(findProgram('code', env), shown), true);
  assert.deepEqual(calls().trimEnd().split('\n\n'), [
    `--install-extension\n${vsix}\n--force`,
    '/a b/sample\n--goto\n/a b/sample/src/x.hpp:31',
  ]);
});

test('an editor that refuses to start is told, and its failure is no end', async () => {
  const { env } = standIn('echo "not as root" >&2; exit 1');
  assert.equal(await showInDesktop(findProgram('code', env), shown), false);
});

test('the run waits by its name in the folder that is opened', async () => {
  mkdirSync(path.join(folder, '.lineheat/runs'), { recursive: true });
  await leaveWaiting(folder, path.join(folder, '.lineheat/runs/demo.pb.gz'));
  assert.equal(readFileSync(path.join(folder, '.lineheat/open'), 'utf8'), 'demo.pb.gz');
});
