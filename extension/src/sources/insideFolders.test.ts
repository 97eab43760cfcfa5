import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { isInsideFolders } from './insideFolders.ts';

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat-inside-')));
after(() => fs.rmSync(base, { recursive: true }));
const at = (...parts: string[]) => path.join(base, ...parts);
fs.mkdirSync(at('open/src'), { recursive: true });
fs.mkdirSync(at('open/..hidden'));
fs.mkdirSync(at('open-too'));
for (const file of ['open/src/a.cpp', 'open/..hidden/b.cpp', 'open-too/c.cpp']) fs.writeFileSync(at(file), '');
fs.symlinkSync('/etc', at('open/etc'));
fs.symlinkSync('/etc/passwd', at('open/passwd.cpp'));
fs.symlinkSync(at('open'), at('link-to-open'));

const inside = (file: string) => isInsideFolders(file, [at('open')]);

test('a file of an open folder is inside, also by another name of the folder', async () => {
  for (const file of [at('open/src/a.cpp'), `${at('open')}/src/../src/a.cpp`, at('open/..hidden/b.cpp')])
    assert.equal(await inside(file), true, file);
  assert.equal(await isInsideFolders(at('open/src/a.cpp'), [at('link-to-open')]), true);
  assert.equal(await inside(at('link-to-open/src/a.cpp')), true);
});

test('a link out of the folder, a way up, a neighbour, the folder itself and what is no path are outside', async () => {
  const outside = [
    at('open/passwd.cpp'),
    at('open/etc/passwd'),
    `${at('open')}/../open-too/c.cpp`,
    at('open-too/c.cpp'),
    at('open'),
    '/etc/passwd',
    '//etc/passwd',
    'src/a.cpp',
    'file:///etc/passwd',
    'vscode://file/etc/passwd',
    '\\\\host\\share\\a.cpp',
    'a\u0000b',
    `${at('open')}/src/a\u0000.cpp`,
    '',
  ];
  for (const file of outside) assert.equal(await inside(file), false, JSON.stringify(file));
});
