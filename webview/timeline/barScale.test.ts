import assert from 'node:assert/strict';
import test from 'node:test';
import type { Timeline, Track } from '../content/timeline.ts';
import { barHeights, columnsFor, fullOf, fullPerNs, waitHeights } from './barScale.ts';
import { fillBars } from './trackBitmap.ts';

const trackOf = (
  own: number[],
  library: number[],
  kernel: number[],
  tinted?: number[],
  waits?: { queued: number[]; waiting: number[] },
): Track => ({
  ...{ pid: 1, tid: 2, process: '', thread: '', samples: 0, value: 0 },
  ...{ own: Uint32Array.from(own), library: Uint32Array.from(library), kernel: Uint32Array.from(kernel) },
  tinted: tinted && Uint32Array.from(tinted),
  waits: waits && { queued: Uint32Array.from(waits.queued), waiting: Uint32Array.from(waits.waiting) },
});
const timelineOf = (all: Track, tracks: Track[], full: number, cpus = 0): Timeline => ({
  ...{ endNs: 2e9, fromNs: 0, toNs: 2e9, columns: 2, full, cpus, all, trackCount: tracks.length, tracks },
  ...{ executions: [], samplesWithoutTime: 0, shows: 'samples', memory: undefined },
});

test('bars are stacked, and clipped where a thread is always on a CPU', () => {
  const bars = barHeights(trackOf([5, 20], [2, 0], [3, 0]), 10, 20);
  assert.deepEqual([bars.own[0], bars.library[0], bars.kernel[0]], [10, 14, 20]);
  assert.deepEqual([bars.own[1], bars.library[1], bars.kernel[1]], [20, 20, 20]);
});
test('one sample of many is a pixel, none is nothing', () => {
  const bars = barHeights(trackOf([1, 0], [0, 0], [0, 0]), 10_000, 20);
  assert.deepEqual([bars.kernel[0], bars.kernel[1]], [1, 0]);
});
test('all threads together fill all CPUs', () => {
  const all = trackOf([40, 0], [0, 0], [0, 0]);
  const one = trackOf([10, 0], [0, 0], [0, 0]);
  assert.equal(fullOf(timelineOf(all, [one], 10, 4), all), 40);
  assert.equal(fullOf(timelineOf(all, [one], 10, 4), one), 10);
  assert.equal(fullOf(timelineOf(all, [one], 10, 0), all), 10);
});
test('without a clock the highest column fills the track', () => {
  const all = trackOf([40, 0], [2, 0], [0, 0]);
  assert.equal(fullOf(timelineOf(all, [], 0), all), 42);
});
test('columns are as many as pixels, and fewer when a full one would have less than four samples', () => {
  const rate = fullPerNs(timelineOf(trackOf([0, 0], [0, 0], [0, 0]), [], 1000));
  assert.equal(rate, 1000 / 1e9);
  assert.equal(columnsFor(1600, 60e9, rate, 4096), 1600);
  assert.equal(columnsFor(1600, 2e9, rate, 4096), 500);
  assert.equal(columnsFor(1600, 1e6, rate, 4096), 16);
  assert.equal(columnsFor(1600, 2e9, 0, 4096), 1600);
  assert.equal(columnsFor(9000, 900e9, rate, 4096), 4096);
});
test('pixels are those of the parts, from the foot, the chosen function over them', () => {
  const colours = { ownPixel: 1, libraryPixel: 2, kernelPixel: 3, queuedPixel: 4, waitingPixel: 5, tintedPixel: 9 };
  const bars = barHeights(trackOf([2, 1], [1, 0], [1, 0], [1, 0]), 4, 4);
  const pixels = new Uint32Array(8);
  fillBars(pixels, bars, 4, colours);
  assert.deepEqual([...pixels], [3, 0, 2, 0, 1, 0, 9, 1]);
});
test('waits are above what ran, and no higher than the track', () => {
  const colours = { ownPixel: 1, libraryPixel: 2, kernelPixel: 3, queuedPixel: 4, waitingPixel: 5, tintedPixel: 9 };
  const waits = { queued: [250, 0], waiting: [250, 1000] };
  const bars = barHeights(trackOf([1, 0], [0, 0], [1, 1], undefined, waits), 4, 4);
  assert.deepEqual([bars.kernel[0], bars.queued[0], bars.waiting[0]], [2, 3, 4]);
  assert.deepEqual([bars.kernel[1], bars.queued[1], bars.waiting[1]], [1, 1, 4]);
  const pixels = new Uint32Array(8);
  fillBars(pixels, bars, 4, colours);
  assert.deepEqual([...pixels], [5, 5, 4, 5, 3, 5, 1, 3]);
});

test('waits alone are stacked from the foot, and all threads together are as high as most of them', () => {
  const track = trackOf([0, 0], [0, 0], [0, 0], [100, 0], { queued: [200, 0], waiting: [300, 1000] });
  const all = { ...trackOf([0, 0], [0, 0], [0, 0], undefined, { queued: [500, 0], waiting: [3500, 0] }), tid: 0 };
  const timeline: Timeline = { ...timelineOf(all, [track], 9), shows: 'waits' };
  assert.deepEqual([fullOf(timeline, track), fullOf(timeline, all)], [1000, 4000]);
  const bars = waitHeights(track, 1000, 20);
  assert.deepEqual(
    [bars.kernel, bars.queued, bars.waiting, bars.tinted].map((heights) => [...heights!]),
    [
      [0, 0],
      [4, 0],
      [10, 20],
      [2, 0],
    ],
  );
});
