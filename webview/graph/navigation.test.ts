import assert from 'node:assert/strict';
import test from 'node:test';
import { readFlameGraph } from '../content/flameGraph.ts';
import { FrameKind, frameName } from '../content/frameTable.ts';
import { graphContent } from '../test/contents.ts';
import { drawn } from '../test/parse.ts';
import { layoutOf } from './layout.ts';
import {
  childrenOf,
  endOfHeaviestPath,
  heaviestChild,
  nextSibling,
  nodeAt,
  pathOf,
  previousSibling,
} from './navigation.ts';

const graph = drawn(`
a 5
  light 1
  empty 0
  heavy 9
    deep 3
b 7`);
const layout = layoutOf(graph, 'combined');
const name = (node: number) => (node < 0 ? 'none' : frameName(graph.frames, graph.frame[node]!));
const [, a, light, , heavy, deep, b] = [0, 1, 2, 3, 4, 5, 6];

test('the heaviest callee is the one with the most below it', () =>
  assert.equal(name(heaviestChild(graph, layout, a!)), 'heavy'));
test('siblings without width are passed over', () => {
  assert.equal(name(nextSibling(graph, layout, light!)), 'heavy');
  assert.equal(name(previousSibling(graph, layout, heavy!)), 'light');
  assert.deepEqual(childrenOf(graph, layout, a!).map(name), ['light', 'heavy']);
});
test('there is nothing beyond the ends', () => {
  assert.equal(name(nextSibling(graph, layout, b!)), 'none');
  assert.equal(name(previousSibling(graph, layout, a!)), 'none');
  assert.equal(name(nextSibling(graph, layout, 0)), 'none');
  assert.equal(name(heaviestChild(graph, layout, deep!)), 'none');
});
test('the end of the heaviest path', () => assert.equal(name(endOfHeaviestPath(graph, layout, 0)), 'deep'));
test('the path ends where the program does, and no interrupt is on it', () => {
  const kernel = { module: '[kernel]', kind: FrameKind.kernel };
  const read = {
    name: 'read',
    self: 5,
    children: [{ name: 'sys_read', ...kernel, self: 40, children: [{ name: 'copy', ...kernel, self: 9 }] }],
  };
  const work = { name: 'work', self: 6, children: [{ name: 'interrupts', kind: FrameKind.interrupts, self: 30 }] };
  const main = { name: 'main', self: 1, children: [read, work] };
  const tree = readFlameGraph(graphContent({ name: 'all', self: 0, children: [main] }));
  const end = (node: number) =>
    frameName(tree.frames, tree.frame[endOfHeaviestPath(tree, layoutOf(tree, 'combined'), node)]!);
  assert.equal(end(0), 'read');
  assert.equal(end(2), 'copy'); // nothing of the program is called from there
  assert.equal(end(3), 'copy');
  assert.equal(end(5), 'work');
});
test('a path leads back to its node, or as far as it goes', () => {
  assert.equal(nodeAt(graph, pathOf(graph, deep!)), deep);
  assert.equal(name(nodeAt(graph, [...pathOf(graph, heavy!), 999])), 'heavy');
  assert.equal(nodeAt(graph, [999]), 0);
});
