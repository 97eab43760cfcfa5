import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_SELECTION, type ShownSelection, type ShownTransform } from '../../../core/selectionMessages.ts';
import { namesFunctions, selectionFlags } from './selectionFlags.ts';

const MODULES = new Map([
  ['parse', new Set(['shop'])],
  ['memcpy', new Set(['libc.so.6', 'shop'])],
]);
const said = (selection: Partial<ShownSelection>, workspaceFolders: string[] = []) =>
  selectionFlags(
    { ...EMPTY_SELECTION, ...selection },
    { modulesOf: (name) => MODULES.get(name) ?? new Set(), workspaceFolders },
  );
const flagsOf = (selection: Partial<ShownSelection>, folders?: string[]): readonly string[] => {
  const answer = said(selection, folders);
  assert.ok('flags' in answer, JSON.stringify(answer));
  return answer.flags;
};
const refusalOf = (transforms: ShownTransform[], folders?: string[]): string => {
  const answer = said({ transforms }, folders);
  assert.ok('refused' in answer, JSON.stringify(answer));
  return answer.refused;
};
const parse = { name: 'parse', module: 'shop' };

test('all of a run needs no flag', () => assert.deepEqual(flagsOf({}), []));

test('times are given to the nanosecond', () => {
  const times = [
    { fromNs: 0, toNs: 1 },
    { fromNs: 2_700_000_000, toNs: 3_100_000_001 },
    { fromNs: 86_400_000_000_007, toNs: 86_400_999_999_999 },
  ];
  assert.deepEqual(flagsOf({ times }), [
    '--time=0.000000000-0.000000001',
    '--time=2.700000000-3.100000001',
    '--time=86400.000000007-86400.999999999',
  ]);
});

test('threads, processes and executions are all given, whatever their names begin with', () => {
  const selection = { threads: ['17', 'worker-*', '--help', ''], processes: ['shop'], executions: [2, 3] };
  assert.deepEqual(flagsOf(selection), [
    ...['--thread=17', '--thread=worker-*', '--thread=--help', '--thread='],
    ...['--process=shop', '--execution=2', '--execution=3'],
  ]);
  assert.deepEqual(flagsOf({ droppedThreads: ['io', '-x'], droppedProcesses: ['/^a/'] }), [
    ...['--drop-thread=io', '--drop-thread=-x', '--drop-process=/^a/'],
  ]);
});

test('a typed filter is its flag, with its text as it is', () => {
  const anywhere = (name: string) => ({ name, module: '' });
  const transforms: ShownTransform[] = [
    { kind: 'keepFunction', function: anywhere('/^parse_(line|word)$/') },
    { kind: 'dropFunction', function: anywhere('std::*') },
    { kind: 'keepModule', module: 'lib*' },
    { kind: 'dropModule', module: '/^libm/' },
    { kind: 'keepFile', file: 'src/*.c' },
    { kind: 'dropFile', file: 'io.c' },
    { kind: 'focusFunction', function: anywhere('main') },
    { kind: 'hideFile', file: '--help' },
  ];
  assert.deepEqual(flagsOf({ transforms }), [
    ...['--keep=/^parse_(line|word)$/', '--drop=std::*', '--keep-module=lib*', '--drop-module=/^libm/'],
    ...['--keep-file=src/*.c', '--drop-file=io.c', '--focus=main', '--hide-file=--help'],
  ]);
  const later: ShownTransform = { kind: 'keepFunction', function: anywhere('main') };
  assert.match(refusalOf([{ kind: 'hideFile', file: 'a.c' }, later]), /first File a\.c hidden, then Only with: main/);
});

test('each change of the stacks that has a flag is given', () => {
  const transforms: ShownTransform[] = [
    { kind: 'dropFunction', function: parse },
    { kind: 'focusFunction', function: parse },
    { kind: 'hideKernel' },
    { kind: 'mergeFunction', function: { name: 'operator new*', module: '' } },
    { kind: 'hideModule', module: 'libc.so.6' },
    { kind: 'hideRuntime', runtime: 'rust' },
    { kind: 'myCode', opened: [parse, { name: 'std::sort*', module: '' }] },
    { kind: 'collapseModule', module: 'shop' },
    { kind: 'collapseRecursion', function: parse },
    { kind: 'collapseRecursion', function: parse },
    { kind: 'collapseDirectRecursion', function: parse },
  ];
  assert.deepEqual(flagsOf({ transforms }), [
    ...[
      '--drop=parse',
      '--focus=parse',
      '--hide-kernel',
      '--hide=operator new*',
      '--hide-module=libc.so.6',
      '--hide-runtime=rust',
      '--my-code',
      '--open=parse',
      '--open=std::sort*',
    ],
    ...['--collapse-module=shop', '--collapse-recursion=parse', '--collapse-direct-recursion=parse'],
  ]);
});

test('what has no flag is refused with its words', () => {
  assert.match(refusalOf([{ kind: 'focusSelf', function: parse }]), /cannot show .*: Self only: parse\.$/);
  const path: ShownTransform = { kind: 'focusSubtree', path: [parse, { name: 'line', module: 'shop' }], leftOut: [] };
  assert.match(refusalOf([path]), /cannot show .*: Call path to line\.$/);
  assert.match(refusalOf([{ kind: 'myCode' }], ['/project/shop']), /Just my code.*not the open folders/);
  const two: ShownTransform[] = [
    { kind: 'focusFunction', function: parse },
    { kind: 'focusFunction', function: { name: 'line', module: '' } },
  ];
  assert.match(refusalOf(two), /one function only/);
});

test('a function whose name others have too is refused, for a flag would mean them all', () => {
  const memcpy = { name: 'memcpy', module: 'shop' };
  assert.match(
    refusalOf([{ kind: 'mergeFunction', function: memcpy }]),
    /Without: memcpy\. Functions of other modules/,
  );
  assert.deepEqual(flagsOf({ transforms: [{ kind: 'mergeFunction', function: { ...memcpy, module: '' } }] }), [
    '--hide=memcpy',
  ]);
  assert.match(refusalOf([{ kind: 'myCode', opened: [memcpy] }]), /opened: memcpy\. Functions of other modules/);
});

test('an order that the command line does not keep is refused', () => {
  assert.match(refusalOf([{ kind: 'myCode' }, { kind: 'hideKernel' }]), /first Just my code, then Kernel hidden/);
  const hide: ShownTransform = { kind: 'mergeFunction', function: parse };
  const drop: ShownTransform = { kind: 'dropFunction', function: parse };
  const collapse: ShownTransform = { kind: 'collapseModule', module: 'shop' };
  assert.match(refusalOf([hide, drop]), /first Without: parse, then Drop: parse/);
  assert.match(refusalOf([drop, collapse, hide]), /first Module shop collapsed, then Without: parse/);
  assert.equal(flagsOf({ transforms: [{ kind: 'hideKernel' }, hide] }).length, 2, 'frames are left out in any order');
});

test('modules matter only where a function of one is named', () => {
  const named = (module: string): ShownSelection => ({
    ...EMPTY_SELECTION,
    transforms: [{ kind: 'hideKernel' }, { kind: 'dropFunction', function: { name: 'parse', module } }],
  });
  assert.equal(namesFunctions(EMPTY_SELECTION), false);
  assert.equal(namesFunctions(named('')), false);
  assert.equal(namesFunctions(named('shop')), true);
});
