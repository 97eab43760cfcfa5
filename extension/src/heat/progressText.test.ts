import assert from 'node:assert/strict';
import test from 'node:test';
import { type RecordingProgress, wire } from '../../../core/wire.ts';
import { progressText } from './progressText.ts';

const told = (more: Partial<RecordingProgress>): string =>
  progressText({
    ...(new wire.RecordingProgress() as unknown as RecordingProgress),
    ...zeros,
    elapsedNs: 12e9,
    samples: 1204,
    ...more,
  });
const zeros = {
  stage: 0,
  lost: 0,
  symbolized: 0,
  repetition: 0,
  repetitions: 0,
  warmUp: false,
  meanCpuNs: 0,
  cpuVariation: 0,
  cell: 0,
  cells: 0,
  build: 0,
  soFar: '',
};

test('one run tells time and samples', () => {
  assert.equal(told({}), '12 s · 1,204 samples');
  assert.equal(told({ lost: 3 }), '12 s · 1,204 samples · 3 lost');
  assert.equal(told({ stage: 1, symbolized: 0.5 }), 'resolving names and lines, 50 %');
});
test('two builds tell how they compare, as soon as that is known', () => {
  const soFar = '·········│·├────●──── 5 turns: +4.8 % (+1.8 to +8.0), about 16 more';
  assert.equal(told({ repetition: 6, repetitions: 100, build: 2, soFar }), `new build · ${soFar}`);
  assert.equal(told({ stage: 2, build: 2, soFar }), 'new build · saving');
});
test('repetitions tell which one runs, and the spread of those done', () => {
  assert.equal(told({ repetition: 1, repetitions: 10 }), 'execution 1 of 10 · 12 s · 1,204 samples');
  assert.equal(
    told({ repetition: 3, repetitions: 10, meanCpuNs: 1.21e9, cpuVariation: 0.008 }),
    'execution 3 of 10 · 12 s · 1,204 samples · mean 1.21 s ±0.8 % CPU',
  );
  assert.equal(told({ repetitions: 10, warmUp: true }), 'warming up · 12 s · 1,204 samples');
});
test('a sweep tells its cell', () => {
  assert.equal(
    told({ cell: 2, cells: 12, repetition: 1, repetitions: 3 }),
    'cell 2 of 12 · execution 1 of 3 · 12 s · 1,204 samples',
  );
  assert.equal(told({ cell: 2, cells: 12, stage: 2 }), 'cell 2 of 12 · saving');
});

test('of two builds that run alternately it is said which one runs', () => {
  const { Build } = wire.RecordingProgress;
  const third = { repetition: 3, repetitions: 10 };
  assert.equal(told({ ...third, build: Build.EARLIER }), 'last build · execution 3 of 10 · 12 s · 1,204 samples');
  assert.equal(told({ build: Build.PRESENT, warmUp: true, samples: 0 }), 'new build · warming up · 12 s · 0 samples');
});
