import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CalledFunction } from '../../../core/wire.ts';
import { callsHover, callsText } from './callsText.ts';

const burn: CalledFunction = {
  name: 'burn',
  module: 'burn',
  line: 3,
  counted: true,
  calls: 1204,
  perCall: { value: 3100, low: 2800, high: 3400 },
  unit: 'nanoseconds',
  note: '',
  duration: null,
};

test('a count has its time per call where that is known', () => {
  assert.equal(callsText(burn), '1,204 calls · 3.10 µs per call (2.80 µs to 3.40 µs)');
  assert.equal(callsText({ ...burn, calls: 1, perCall: null }), '1 call');
  assert.equal(callsText({ ...burn, calls: 0, perCall: null }), '0 calls');
});

test('the time of single calls follows where it was taken', () => {
  const duration = { p50Ns: 2_900, p99Ns: 41_000, longestNs: 1e6 };
  const timed = { ...burn, duration };
  assert.equal(callsText(timed), '1,204 calls · 3.10 µs per call (2.80 µs to 3.40 µs) · p50 2.90 µs, p99 41.0 µs');
  assert.equal(callsText({ ...timed, perCall: null }), '1,204 calls · p50 2.90 µs, p99 41.0 µs');
});

test('what was not counted says so, and its hover says why', () => {
  const inlined = { ...burn, counted: false, calls: 0, perCall: null, note: 'Every call was *inlined*.' };
  assert.equal(callsText(inlined), 'calls not counted');
  const hover = callsHover([inlined, { ...burn, line: 9 }], 3);
  assert.match(hover, /burn: calls not counted\. Every call was &#42;inlined/);
  assert.doesNotMatch(hover, /1,204/);
  assert.equal(callsHover([burn], 4), '');
});
