import assert from 'node:assert/strict';
import test from 'node:test';
import { readFlameGraph } from '../content/flameGraph.ts';
import { randomGraph } from '../test/contents.ts';
import { drawn } from '../test/parse.ts';
import { baseMark, elidedNodes, layoutOf } from './layout.ts';
import { boxAt, emptyBoxes, findVisibleBoxes, PIXELS_MIN, type Viewport } from './visibleBoxes.ts';

const tree = drawn(`
a 10
  b 20
  c 10
d 40
  e 20`);
const viewport = (more: Partial<Viewport> = {}): Viewport => ({
  span: { left: 0, width: 1 },
  pixels: 1000,
  firstDepth: 0,
  lastDepth: 50,
  ...more,
});

function boxesOf(graph: typeof tree, view: Viewport) {
  const boxes = emptyBoxes(4);
  findVisibleBoxes(graph, layoutOf(graph, 'combined'), view, boxes);
  return boxes;
}
const listed = (boxes: ReturnType<typeof emptyBoxes>) =>
  Array.from({ length: boxes.count }, (_, i) => [boxes.node[i], boxes.left[i], boxes.right[i], boxes.end[i]]);

test('children stand side by side and leave their parent its self cost', () => {
  const { start, width } = layoutOf(tree, 'combined');
  assert.deepEqual([...start], [0, 0, 0, 0.2, 0.4, 0.4]);
  assert.deepEqual([...width], [1, 0.4, 0.2, 0.1, 0.6, 0.2]);
});

test('a comparison has the width of both, of the base or of the new run', () => {
  const both = drawn('a 30 10\nb 10 0\nc 0 30', true);
  assert.deepEqual([...layoutOf(both, 'base').width], [1, 0.75, 0.25, 0]);
  assert.deepEqual([...layoutOf(both, 'new').width], [1, 0.25, 0, 0.75]);
  assert.deepEqual([...layoutOf(both, 'combined').width], [1, 0.5, 0.125, 0.375]);
  assert.deepEqual([...layoutOf(both, 'combined').start], [0, 0, 0.5, 0.625]);
});

test('widths of changes add up what grew and what shrank, which a net change would hide', () => {
  const tree = drawn('a 10 10\n  up 10 30\n  down 40 20\nsame 5 5', true);
  assert.deepEqual([...layoutOf(tree, 'change').width], [1, 1, 0.5, 0.5, 0]);
  assert.deepEqual([...layoutOf(drawn('a 4 4', true), 'change').width], [0, 0]);
});

test('the base ends in the middle where nothing changed, and within the new run where it grew', () => {
  const both = drawn('same 30 30\nmore 10 30\nless 30 10\nnew 0 5\ngone 5 0', true);
  const marks = (mode: 'combined' | 'new' | 'base') => [1, 2, 3, 4, 5].map((node) => baseMark(both, node, mode));
  assert.deepEqual(marks('combined'), [0.5, 0.25, 0.75, Number.NaN, Number.NaN]);
  assert.deepEqual(marks('new'), [1, 1 / 3, 1, Number.NaN, Number.NaN]);
  assert.ok(marks('base').every(Number.isNaN));
});

test('frames without a width are listed by their topmost, largest first', () => {
  const both = drawn('small 0 2\n  below 0 1\nlarge 0 9\nkept 5 1\nnever 0 0', true);
  assert.deepEqual(elidedNodes(both, layoutOf(both, 'base')), [3, 1]);
  assert.deepEqual(elidedNodes(both, layoutOf(both, 'combined')), []);
});

test('against an empty run the other one has the whole width', () =>
  assert.deepEqual([...layoutOf(drawn('a 4 0', true), 'combined').width], [1, 1]));

test('what is in view is found in depth-first order', () =>
  assert.deepEqual(listed(boxesOf(tree, viewport())), [
    [0, 0, 1000, 0],
    [1, 0, 400, 0],
    [2, 0, 200, 0],
    [3, 200, 300, 0],
    [4, 400, 1000, 0],
    [5, 400, 600, 0],
  ]));

test('what is left, right, above or below of the view is left out', () => {
  const view = viewport({ span: { left: 0.4, width: 0.2 }, firstDepth: 1, lastDepth: 1 });
  assert.deepEqual(listed(boxesOf(tree, view)), [[4, 0, 1004, 0]]);
});

test('neighbours under half a pixel make one box that knows its nodes', () => {
  const graph = drawn(`wide 9990\n${Array.from({ length: 10 }, (_, i) => `n${i} 1\n  below 0`).join('\n')}`);
  assert.deepEqual(listed(boxesOf(graph, viewport())).slice(1), [
    [1, 0, 999, 0],
    [2, 999, 1000, 22],
  ]);
});

test('culled cousins make a box for each parent', () => {
  const graph = drawn(`
a 0
${'  x 1\n'.repeat(2000)}
b 0
${'  y 1\n'.repeat(2000)}`);
  const runs = listed(boxesOf(graph, viewport())).filter(([, , , end]) => end !== 0);
  assert.deepEqual(runs, [
    [2, 0, 500, 2002],
    [2003, 500, 1000, 4003],
  ]);
});

test('however large the tree is, few boxes are drawn', () => {
  const graph = readFlameGraph(randomGraph(50_000, 100_000).graph);
  const boxes = boxesOf(graph, viewport({ pixels: 1600, lastDepth: 45 }));
  assert.ok(boxes.count > 500 && boxes.count < 20_000, `${boxes.count} boxes`);
  for (let box = 0; box < boxes.count; box++) {
    assert.ok(boxes.right[box]! - boxes.left[box]! >= PIXELS_MIN * 0.99);
  }
});

test('a place belongs to the box drawn there', () => {
  const boxes = boxesOf(tree, viewport());
  assert.equal(boxes.node[boxAt(boxes, 2, 250)], 3);
  assert.equal(boxAt(boxes, 2, 350), -1);
});
