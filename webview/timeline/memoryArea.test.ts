import assert from 'node:assert/strict';
import test from 'node:test';
import { valueText } from '../../core/numbersAsText.ts';
import { highestPeak, memoryTicks } from './memoryArea.ts';

test('the axis of memory has two to five round amounts', () => {
  const words = (most: number) => memoryTicks(most).map((bytes) => valueText(bytes, 'bytes'));
  assert.deepEqual(words(345 * 2 ** 20), ['100 MiB', '200 MiB', '300 MiB']);
  assert.deepEqual(words(1.9 * 2 ** 10), ['512 B', '1.00 KiB', '1.50 KiB']);
  assert.deepEqual(words(1000 * 2 ** 20), ['200 MiB', '400 MiB', '600 MiB', '800 MiB', '1000 MiB']);
  assert.deepEqual(words(0), []);
  for (let most = 10; most < 2 ** 45; most *= 1.37) {
    const { length } = memoryTicks(most);
    assert.ok(length >= 2 && length <= 5, `${most}: ${length}`);
  }
});

test('the highest of several peaks is marked, the first of equal ones', () => {
  const peaks = [
    { timeNs: 1, peakBytes: 5 },
    { timeNs: 2, peakBytes: 9 },
    { timeNs: 3, peakBytes: 9 },
  ];
  assert.deepEqual(highestPeak({ highestBytes: new Float64Array(), peaks }), peaks[1]);
  assert.equal(highestPeak({ highestBytes: new Float64Array(), peaks: [] }), undefined);
});
