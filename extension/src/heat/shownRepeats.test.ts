import assert from 'node:assert/strict';
import test from 'node:test';
import { type Execution, wire } from '../../../core/wire.ts';
import { shownRepeats } from './shownRepeats.ts';

const execution = (more: Partial<Execution>): Execution => ({
  ...(new wire.Execution() as unknown as Execution),
  wallNs: 2e9,
  userNs: 1.5e9,
  systemNs: 1e8,
  work: 0,
  samples: 1600,
  warmUp: false,
  outlier: false,
  value: 0,
  ...more,
});

test('warm-up runs have no number; work is told where it is known', () => {
  const rows = shownRepeats([execution({ warmUp: true }), execution({ work: 5000 }), execution({ outlier: true })]);
  assert.deepEqual(
    rows.map(({ cells }) => cells.join(' | ')),
    [
      'warm-up | 2.00 s | 1.50 s | 100 ms | – | –',
      '1 | 2.00 s | 1.50 s | 100 ms | 5,000 | 1,600',
      '2 | 2.00 s | 1.50 s | 100 ms | – | 1,600',
    ],
  );
  assert.deepEqual(
    rows.map(({ outlier }) => outlier),
    [false, false, true],
  );
});
test('a command that was run once has no table', () => assert.deepEqual(shownRepeats([execution({})]), []));
