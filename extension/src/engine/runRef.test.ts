import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_SELECTION } from '../../../core/selectionMessages.ts';
import { wire } from '../../../core/wire.ts';
import { EngineFailure } from './failure.ts';
import { RunEngines } from './runEngines.ts';
import { abilitiesOf, fileOf, fileRun, listedRun, type RunRef, runKey, runOfKey, sameRun } from './runRef.ts';

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

test('a part of a run has a key of its own, which gives the part back', () => {
  const part = { selection: { ...EMPTY_SELECTION, times: [{ fromNs: 1, toNs: 2 }] }, rest: true };
  for (const path of HOSTILE) {
    const run: RunRef = { ...fileRun(path), part };
    assert.deepEqual(runOfKey(runKey(run)), run);
    assert.ok(!sameRun(run, fileRun(path)));
    assert.ok(!sameRun(run, { ...run, part: { ...part, rest: false } }));
  }
  for (const key of ['part:', 'part:[]', 'part:["/a"]', 'part:["/a",{}]', 'part:{'])
    assert.equal(runOfKey(key), undefined);
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

test('a recording has a key of its own, whatever files are called', () => {
  const recording: RunRef = { kind: 'recording', recording: 3 };
  assert.deepEqual(runOfKey(runKey(recording)), recording);
  for (const path of HOSTILE) assert.ok(!sameRun(recording, fileRun(path)));
  for (const key of ['recording:', 'recording:0', 'recording:03', 'recording:3 ', 'recording:-1', 'recording:1e3'])
    assert.equal(runOfKey(key), undefined);
});

test('the engine gets the path as it is', () => {
  const run = new RunEngines({} as never).of(fileRun('/a b\n.pb.gz')).run;
  const bytes = wire.OpenRunRequest.encode({ run }).finish();
  assert.equal(wire.OpenRunRequest.decode(bytes).run?.file, '/a b\n.pb.gz');
});

test('each recording is opened in its own engine, by the id of its request, until it has ended', () => {
  const [viewing, one, other] = [1, 2, 3].map((id) => ({ id }) as never);
  const engines = new RunEngines(viewing!);
  const [first, second] = [engines.begin(one!, 2), engines.begin(other!, 2)];
  assert.ok(!sameRun(first, second), 'both requests have the same id');
  assert.deepEqual(engines.of(second), { client: other, run: { recording: 2 } });
  assert.equal(engines.of(fileRun('/a')).client, viewing);
  engines.end(first);
  assert.throws(() => engines.of(first), /The recording has ended/);
  assert.deepEqual(engines.of(second).client, other);
});

test('what needs a file or final figures is refused for a recording in progress, in a sentence', () => {
  const recording: RunRef = { kind: 'recording', recording: 1 };
  assert.deepEqual([abilitiesOf(recording).isFinal, abilitiesOf(fileRun('/a')).isFinal], [false, true]);
  assert.equal(fileOf(fileRun('/a')), '/a');
  assert.throws(
    () => fileOf(recording),
    (error) => error instanceof EngineFailure && error.kind === 'being-recorded',
  );
});
