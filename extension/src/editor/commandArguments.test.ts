import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TargetError } from '../targets/target.ts';
import {
  isFromProgram,
  isFunction,
  isNamedProgram,
  isRun,
  isSweep,
  namedComparison,
  onRun,
  pathOf,
  sweepParametersOf,
} from './commandArguments.ts';

const NOTHING = [undefined, null, '', 'text', 7, true, [], {}, () => {}];

class FakeUri {
  constructor(
    readonly scheme: string,
    readonly fsPath: string,
  ) {}
}
const isUri = (one: unknown): one is FakeUri => one instanceof FakeUri;

test('what is none of it is no run, function, sweep or comparison, and no program', () => {
  for (const argument of NOTHING) {
    assert.equal(isRun(argument), false);
    assert.equal(isFunction(argument), false);
    assert.equal(isSweep(argument), false);
    assert.equal(namedComparison(argument), undefined);
    assert.equal(isNamedProgram(argument), false);
  }
});

test('parts of the wrong type are refused, not converted', () => {
  assert.equal(isRun({ path: '/a.pb.gz' }), false);
  for (const argument of [{ module: 1, name: 'f' }, { module: 'm' }, { name: 'f' }, { module: 'm', name: 2 }])
    assert.equal(isFunction(argument), false);
  assert.equal(isSweep({ sweep: 1 }), false);
  for (const argument of [{ base: '/a' }, { new: '/b' }, { base: '/a', new: 1 }])
    assert.equal(namedComparison(argument), undefined);
});

test('what commands take is told from everything else', () => {
  assert.ok(isRun({ path: '/a.pb.gz', samples: 0 }));
  assert.ok(isFunction({ name: 'f', module: '' }));
  assert.ok(isSweep({ sweep: '' }));
  assert.deepEqual(namedComparison({ base: '/a', new: '/b', more: 1 }), { base: '/a', new: '/b' });
});

test('a command on a run does nothing without one, and gives back what it makes of one', () => {
  const ran: string[] = [];
  const command = onRun(({ path }) => ran.push(path));
  for (const argument of NOTHING) assert.equal(command(argument), undefined);
  assert.equal(command({ path: '/a.pb.gz', samples: 3 }), 1);
  assert.deepEqual(ran, ['/a.pb.gz']);
});

test('a file is named by its path, or by an address on this machine', () => {
  assert.equal(pathOf('/a.pb.gz', isUri), '/a.pb.gz');
  assert.equal(pathOf(new FakeUri('file', '/a.pb.gz'), isUri), '/a.pb.gz');
  for (const argument of [new FakeUri('git', '/a.pb.gz'), { scheme: 'file', fsPath: '/a' }, '', undefined])
    assert.equal(pathOf(argument, isUri), undefined);
});

test('a named program may say how it is recorded; a part of the wrong type is an error that lists all parts', () => {
  assert.ok(isNamedProgram({ program: 'burn' }));
  assert.ok(
    isNamedProgram({ program: 'burn', args: ['1'], cwd: '/a', env: { A: 'b' }, repeat: 3, warmUp: 0, work: 2 }),
  );
  for (const part of [
    { program: '' },
    { program: 7 },
    { args: '1' },
    { args: [1] },
    { env: { A: 1 } },
    { repeat: 'often' },
    { durationS: -1 },
    { workFrom: 1 },
  ])
    assert.throws(() => isNamedProgram({ program: 'burn', ...part }), /takes \{ program, args, .*workFrom \}/);
});

test('parameters of a sweep are a list of texts', () => {
  const parameters = sweepParametersOf({ program: 'burn', set: ['threads=1,2'] });
  assert.deepEqual(
    parameters.map(({ name }) => name),
    ['threads'],
  );
  for (const set of [undefined, 'threads=1', [1], ['threads']])
    assert.throws(() => sweepParametersOf({ program: 'burn', set }), TargetError);
});

test('texts, programs and comparisons come from programs; what menus pass does not', () => {
  for (const argument of ['', '/a.pb.gz', { program: 'burn' }, { base: '/a', new: '/b' }])
    assert.ok(isFromProgram(argument));
  for (const argument of [undefined, null, 7, new FakeUri('file', '/a'), { path: '/a', samples: 1 }])
    assert.equal(isFromProgram(argument), false);
});
