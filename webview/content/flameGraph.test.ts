import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import protobuf from 'protobufjs';
import {
  comparedContent,
  functionsContent,
  graphContent,
  randomGraph,
  uncountedFunctions,
  uncountedGraph,
  uncountedRows,
} from '../test/contents.ts';
import { drawn } from '../test/parse.ts';
import { readFlameGraph } from './flameGraph.ts';
import { readComparedTable, readFunctionTable } from './tables.ts';
import { MalformedContent } from './wireReader.ts';

const contract = protobuf.parse(readFileSync(new URL('../../protocol/views.proto', import.meta.url), 'utf8')).root;
const encode = (type: string, message: object): Uint8Array =>
  contract.lookupType(`lineheat.wire.${type}`).encode(message).finish();
const frames = { strings: ['', 'all', 'main'], name: [1, 2], module: [0, 0], file: [0, 0], line: [0, 7], kind: [4, 0] };
const good = {
  frames,
  type: 'cpu',
  unit: 'nanoseconds',
  parentDistance: [0, 1],
  frame: [0, 1],
  line: [0, 12],
  selfValue: [3, 4],
  selfSamples: [1, 2],
  totalValue: [7, 0],
  totalSamples: [3, 0],
};

test('depths and ranges come from the tree, totals from the engine', () => {
  const graph = drawn(`
a 1
  b 2
    c 3
  d 4
e 5`);
  assert.deepEqual([...graph.costs.totalSamples!], [15, 10, 5, 3, 4, 5]);
  assert.deepEqual([...graph.depth], [0, 1, 2, 3, 2, 1]);
  assert.deepEqual([...graph.end], [6, 5, 4, 4, 5, 6]);
  assert.deepEqual([...graph.parent], [-1, 0, 1, 2, 1, 0]);
  assert.equal(graph.depthMax, 3);
});

test('every column of the contract is read by its own number', () => {
  const graph = readFlameGraph(
    encode('FlameGraph', {
      ...good,
      newSelfValue: [5, 6],
      newSelfSamples: [7, 8],
      newTotalValue: [11, 0],
      newTotalSamples: [15, 0],
      churn: [4, 2],
      prunedNodes: 9,
    }),
  );
  assert.deepEqual(graph.frames.strings, frames.strings);
  for (const column of ['name', 'module', 'file', 'line', 'kind'] as const) {
    assert.deepEqual([...graph.frames[column]], frames[column], column);
  }
  assert.equal(`${graph.type} ${graph.unit} ${graph.prunedNodes}`, 'cpu nanoseconds 9');
  assert.deepEqual([[...graph.frame], [...graph.line]], [good.frame, good.line]);
  assert.deepEqual([[...graph.costs.self], [...graph.costs.selfSamples!]], [good.selfValue, good.selfSamples]);
  assert.deepEqual(
    [[...graph.newCosts!.self], [...graph.newCosts!.selfSamples!]],
    [
      [5, 6],
      [7, 8],
    ],
  );
  assert.deepEqual([...graph.churn], [4, 2]);
});

test('the total of a node that calls nothing is its self', () => {
  const { costs, newCosts } = readFlameGraph(
    encode('FlameGraph', {
      ...good,
      newSelfValue: [5, 6],
      newSelfSamples: [7, 8],
      newTotalValue: [11, 0],
      newTotalSamples: [15, 0],
      churn: [4, 2],
    }),
  );
  assert.deepEqual(
    [[...costs.total], [...costs.totalSamples!]],
    [
      [7, 4],
      [3, 2],
    ],
  );
  assert.deepEqual(
    [[...newCosts!.total], [...newCosts!.totalSamples!]],
    [
      [11, 6],
      [15, 8],
    ],
  );
});

test('the tables are read as the contract has them', () => {
  const functions = readFunctionTable(functionsContent([{ name: 'f', self: 3, total: 5, module: 'm' }], 10));
  assert.deepEqual([...functions.selfSamples!, ...functions.totalSamplesOfRow!], [3, 5]);
  assert.deepEqual([...functions.selfValue, ...functions.totalValueOfRow, functions.totalValue], [3e6, 5e6, 10e6]);
  const row = { name: 'f', base: [1, 2], later: [3, 4], verdict: 5, file: 'f.c', line: 6, baseLine: 7 } as const;
  const compared = readComparedTable(comparedContent([row], [100, 200]));
  const columns = ['baseSelf', 'baseTotalOfRow', 'newSelf', 'newTotalOfRow'] as const;
  assert.deepEqual(
    columns.map((column) => compared[column][0]),
    [1e6, 2e6, 3e6, 4e6],
  );
  const samples = ['baseSelfSamples', 'baseTotalSamplesOfRow', 'newSelfSamples', 'newTotalSamplesOfRow'] as const;
  assert.deepEqual(
    samples.map((column) => compared[column]![0]),
    [1, 2, 3, 4],
  );
  assert.deepEqual([compared.verdict[0], compared.baseLine[0], compared.per], [5, 7, 'run']);
  assert.deepEqual([compared.baseTotal, compared.newTotal], [1e8, 2e8]);
});

