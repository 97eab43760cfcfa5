import assert from 'node:assert/strict';
import test from 'node:test';
import { areFew, areSome, chanceCountOf, countOf } from './sampleCount.ts';

test('a count that nobody knows is neither few nor none', () => {
  const unknown = countOf(0, { samplesUnknown: true });
  assert.deepEqual([unknown, areFew(unknown), areSome(unknown)], [undefined, false, true]);
});
test('a known count is few below ten, and none at 0', () => {
  const known = (samples: number) => countOf(samples, { samplesUnknown: false });
  assert.deepEqual([0, 9, 10].map(known).map(areFew), [true, true, false]);
  assert.deepEqual([0, 1].map(known).map(areSome), [false, true]);
});
test('a count of all events is none of chance', () => {
  const known = { samplesUnknown: false };
  assert.deepEqual([chanceCountOf(3, { ...known, complete: true }), countOf(3, known)], [undefined, 3]);
  assert.equal(areFew(chanceCountOf(3, { ...known, complete: false })), true);
});
