import assert from 'node:assert/strict';
import test from 'node:test';
import { beginDrag, draggedTo, endAt } from './rangeDrag.ts';
import { commonRanges, gapsOf, mergedRanges, selectedTimes } from './timeRanges.ts';
import {
  columnAt,
  columnRange,
  pannedView,
  pixelOf,
  ticksOf,
  timeAt,
  VIEW_MIN_NS,
  viewWith,
  wholeView,
  zoomedView,
} from './timeView.ts';

const END = 4e9;
const plot = { view: { fromNs: 1e9, toNs: 3e9 }, width: 1000 };
const range = (fromNs: number, toNs: number) => ({ fromNs, toNs });

test('a place and its moment are the same both ways', () => {
  assert.equal(pixelOf(plot, 1.5e9), 250);
  assert.equal(timeAt(plot, 250), 1.5e9);
  for (const pixel of [0, 1, 333, 999, 1000]) assert.ok(Math.abs(pixelOf(plot, timeAt(plot, pixel)) - pixel) < 1e-3);
});
test('a place outside is the nearest moment in view, and always whole', () => {
  assert.equal(timeAt(plot, -50), 1e9);
  assert.equal(timeAt(plot, 1e6), 3e9);
  assert.ok(Number.isInteger(timeAt({ ...plot, width: 997 }, 331)));
});
test('zooming keeps what is under the pointer', () => {
  const zoomed = zoomedView(plot.view, 2, 0.25, END);
  assert.deepEqual(zoomed, range(1.25e9, 2.25e9));
  assert.equal(pixelOf({ ...plot, view: zoomed }, 1.5e9), 250);
});
test('no view leaves the recording or gets too narrow', () => {
  assert.deepEqual(zoomedView(plot.view, 1 / 100, 0.5, END), range(0, END));
  assert.deepEqual(pannedView(plot.view, 5, END), range(2e9, END));
  assert.deepEqual(pannedView(plot.view, -5, END), range(0, 2e9));
  const narrow = zoomedView(plot.view, 1e12, 0.5, END);
  assert.equal(narrow.toNs - narrow.fromNs, VIEW_MIN_NS);
  assert.deepEqual(wholeView(0), range(0, VIEW_MIN_NS));
});
test('a view moves as little as it must to show a moment', () => {
  assert.deepEqual(viewWith(plot.view, 2e9, END), plot.view);
  assert.deepEqual(viewWith(plot.view, 3.5e9, END), range(1.5e9, 3.5e9));
  assert.deepEqual(viewWith(plot.view, 0, END), range(0, 2e9));
});
test('labels are at round moments inside the view', () => {
  const { ticks, stepNs } = ticksOf(plot);
  assert.deepEqual([ticks[0], ticks.at(-1), stepNs], [1e9, 3e9, 2e8]);
});
test('columns cover a range without holes', () => {
  const whole = range(1, 1_000_003);
  for (let column = 0; column < 7; column++) {
    const { fromNs, toNs } = columnRange(whole, 7, column);
    if (column > 0) assert.equal(columnRange(whole, 7, column - 1).toNs, fromNs);
    assert.equal(columnAt(whole, 7, Math.floor((fromNs + toNs) / 2)), column);
  }
  assert.equal(columnAt(whole, 7, 2e6), 6);
  assert.equal(columnAt(whole, 7, 0), 0);
});

test('ranges are sorted and merged, empty ones left out', () =>
  assert.deepEqual(mergedRanges([range(5, 9), range(1, 2), range(2, 3), range(8, 12), range(7, 7)]), [
    range(1, 3),
    range(5, 12),
  ]));
test('what is common and what is left out of ranges', () => {
  assert.deepEqual(commonRanges([range(0, 4), range(6, 9)], [range(2, 7)]), [range(2, 4), range(6, 7)]);
  assert.deepEqual(gapsOf([range(2, 4), range(6, 9)], range(0, 8)), [range(0, 2), range(4, 6)]);
  assert.deepEqual(gapsOf([], range(0, 8)), [range(0, 8)]);
});
test('times of a selection lie within its executions', () => {
  const marks = [
    { number: 0, ...range(0, 10) },
    { number: 1, ...range(10, 20) },
    { number: 2, ...range(20, 30) },
  ];
  assert.equal(selectedTimes([], [], marks), undefined);
  assert.deepEqual(selectedTimes([], [2], marks), [range(20, 30)]);
  assert.deepEqual(selectedTimes([range(5, 25)], [1, 2], marks), [range(10, 25)]);
  assert.deepEqual(selectedTimes([range(5, 25)], [], marks), [range(5, 25)]);
});

test('a drag selects what it has passed, in both directions', () => {
  const drag = beginDrag(plot, [], 250, false);
  assert.deepEqual(draggedTo(drag, 2e9), [range(1.5e9, 2e9)]);
  assert.deepEqual(draggedTo(drag, 1.2e9), [range(1.2e9, 1.5e9)]);
  assert.deepEqual(draggedTo(drag, 1.5e9), []);
});
test('a drag replaces ranges, one more keeps them, and ranges that meet are one', () => {
  const there = [range(1.1e9, 1.2e9)];
  assert.deepEqual(draggedTo(beginDrag(plot, there, 500, false), 2.5e9), [range(2e9, 2.5e9)]);
  assert.deepEqual(draggedTo(beginDrag(plot, there, 500, true), 2.5e9), [range(1.1e9, 1.2e9), range(2e9, 2.5e9)]);
  assert.deepEqual(draggedTo(beginDrag(plot, there, 500, true), 1.15e9), [range(1.1e9, 2e9)]);
});
test('an end within reach moves and the other one stays, also past it', () => {
  const there = [range(1.5e9, 2e9), range(2.5e9, 2.8e9)];
  assert.equal(endAt(plot, there, 400), undefined);
  const drag = beginDrag(plot, there, 502, false);
  assert.ok(drag.moves);
  assert.deepEqual(draggedTo(drag, 2.2e9), [range(1.5e9, 2.2e9), range(2.5e9, 2.8e9)]);
  assert.deepEqual(draggedTo(drag, 1.2e9), [range(1.2e9, 1.5e9), range(2.5e9, 2.8e9)]);
});
