import assert from 'node:assert/strict';
import test from 'node:test';
import { hottestFile } from './hottestFile.ts';

const file = (recordedPath: string, totalSamples: number, path = recordedPath) => ({
  recordedPath,
  path,
  selfSamples: 0,
  totalSamples,
});

test('the hottest own file is chosen, though the libraries that call it have more samples', () => {
  const files = [
    file('/rustc/4a404d/library/std/src/rt.rs', 100, ''),
    file('../csu/libc-start.c', 100, ''),
    file('/usr/include/c++/14/bits/stl_algo.h', 99),
    file('/elsewhere/main.rs', 98),
    file('/elsewhere/parse.rs', 40),
  ];
  assert.equal(hottestFile(files)?.path, '/elsewhere/main.rs');
});

test('a file that is on this machine comes before one that is not, and an own one that is not before a library', () => {
  assert.equal(hottestFile([file('/ci/a.cpp', 90, ''), file('/src/b.cpp', 10)])?.recordedPath, '/src/b.cpp');
  assert.equal(hottestFile([file('/ci/a.cpp', 10, ''), file('/usr/include/x.h', 90)])?.recordedPath, '/ci/a.cpp');
});

test('without source lines of the program there is none', () => {
  assert.equal(hottestFile([file('csu/libc-start.c', 100, ''), file('elf/rtld.c', 1, '')]), undefined);
  assert.equal(hottestFile([]), undefined);
});
