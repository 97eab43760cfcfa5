import assert from 'node:assert/strict';
import test from 'node:test';
import { heatLevel } from './heatLevels.ts';

test('the level follows the share of the run', () => {
  const levels = [0.005, 0.01, 0.03, 0.08, 0.2, 0.4, 1].map((share) => heatLevel(share, 1000, 0.01));
  assert.deepEqual(levels, [0, 1, 2, 3, 4, 5, 5]);
});
test('fewer than ten samples are not coloured', () => {
  assert.equal(heatLevel(0.9, 9, 0.01), 0);
  assert.equal(heatLevel(0.9, 10, 0.01), 5);
});
test('where nobody knows the samples, the share alone decides', () => {
  assert.equal(heatLevel(0.9, undefined, 0.01), 5);
  assert.equal(heatLevel(0.005, undefined, 0.01), 0);
});
test('without a threshold nothing is still cold', () => assert.equal(heatLevel(0, 100, 0), 0));
