import assert from 'node:assert/strict';
import test from 'node:test';
import { drawn } from '../test/parse.ts';
import { layoutOf } from './layout.ts';
import { between, panned, revealing, spanOf, WHOLE, WIDTH_MIN, zoomed } from './span.ts';

test('zooming keeps what is under the pointer', () =>
  assert.deepEqual(zoomed(WHOLE, 4, 0.5), { left: 0.375, width: 0.25 }));
test('zooming out ends at the whole', () =>
  assert.deepEqual(zoomed({ left: 0.5, width: 0.25 }, 100, 0).width > 0, true));
test('a span stays inside', () => {
  assert.deepEqual(panned({ left: 0.7, width: 0.25 }, 1), { left: 0.75, width: 0.25 });
  assert.deepEqual(panned({ left: 0.1, width: 0.25 }, -1), { left: 0, width: 0.25 });
  assert.deepEqual(zoomed({ left: 0.9, width: 0.1 }, 0.01, 0.5), WHOLE);
});
test('a span never loses the digits that a pixel needs', () => {
  let span = WHOLE;
  for (let i = 0; i < 200; i++) span = zoomed(span, 2, 0.3);
  assert.equal(span.width, WIDTH_MIN);
});
test('a node fills its span; one without width gives its parent its place', () => {
  const graph = drawn('a 10 5\n  gone 10 0\nb 20 5', true);
  assert.deepEqual(spanOf(graph, layoutOf(graph, 'base'), 3), { left: 0.5, width: 0.5 });
  assert.deepEqual(spanOf(graph, layoutOf(graph, 'new'), 2), { left: 0, width: 0.5 });
});
test('what is seen well is not moved', () => {
  const span = { left: 0.2, width: 0.4 };
  assert.equal(revealing(span, { left: 0.3, width: 0.1 }), span);
  assert.equal(revealing(span, WHOLE), span);
});
test('what is out of view comes to the middle, near enough to be seen', () => {
  assert.deepEqual(revealing({ left: 0, width: 0.25 }, { left: 0.75, width: 0.0625 }), { left: 0.65625, width: 0.25 });
  assert.ok(revealing(WHOLE, { left: 0.5, width: 1e-6 }).width <= 2e-5);
});
test('the way between two spans begins and ends where it should', () => {
  const to = { left: 0.5, width: 0.01 };
  assert.deepEqual(between(WHOLE, to, 1), to);
  assert.equal(between(WHOLE, to, 0).width, 1);
  assert.ok(Math.abs(between(WHOLE, to, 0.5).width - 0.1) < 1e-12);
});
