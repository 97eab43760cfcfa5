import assert from 'node:assert/strict';
import test from 'node:test';
import { EMPTY_SELECTION, type ShownSelection } from './selectionMessages.ts';
import {
  actsOf,
  EMPTY_FILTER,
  filterAt,
  filterThings,
  patternOf,
  problemOf,
  type TypedFilter,
  withFilter,
} from './typedFilter.ts';

const typed = (part: Partial<TypedFilter>): TypedFilter => ({ ...EMPTY_FILTER, ...part });
const selected = (...args: Parameters<typeof withFilter>): ShownSelection => {
  const selection = withFilter(...args);
  assert.ok(typeof selection !== 'string', String(selection));
  return selection;
};

test('each thing and each act is a part of the selection that reads back as the same filter', () => {
  for (const thing of filterThings)
    for (const act of actsOf(thing))
      for (const [meaning, text] of [
        ['name', 'parse_line'],
        ['glob', 'parse_*'],
        ['regex', '^(parse|read)_'],
      ] as const) {
        const filter = typed({ thing, act, meaning, text });
        const selection = selected(EMPTY_SELECTION, filter);
        const part = (['threads', 'processes', 'droppedThreads', 'droppedProcesses', 'transforms'] as const).find(
          (one) => selection[one].length > 0,
        );
        assert.deepEqual(filterAt(selection, { part: part!, at: 0 }), filter);
      }
});

test('a changed filter stays at its place, and moves where it is of another kind', () => {
  let selection = EMPTY_SELECTION;
  for (const text of ['a', 'b', 'c']) selection = selected(selection, typed({ text }));
  const changed = selected(selection, typed({ text: 'x*', act: 'drop' }), { part: 'transforms', at: 1 });
  assert.deepEqual(changed.transforms, [
    selection.transforms[0],
    { kind: 'dropFunction', function: { name: 'x*', module: '' } },
    selection.transforms[2],
  ]);
  const moved = selected(selection, typed({ thing: 'thread', text: 'io' }), { part: 'transforms', at: 0 });
  assert.deepEqual([moved.threads, moved.transforms], [['io'], selection.transforms.slice(1)]);
  const dropped = selected(moved, typed({ thing: 'thread', act: 'drop', text: 'io' }), { part: 'threads', at: 0 });
  assert.deepEqual([dropped.threads, dropped.droppedThreads], [[], ['io']]);
});

test('a function that was chosen on the page stays that of its module while its name stays', () => {
  const selection: ShownSelection = {
    ...EMPTY_SELECTION,
    transforms: [{ kind: 'mergeFunction', function: { name: 'parse', module: 'shop' } }],
  };
  const place = { part: 'transforms', at: 0 } as const;
  const filter = filterAt(selection, place)!;
  assert.deepEqual(selected(selection, { ...filter, act: 'drop' }, place).transforms, [
    { kind: 'dropFunction', function: { name: 'parse', module: 'shop' } },
  ]);
  assert.deepEqual(selected(selection, { ...filter, text: 'read' }, place).transforms, [
    { kind: 'mergeFunction', function: { name: 'read', module: '' } },
  ]);
});

test('what the page alone makes is no filter that can be typed', () => {
  const selection: ShownSelection = {
    ...EMPTY_SELECTION,
    transforms: [{ kind: 'hideKernel' }, { kind: 'collapseModule', module: 'libc.so.6' }],
  };
  for (const at of [0, 1, 2]) assert.equal(filterAt(selection, { part: 'transforms', at }), undefined);
});

test('texts that the engine would refuse or take in another way are told', () => {
  assert.match(problemOf(typed({ text: '' }))!, /Enter the name of a function/);
  assert.match(problemOf(typed({ text: '/parse/' }))!, /between slashes is a regular expression/);
  assert.equal(problemOf(typed({ text: '/parse/', meaning: 'regex' })), undefined);
  assert.equal(problemOf(typed({ text: '/src/parse.c', thing: 'file' })), undefined);
  assert.equal(problemOf(typed({ text: 'a'.repeat(4096) })), undefined);
  assert.match(
    problemOf(typed({ text: 'a'.repeat(10_000) }))!,
    /has 10,000 characters, but a filter has at most 4,096/,
  );
  assert.match(problemOf(typed({ text: 'a'.repeat(4095), meaning: 'regex' }))!, /4,097/);
  assert.equal(patternOf({ meaning: 'regex', text: 'a/b' }), '/a/b/');
});

test('no more filters than a selection holds', () => {
  const full: ShownSelection = { ...EMPTY_SELECTION, transforms: Array(256).fill({ kind: 'hideKernel' }) };
  assert.match(String(withFilter(full, typed({ text: 'a' }))), /room for 256 filters/);
  const threads = Array.from({ length: 1024 }, (_, at) => `t${at}`);
  const thread = typed({ thing: 'thread', text: 'one more' });
  assert.match(String(withFilter({ ...EMPTY_SELECTION, threads }, thread)), /room for 1024 filters/);
  assert.ok(typeof withFilter(full, typed({ text: 'a' }), { part: 'transforms', at: 3 }) !== 'string');
  assert.deepEqual(selected({ ...EMPTY_SELECTION, threads: ['io'] }, typed({ thing: 'thread', text: 'io' })).threads, [
    'io',
  ]);
});
