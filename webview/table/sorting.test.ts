import assert from 'node:assert/strict';
import test from 'node:test';
import { readComparedTable, readFunctionTable } from '../content/tables.ts';
import { comparedContent, functionsContent, uncountedFunctions, uncountedRows } from '../test/contents.ts';
import { drawn } from '../test/parse.ts';
import { COMPARED_SORT, comparedColumns } from './comparedColumns.ts';
import { FUNCTION_SORT, functionColumns } from './functionColumns.ts';
import { nodeNamed, nodesByFunction, rowsByFunction } from './sameFunction.ts';
import { sortedRows } from './virtualTable.ts';

const functions = readFunctionTable(
  functionsContent(
    [
      { name: 'b', self: 30, total: 40, module: 'm2' },
      { name: 'a', self: 30, total: 100, module: 'm1' },
      { name: 'c', self: 40, total: 40, module: 'm1' },
    ],
    100,
  ),
);
const columns = functionColumns(functions);
const all = Uint32Array.of(0, 1, 2);

test('the hottest self comes first; equals keep the order of the engine', () =>
  assert.deepEqual([...sortedRows(all, columns, FUNCTION_SORT)], [2, 0, 1]));
test('any column sorts both ways', () => {
  assert.deepEqual([...sortedRows(all, columns, { column: 'name', descending: false })], [1, 0, 2]);
  assert.deepEqual([...sortedRows(all, columns, { column: 'total', descending: true })], [1, 0, 2]);
  assert.deepEqual([...sortedRows(all, columns, { column: 'module', descending: true })], [0, 1, 2]);
});
test('where nobody knows the samples the table has no column of them', () => {
  const content = functionsContent([{ name: 'a', self: 30, total: 40 }], 100);
  const ids = functionColumns(readFunctionTable(uncountedFunctions(content))).map(({ id }) => id);
  assert.deepEqual(ids, ['self', 'total', 'name', 'module']);
});
test('the hints of a comparison name what is compared', () => {
  const content = uncountedRows(comparedContent([{ name: 'a', base: [1, 1], later: [2, 2], verdict: 1 }], [1, 2]));
  const shown = { rows: 'functions', measure: 'self', what: 'memory in use', counted: 'samples' } as const;
  const hints = comparedColumns(readComparedTable(content), shown).map(({ hint }) => hint);
  assert.ok(hints.includes('Base: memory in use per run'), hints.join());
  assert.match(hints[0]!, /▲ more, ▼ less/);
});
test('an unknown column leaves the order as it is', () =>
  assert.deepEqual([...sortedRows(all, columns, { column: '__proto__', descending: true })], [0, 1, 2]));

test('a comparison is sorted by the size of the change, whatever its sign', () => {
  const rows = [
    { name: 'small', base: [10, 10], later: [12, 90], verdict: 0 },
    { name: 'less', base: [90, 90], later: [10, 10], verdict: 2 },
    { name: 'more', base: [10, 10], later: [70, 70], verdict: 1 },
  ] as const;
  const table = readComparedTable(comparedContent(rows, [110, 92]));
  assert.deepEqual(
    [
      ...sortedRows(
        all,
        comparedColumns(table, { rows: 'functions', measure: 'self', what: 'CPU time', counted: 'samples' }),
        COMPARED_SORT,
      ),
    ],
    [1, 2, 0],
  );
  assert.deepEqual(
    [
      ...sortedRows(
        all,
        comparedColumns(table, { rows: 'functions', measure: 'total', what: 'CPU time', counted: 'samples' }),
        COMPARED_SORT,
      ),
    ],
    [0, 1, 2],
  );
});

test('a function is found in the other view by its name and module', () => {
  const graph = drawn('x 1\n  a 5\na 9');
  assert.equal(nodesByFunction(graph)(graph.frames, graph.frame[2]!), 3);
  assert.equal(nodeNamed(graph, { name: 'a', module: '' }), 3);
  assert.equal(nodeNamed(graph, { name: '__proto__', module: '' }), -1);
  const rowOf = rowsByFunction(functions.frames);
  assert.equal(rowOf(functions.frames, 1), 1);
  assert.equal(rowOf(graph.frames, graph.frame[2]!), -1); // module shop, not m1
});

test('a hundred thousand rows are sorted with the comparisons that a sort needs, each of two names', () => {
  const count = 100_000;
  const rows = Array.from({ length: count }, (_, i) => ({
    name: `f${(i * 7919) % count}`,
    self: (i * 31) % 997,
    total: i,
  }));
  const many = readFunctionTable(functionsContent(rows, 1e6));
  let compared = 0;
  const counted = functionColumns(many).map((column) => ({
    ...column,
    compare: (a: number, b: number) => {
      compared++;
      return column.compare(a, b);
    },
  }));
  const order = sortedRows(Uint32Array.from(rows.keys()), counted, { column: 'name', descending: false });
  assert.ok(compared > count && compared < count * Math.log2(count), `${compared} comparisons`);
  const names = [...order].map((row) => rows[row]!.name);
  assert.deepEqual(names, [...names].sort());
});
