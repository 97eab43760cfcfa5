import assert from 'node:assert/strict';
import test from 'node:test';
import { chipsOf } from '../../core/selectionChips.ts';
import { EMPTY_SELECTION, type ShownSelection } from '../../core/selectionMessages.ts';
import { functionAction, stackAction, transformOf } from './transformKeys.ts';

const named = (name: string) => ({ name, module: 'shop' });
const selection: ShownSelection = {
  times: [{ fromNs: 2.7e9, toNs: 3.1e9 }],
  threads: ['4711', 'worker-*'],
  processes: ['shop'],
  droppedThreads: ['4711', '/^io/'],
  droppedProcesses: ['helper*'],
  executions: [3],
  transforms: [
    { kind: 'focusFunction', function: named('parse') },
    { kind: 'focusSelf', function: named('hash') },
    { kind: 'mergeFunction', function: named('malloc') },
    { kind: 'dropFunction', function: named('poll') },
    { kind: 'collapseRecursion', function: named('visit') },
    { kind: 'collapseDirectRecursion', function: named('walk') },
    { kind: 'focusSubtree', path: [named('main'), named('serve')], leftOut: [] },
    { kind: 'collapseModule', module: 'libc.so.6' },
    { kind: 'hideModule', module: 'libz.so.1' },
    { kind: 'hideKernel' },
    { kind: 'myCode' },
    { kind: 'hideRuntime', runtime: 'go' },
    { kind: 'hideRuntime', runtime: 'interrupts' },
    { kind: 'keepFunction', function: { name: '/^std::sort<(int|long)>/', module: '' } },
    { kind: 'keepModule', module: 'lib*' },
    { kind: 'dropModule', module: 'libm.so.6' },
    { kind: 'keepFile', file: 'src/*.c' },
    { kind: 'dropFile', file: 'io.c' },
    { kind: 'hideFile', file: '/^gen/' },
  ],
};
const chips = chipsOf(selection, (tid) => (tid === '4711' ? 'io' : undefined));

test('each part of a selection is a chip in words, in its order', () =>
  assert.deepEqual(
    chips.map(({ text }) => text),
    [
      '2.7–3.1 s',
      'Thread io (4711)',
      'Thread worker-*',
      'Process shop',
      'Drop thread io (4711)',
      'Drop thread /^io/',
      'Drop process helper*',
      'Execution 3',
      'Focus: parse',
      'Self only: hash',
      'Without: malloc',
      'Drop: poll',
      'Recursion collapsed: visit',
      'Direct recursion collapsed: walk',
      'Call path to serve',
      'Module libc.so.6 collapsed',
      'Module libz.so.1 hidden',
      'Kernel hidden',
      'Just my code',
      'Go runtime hidden',
      'Interrupts hidden',
      'Only with: /^std::sort<(int|long)>/',
      'Only with module lib*',
      'Drop module libm.so.6',
      'Only with file src/*.c',
      'Drop file io.c',
      'File /^gen/ hidden',
    ],
  ));
test('what is opened in Just My Code is named, as far as there is room', () => {
  const textOf = (...opened: string[]) => {
    const transforms = [{ kind: 'myCode', opened: opened.map(named) } as const];
    return chipsOf({ ...EMPTY_SELECTION, transforms }, () => undefined)[0]!.text;
  };
  assert.equal(textOf('std::sort'), 'Just my code, opened: std::sort');
  assert.equal(textOf('qsort', 'malloc'), 'Just my code, opened: qsort, malloc');
  assert.equal(textOf('qsort', 'malloc', 'free'), 'Just my code, 3 functions opened');
});
test('a chip takes out its own part and nothing else', () => {
  assert.deepEqual(chips[0]!.without, { ...selection, times: [] });
  assert.deepEqual(chips[1]!.without, { ...selection, threads: ['worker-*'] });
  assert.deepEqual(chips[11]!.without, { ...selection, transforms: selection.transforms.filter((_, at) => at !== 3) });
});
test('many of one kind are one chip that takes out all of them', () => {
  const threads = Array.from({ length: 200 }, (_, i) => String(i));
  const [chip, ...more] = chipsOf({ ...EMPTY_SELECTION, threads }, () => undefined);
  assert.deepEqual([chip!.text, more.length], ['200 threads', 0]);
  assert.deepEqual(chip!.without, EMPTY_SELECTION);
});
test('foreign names are made visible', () => {
  const [chip] = chipsOf({ ...EMPTY_SELECTION, threads: ['a\u202eb\n'] }, () => undefined);
  assert.equal(chip!.text, 'Thread a\\u202eb\\x0a');
  const [transform] = chipsOf(
    { ...EMPTY_SELECTION, transforms: [{ kind: 'dropFunction', function: named('x\u0007') }] },
    () => undefined,
  );
  assert.equal(transform!.text, 'Drop: x\\x07');
});

const key = (text: string, more: object = {}) => ({
  key: text,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});
test('letters are those of the profiler of Firefox', () => {
  const actions = ['f', 'S', 'F', 'm', 'd', 'r', 'R', 'C', 'o'].map((letter) => functionAction(key(letter)));
  assert.deepEqual(actions, [
    'focusFunction',
    'focusSelf',
    'focusSubtree',
    'mergeFunction',
    'dropFunction',
    'collapseRecursion',
    'collapseDirectRecursion',
    'collapseModule',
    'openCollapsed',
  ]);
  assert.deepEqual(
    ['K', 'k', 'J', 'j'].map((letter) => stackAction(key(letter))),
    ['hideKernel', 'hideKernel', 'myCode', 'myCode'],
  );
  for (const other of [key('c'), key('D'), key('s'), key(''), key('f', { ctrlKey: true })])
    assert.equal(functionAction(other), undefined);
  assert.equal(stackAction(key('k', { ctrlKey: true })), undefined);
});
test('a call path is focused on only where there is a node', () => {
  const callPath = { path: [named('main'), named('parse')], leftOut: [] };
  assert.deepEqual(transformOf('focusSubtree', named('parse'), callPath), { kind: 'focusSubtree', ...callPath });
  assert.equal(transformOf('focusSubtree', named('parse')), undefined);
  const deep = { path: Array(4097).fill(named('visit')), leftOut: [] };
  assert.equal(transformOf('focusSubtree', named('visit'), deep), undefined);
});
test('a module is collapsed only where there is one', () => {
  assert.deepEqual(transformOf('collapseModule', named('main')), { kind: 'collapseModule', module: 'shop' });
  assert.equal(transformOf('collapseModule', { name: 'main', module: '' }), undefined);
  assert.deepEqual(transformOf('dropFunction', named('main')), { kind: 'dropFunction', function: named('main') });
});
