import assert from 'node:assert/strict';
import test from 'node:test';
import { readFlameGraph } from '../content/flameGraph.ts';
import { graphContent, uncountedGraph } from '../test/contents.ts';
import { drawn } from '../test/parse.ts';
import { describeNode, describeRun, sentenceOf } from './describe.ts';

test('a frame is told with its place and figures', () => {
  const graph = readFlameGraph(
    graphContent({
      name: 'all',
      self: 0,
      children: [{ name: 'f\u202e', kind: 1, file: '/a/b.c', line: 12, self: 40, children: [{ name: 'g', self: 60 }] }],
    }),
  );
  assert.equal(
    sentenceOf(describeNode(graph, 1)),
    'f\\u202e; shop · /a/b.c:12 · inlined; Self 40.0 %, 40.0 ms, 40 samples; Total 100.0 %, 100 ms, 100 samples',
  );
});
test('a compared frame has base, new and change', () => {
  const description = describeNode(drawn('a 100 150\nb 100 50', true), 1);
  assert.deepEqual(description.figures[1], { label: 'Total', cells: ['100 ms', '150 ms', '+50.0 ms'] });
  assert.deepEqual(description.figures[2], { label: 'Share', cells: ['50.0 %', '75.0 %', '+25.0 pp'] });
});
test('few samples are said to be few', () => {
  assert.match(describeNode(drawn('a 3'), 1).note, /Fewer than 10 samples/);
  assert.match(describeNode(drawn('a 3 4', true), 1).note, /too few to compare/);
});
test('where nobody knows the samples a frame has values alone, and is not one of few', () => {
  const tree = { name: 'all', self: 0, children: [{ name: 'f', self: 4, newSelf: 2 }] };
  const one = describeNode(readFlameGraph(uncountedGraph(graphContent(tree))), 1);
  assert.equal(sentenceOf(one), 'f; shop; Self 100.0 %, 3.81 MiB; Total 100.0 %, 3.81 MiB');
  const judge = () => ({ verdict: 2, change: -0.5, low: -0.6, high: -0.4, q: 0.01 });
  const both = describeNode(readFlameGraph(uncountedGraph(graphContent(tree, true, judge))), 1);
  assert.deepEqual(
    both.figures.map(({ label }) => label),
    ['Self', 'Total', 'Share'],
  );
  assert.match(both.note, /^▼ less: −50\.0 %/);
});
test('a run of narrow boxes says how many it stands for', () => {
  const graph = drawn('a 1\n  b 1\nc 2');
  assert.equal(describeRun(graph, 1, 4).name, '2 narrow calls, the heaviest is a');
  assert.match(describeRun(graph, 1, 4).place, /^3 frames/);
  assert.deepEqual(describeRun(graph, 1, 4).figures, [
    { label: 'Heaviest', cells: ['50.0 %', '2.00 ms', '2 samples'] },
  ]);
});