test('where nobody knows the samples there are no counts, whatever the columns hold', () => {
  const { costs, unit } = readFlameGraph(uncountedGraph(graphContent({ name: 'all', self: 4 })));
  assert.deepEqual([unit, costs.self[0], costs.selfSamples, costs.totalSamples], ['bytes', 4e6, undefined, undefined]);
  const table = readFunctionTable(uncountedFunctions(functionsContent([{ name: 'f', self: 3, total: 5 }], 10)));
  assert.deepEqual([table.selfValue[0], table.selfSamples, table.totalSamplesOfRow], [3e6, undefined, undefined]);
  const row = { name: 'f', base: [1, 2], later: [3, 4], verdict: 5 } as const;
  const compared = readComparedTable(uncountedRows(comparedContent([row], [100, 200])));
  assert.deepEqual(
    [compared.newSelf[0], compared.newSelfSamples, compared.baseTotalSamplesOfRow],
    [3e6, undefined, undefined],
  );
});

test('a value as large as the contract allows is exact', () => {
  const graph = readFlameGraph(encode('FlameGraph', { ...good, totalValue: [Number.MAX_SAFE_INTEGER, 0] }));
  assert.equal(graph.costs.total[0], Number.MAX_SAFE_INTEGER);
});

test('an empty content is an empty graph', () => assert.equal(readFlameGraph(new Uint8Array()).count, 0));

const malformed: Record<string, [object, RegExp]> = {
  'a column that is too short': [{ ...good, line: [0] }, /column line has 1 rows instead of 2/],
  'a frame that does not exist': [{ ...good, frame: [0, 2] }, /points to 2 of 2 frames/],
  'a name that does not exist': [{ ...good, frames: { ...frames, name: [1, 3] } }, /points to 3 of 3 strings/],
  'frames of unequal columns': [{ ...good, frames: { ...frames, kind: [4] } }, /frames.kind has 1 rows/],
  'a root with a parent': [{ ...good, parentDistance: [1, 1] }, /Node 0 must be the root/],
  'a node that is its own parent': [{ ...good, parentDistance: [0, 0] }, /Node 1 has no parent/],
  'a parent before the first node': [{ ...good, parentDistance: [0, 2] }, /Node 1 has no parent/],
  'totals of fewer nodes': [{ ...good, totalValue: [7] }, /total_value has 1 rows/],
  'a new run with fewer nodes': [{ ...good, churn: [0, 0], newSelfValue: [1] }, /new_self_value has 1 rows/],
};
for (const [what, [message, sentence]] of Object.entries(malformed)) {
  test(`${what} is refused with a sentence`, () => {
    assert.throws(
      () => readFlameGraph(encode('FlameGraph', message)),
      (error) => {
        assert.ok(error instanceof MalformedContent);
        assert.match(error.message, sentence);
        return true;
      },
    );
  });
}

test('nodes that are not in depth-first order are refused', () => {
  // 3 is a child of 1 after 2, a child of the root, has begun.
  const nodes = {
    parentDistance: [0, 1, 2, 2],
    frame: [0, 1, 1, 1],
    line: [0, 0, 0, 0],
    selfValue: [0, 1, 1, 1],
    selfSamples: [0, 1, 1, 1],
    totalValue: [3, 2, 0, 0],
    totalSamples: [3, 2, 0, 0],
  };
  assert.throws(
    () => readFlameGraph(encode('FlameGraph', { ...good, ...nodes })),
    /Node 3 is not in depth-first order/,
  );
});

test('no damage to the bytes does worse than a refusal', () => {
  const content = Uint8Array.from(randomGraph(300, 2000).graph);
  let refused = 0;
  for (let at = 0; at < content.length; at += 3) {
    for (const damage of [content.subarray(0, at), content.with(at, content[at]! ^ 0xff), content.with(at, 0x80)]) {
      try {
        readFlameGraph(damage);
      } catch (error) {
        assert.ok(error instanceof MalformedContent, String(error));
        refused++;
      }
    }
  }
  assert.ok(refused > content.length / 2, `${refused} refusals`);
});

test('an unpacked column reads like a packed one', () => {
  const bytes = graphContent({ name: 'all', self: 2 });
  const extra = Uint8Array.from([...bytes, 5 * 8, 0, 4 * 8, 1, 6 * 8, 0, 7 * 8, 9, 8 * 8, 1, 13 * 8, 0, 14 * 8, 0]);
  const graph = readFlameGraph(extra);
  assert.deepEqual([graph.count, graph.costs.self[1], graph.costs.selfSamples![1]], [2, 9, 1]);
});

test('a stack two hundred thousand deep is read without recursion', () => {
  const count = 200_000;
  const column = (value: number) => new Array<number>(count).fill(value);
  const deep = {
    parentDistance: [0, ...column(1).slice(1)],
    frame: column(0),
    line: column(0),
    selfValue: column(1),
    selfSamples: column(1),
    totalValue: column(1),
    totalSamples: column(1),
  };
  assert.equal(readFlameGraph(encode('FlameGraph', { ...good, ...deep })).depthMax, count - 1);
});
