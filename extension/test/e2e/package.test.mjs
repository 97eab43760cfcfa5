// What is in the package, found by unpacking it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../../scripts/steps/command.mjs';
import { vsix } from '../../../scripts/steps/paths.mjs';

// Python's zipfile gives the Unix mode, which the upper half of the external attributes holds.
const list =
  'import sys, zipfile, json; print(json.dumps({i.filename: [i.file_size, i.external_attr >> 16] for i in zipfile.ZipFile(sys.argv[1]).infolist()}))';
const files = JSON.parse(await run('python3', ['-c', list, vsix]));

test('the package holds what the extension needs at run time and nothing else', () => {
  const folders = new Set(
    Object.keys(files)
      .filter((name) => name.startsWith('extension/'))
      .map((name) => name.split('/').slice(1, -1).join('/')),
  );
  for (const needed of ['bin', 'dist', 'dist/webview', 'l10n', 'resources', 'syntaxes'])
    assert.ok(folders.has(needed), `${needed}/ is missing`);
  const strange = [...folders].filter(
    (folder) => !/^(|bin|dist|dist\/webview|docs\/images|l10n|resources.*|syntaxes)$/.test(folder),
  );
  assert.deepEqual(strange, []);
});

for (const name of ['lineheat', 'lineheat-sampler'])
  test(`bin/${name} is there, executable and without symbols`, async () => {
    const [size, mode] = files[`extension/bin/${name}`];
    assert.equal((mode & 0o777).toString(8), '755');
    assert.ok(size > 100_000 && size < 20_000_000, `${size} bytes`);
  });

test('the library for allocations is there, for others to read', () => {
  const [size, mode] = files['extension/bin/liblineheat_alloc.so'];
  assert.equal((mode & 0o777).toString(8), '644');
  assert.ok(size > 5_000 && size < 200_000, `${size} bytes`);
});

test('the package says that it is for Linux on x64', async () => {
  const read = 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read("extension.vsixmanifest").decode())';
  assert.match(await run('python3', ['-c', read, vsix]), /TargetPlatform="linux-x64"/);
});
