import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wire } from '../../../core/wire.ts';
import { fileRun, listedRun, runKey, runOfKey, sameRun, wireRun } from './runRef.ts';

const HOSTILE = [
  '/runs/a.pb.gz',
  'a.pb.gz',
  'file:a.pb.gz',
  'file:/a.pb.gz',
  '/file:a.pb.gz',
  'recording:3',
  '/recording:3',
  '',
  ' ',
  '/a\nb\0c',
  '/a"],["b',
  '/a:/b',
  '\ud800',
  '__proto__',
];

test('each path has a key of its own, which gives the path back', () => {
  const runs = HOSTILE.map(fileRun);
  assert.equal(new Set(runs.map(runKey)).size, HOSTILE.length);
  assert.deepEqual(
    runs.map((run) => runOfKey(runKey(run))),
    runs,
  );
});

test('what earlier versions saved is read: a plain path', () => {
  assert.deepEqual(runOfKey('/runs/b.pb.gz'), fileRun('/runs/b.pb.gz'));
});

test('anything else that a saved state may hold is no run', () => {
  for (const other of [undefined, null, 3, {}, ['/a'], '', 'a.pb.gz', 'ftp:/a'])
    assert.equal(runOfKey(other), undefined);
});

test('two references are of one run when they name the same', () => {
  assert.ok(sameRun(fileRun('/a'), listedRun({ path: '/a' })));
  assert.ok(!sameRun(fileRun('/a'), fileRun('a')));
});

test('the engine gets the path as it is', () => {
  const bytes = wire.OpenRunRequest.encode({ run: wireRun(fileRun('/a b\n.pb.gz')) }).finish();
  assert.equal(wire.OpenRunRequest.decode(bytes).run?.file, '/a b\n.pb.gz');
});
