// The packed extension as it is shipped.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pack } from '../package.mjs';
import { run } from '../steps/command.mjs';
import { inRoot, preloaded, vsix } from '../steps/paths.mjs';

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

test('the same content gives the same bytes, whenever its files were written', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-package-'));
  try {
    for (const name of ['README.md', 'dist/extension.js']) utimesSync(inRoot(name), new Date(), new Date());
    const again = path.join(folder, 'again.vsix');
    await pack(again);
    assert.equal(sha256(again), sha256(vsix));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('checksums, licences and the bill of materials belong to what is shipped', async () => {
  await run('sha256sum', ['--check', '--ignore-missing', `${vsix}.sha256`], { cwd: path.dirname(vsix) });
  const listed = await run('python3', ['-m', 'zipfile', '-l', vsix]);
  const packed = ['bill-of-materials.cdx.json', 'THIRD-PARTY-LICENCES.txt', 'bin/lineheat-sampler', `bin/${preloaded}`];
  for (const name of packed)
    assert.ok(listed.includes(`extension/${name.startsWith('bin') ? '' : 'dist/'}${name}`), `${name} is not packed`);
  const licences = readFileSync(inRoot('dist/THIRD-PARTY-LICENCES.txt'), 'utf8');
  for (const text of ['Permission is hereby granted, free of charge', 'Apache License', 'BSD 2-Clause'])
    assert.ok(licences.includes(text), `${text} is not among the licences`);
});

test('the binaries name no path of the machine that built them, and load no library', async () => {
  for (const name of ['lineheat', 'lineheat-sampler', preloaded]) {
    const file = inRoot('bin', name);
    const bytes = readFileSync(file, 'latin1');
    assert.ok(!bytes.includes(inRoot()), `${name} has the path of this checkout`);
    assert.ok(!bytes.includes(os.homedir() + path.sep), `${name} has the path of the home folder`);
    const headers = await run('readelf', ['--program-headers', '--dynamic', '--wide', file]);
    assert.match(headers, /Elf file type is (DYN|EXEC)/);
    assert.doesNotMatch(headers, /program interpreter|\(NEEDED\)/, `${name} is static`);
  }
});
