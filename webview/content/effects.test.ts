import assert from 'node:assert/strict';
import test from 'node:test';
import { wire } from '../../core/wire.ts';
import { comparedContent } from '../test/contents.ts';
import { readFlameGraph } from './flameGraph.ts';
import { readComparedTable } from './tables.ts';
import { MalformedContent } from './wireReader.ts';

const rows = [
  { name: 'a', base: [10, 20], later: [30, 40], verdict: 1, note: 'renamed from b' },
  { name: 'c', base: [5, 5], later: [5, 5], verdict: 0 },
] as const;

test('effects, notes and contributions come as they were written', () => {
  const judge = (base: number, later: number) => ({
    verdict: later > base ? 1 : 0,
    change: later / base - 1,
    low: -0.5,
  });
  const table = readComparedTable(comparedContent(rows, [15, 35], judge));
  assert.deepEqual([...table.selfEffects!.change], [2, 0]);
  assert.deepEqual([...table.totalEffects!.change], [1, 0]);
  assert.deepEqual([...table.selfEffects!.low], [-0.5, -0.5]);
  assert.deepEqual([...table.selfEffects!.high], [Number.NaN, Number.NaN]);
  assert.deepEqual([...table.selfEffects!.verdict], [1, 0]);
  assert.deepEqual([...table.contribution], [1, 0]);
  assert.deepEqual(
    [...table.note].map((note) => table.frames.strings[note]),
    ['renamed from b', ''],
  );
});
test('an engine that says no effects leaves them unknown', () => {
  const table = readComparedTable(comparedContent(rows, [15, 35]));
  assert.equal(table.selfEffects, undefined);
  assert.ok([...table.contribution].every(Number.isNaN));
});

const frames = { strings: ['', 'all'], name: [1], module: [0], file: [0], line: [0], kind: [4] };
const graph = (totalEffects: object) =>
  wire.FlameGraph.encode({
    frames,
    parentDistance: [0],
    frame: [0],
    line: [0],
    selfValue: [1],
    selfSamples: [1],
    newSelfValue: [1],
    newSelfSamples: [1],
    totalValue: [1],
    totalSamples: [1],
    newTotalValue: [1],
    newTotalSamples: [1],
    churn: [0],
    totalEffects,
  }).finish();
test('effects that do not fit are refused with a sentence', () => {
  assert.equal(readFlameGraph(graph({ verdict: [2], change: [-0.5] })).effects!.change[0], -0.5);
  for (const [effects, words] of [
    [{ verdict: [2, 2] }, /effects.*has 1|verdict has 2 rows/],
    [{ verdict: [2], change: [1, 2] }, /change has 2 rows/],
    [{ verdict: [8] }, /verdict 8/],
  ] as const)
    assert.throws(
      () => readFlameGraph(graph(effects)),
      (error) => error instanceof MalformedContent && words.test(error.message),
    );
});
test('a column of numbers with a part of one is refused', () => {
  // Field 1 of the effects with three bytes, where a number has four; then one verdict.
  const effects = [0x0a, 3, 0, 0, 0, 0x2a, 1, 2];
  const content = Uint8Array.from([...graph({}), 0x62, effects.length, ...effects]);
  assert.throws(() => readFlameGraph(content), /3 bytes, no multiple of the 4/);
});
