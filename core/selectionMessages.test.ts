import assert from 'node:assert/strict';
import test from 'node:test';
import { EMPTY_SELECTION, type ShownSelection, sameSelection } from './selectionMessages.ts';
import { parsePageMessage } from './webviewMessages.ts';

const named = { name: 'parse', module: 'app' };
const selection: ShownSelection = {
  times: [{ fromNs: 5, toNs: 9 }],
  threads: ['worker-*', '4711'],
  processes: ['shop'],
  droppedThreads: ['/^io/'],
  droppedProcesses: ['4000'],
  executions: [1, 3],
  transforms: [
    { kind: 'focusFunction', function: named },
    { kind: 'collapseModule', module: 'libc.so.6' },
    { kind: 'hideKernel' },
    { kind: 'myCode' },
    { kind: 'myCode', opened: [named] },
    { kind: 'focusSubtree', path: [named, named], leftOut: [named] },
    { kind: 'hideRuntime', runtime: 'cpp' },
    { kind: 'keepFunction', function: { name: '/^parse/', module: '' } },
    { kind: 'dropModule', module: 'lib*' },
    { kind: 'keepFile', file: 'src/*.c' },
  ],
};
const request = { fromNs: 0, toNs: 0, columns: 1600, first: 0, count: 64, order: 'time', tinted: named };
const stack = { type: 'hottestStack', ask: 3, time: { fromNs: 5, toNs: 6 }, pid: 1, tid: 2 };

test('messages on selection and timeline are understood', () => {
  for (const message of [
    { type: 'timeline', request },
    { type: 'select', selection, preview: true },
    { type: 'select', selection: EMPTY_SELECTION, preview: false },
    { type: 'undoSelection' },
    { type: 'redoSelection' },
    { type: 'matchNames', ask: 4, thing: 'file', text: 'src/*.c', exact: false },
    stack,
  ])
    assert.deepEqual(parsePageMessage(message), message);
});

test('nothing beside the known properties comes through', () => {
  const more = { ...selection, times: [{ fromNs: 5, toNs: 9, path: '/' }], path: '/etc' };
  assert.deepEqual(parsePageMessage({ type: 'select', selection: more, preview: false, path: '/' }), {
    type: 'select',
    selection,
    preview: false,
  });
});

const range = { fromNs: 0, toNs: 1 };
const wrong: Record<string, object> = {
  'a range that ends before it begins': { ...selection, times: [{ fromNs: 9, toNs: 5 }] },
  'a time with a fraction': { ...selection, times: [{ fromNs: 0.5, toNs: 5 }] },
  'a time from 2^53 on': { ...selection, times: [{ fromNs: 0, toNs: 2 ** 53 }] },
  'a negative time': { ...selection, times: [{ fromNs: -1, toNs: 5 }] },
  '65 ranges': { ...selection, times: Array(65).fill(range) },
  '1025 threads': { ...selection, threads: Array(1025).fill('a') },
  '1025 processes': { ...selection, processes: Array(1025).fill('a') },
  '1025 dropped threads': { ...selection, droppedThreads: Array(1025).fill('a') },
  'a dropped process that is a number': { ...selection, droppedProcesses: [1] },
  'a file of 4097 characters': { ...selection, transforms: [{ kind: 'keepFile', file: 'a'.repeat(4097) }] },
  'a file transform without a file': { ...selection, transforms: [{ kind: 'hideFile', module: 'a' }] },
  'a name of 4097 characters': { ...selection, threads: ['a'.repeat(4097)] },
  'a number as a thread': { ...selection, threads: [4711] },
  'execution 0': { ...selection, executions: [0] },
  '257 transforms': { ...selection, transforms: Array(257).fill({ kind: 'hideKernel' }) },
  'an unknown transform': { ...selection, transforms: [{ kind: 'explode' }] },
  'a focus without a function': { ...selection, transforms: [{ kind: 'focusFunction' }] },
  'a module that is a function': { ...selection, transforms: [{ kind: 'collapseModule', module: named }] },
  'an empty call path': { ...selection, transforms: [{ kind: 'focusSubtree', path: [], leftOut: [] }] },
  'a call path of 4097 functions': {
    ...selection,
    transforms: [{ kind: 'focusSubtree', path: Array(4097).fill(named), leftOut: [] }],
  },
  '1025 opened functions': { ...selection, transforms: [{ kind: 'myCode', opened: Array(1025).fill(named) }] },
  'an opened module': { ...selection, transforms: [{ kind: 'myCode', opened: ['libc.so.6'] }] },
  'an unknown runtime': { ...selection, transforms: [{ kind: 'hideRuntime', runtime: 'java' }] },
  'a part that is missing': { ...selection, executions: undefined },
};
for (const [name, refused] of Object.entries(wrong))
  test(`${name} is refused`, () =>
    assert.equal(parsePageMessage({ type: 'select', selection: refused, preview: false }), undefined));

test('a question about names is bounded, and names what it asks', () => {
  const question = { type: 'matchNames', ask: 1, thing: 'function', text: 'parse*', exact: false };
  assert.ok(parsePageMessage({ ...question, text: 'a'.repeat(4096) }));
  for (const part of [
    { text: '' },
    { text: 'a'.repeat(4097) },
    { text: 5 },
    { thing: 'line' },
    { thing: undefined },
    { exact: 1 },
    { ask: -1 },
  ])
    assert.equal(parsePageMessage({ ...question, ...part }), undefined, JSON.stringify(part).slice(0, 40));
});

test('limits themselves are allowed', () => {
  const full = { ...selection, times: Array(64).fill(range), threads: Array(1024).fill('a'.repeat(4096)) };
  assert.ok(parsePageMessage({ type: 'select', selection: full, preview: false }));
  assert.ok(parsePageMessage({ type: 'timeline', request: { ...request, columns: 4096, count: 256 } }));
  const latest = { fromNs: 0, toNs: Number.MAX_SAFE_INTEGER };
  assert.ok(parsePageMessage({ ...stack, time: latest }));
});

test('a timeline of too much, or of what is none, is refused', () => {
  for (const part of [
    { columns: 0 },
    { columns: 4097 },
    { columns: 1.5 },
    { count: 257 },
    { first: -1 },
    { order: 'name' },
    { tinted: 'main' },
    { fromNs: 2, toNs: 1 },
  ])
    assert.equal(parsePageMessage({ type: 'timeline', request: { ...request, ...part } }), undefined);
  assert.equal(parsePageMessage({ type: 'select', selection, preview: 1 }), undefined);
  assert.equal(parsePageMessage({ ...stack, pid: 2 ** 32 }), undefined);
  assert.equal(parsePageMessage({ ...stack, time: undefined }), undefined);
});

test('selections are the same by what is in them, in any order of properties', () => {
  const { times, ...rest } = selection;
  assert.ok(sameSelection(selection, { ...rest, times: [{ toNs: 9, fromNs: 5 }] }));
  assert.ok(!sameSelection(selection, { ...selection, threads: ['4711', 'worker-*'] }));
  assert.ok(!sameSelection(selection, EMPTY_SELECTION));
  assert.ok(times.length === 1);
});
