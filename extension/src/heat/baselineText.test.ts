import assert from 'node:assert/strict';
import test from 'node:test';
import { Verdict } from '../../../core/changeText.ts';
import { type RunSummary, type ValueType, wire } from '../../../core/wire.ts';
import { baselineVerdict, isHeldAgainst } from './baselineText.ts';

const whole = (verdict: number, change: number, low = Number.NaN, high = Number.NaN) =>
  baselineVerdict({ sentence: 'B is …', verdict, change, low, high, value: null });

test('a row says the direction and how much, or that it is like the baseline', () => {
  assert.equal(whole(Verdict.slower, 0.079), '▲ 7.9 % slower than baseline');
  assert.equal(whole(Verdict.faster, -0.2), '▼ 20.0 % faster than baseline');
  assert.equal(whole(Verdict.noise, 0.004, -0.01, 0.018), '○ like baseline, within 1.8 %');
  assert.equal(whole(Verdict.noise, Number.NaN), '○ like baseline');
  assert.equal(whole(Verdict.tooFew, Number.NaN), '? not testable against baseline');
});
test('what is no time is more or less, not slower or faster', () => {
  const value = { ...(new wire.ValueType() as unknown as ValueType), type: 'inuse_space', unit: 'bytes' };
  const more = {
    sentence: 'B has …',
    verdict: Verdict.slower,
    change: 0.079,
    low: Number.NaN,
    high: Number.NaN,
    value,
  };
  assert.equal(baselineVerdict(more), '▲ 7.9 % more than baseline');
  assert.equal(baselineVerdict({ ...more, verdict: Verdict.faster, change: -0.2 }), '▼ 20.0 % less than baseline');
});
test('a run without a verdict gets no text', () => {
  const nothing = { sentence: '', verdict: 0, change: Number.NaN, low: Number.NaN, high: Number.NaN, value: null };
  assert.equal(baselineVerdict(nothing), '');
});
test('only later, readable runs of the same program are held against it', () => {
  const run = (more: Partial<RunSummary>): RunSummary => ({
    ...(new wire.RunSummary() as unknown as RunSummary),
    path: '/b',
    target: 'shop',
    samples: 9,
    startedUnixMs: 2000,
    problem: '',
    ...more,
  });
  const baseline = run({ path: '/a', startedUnixMs: 1000 });
  assert.ok(isHeldAgainst(baseline, run({})));
  assert.ok(isHeldAgainst(baseline, run({ samples: 0, samplesUnknown: true })));
  for (const other of [
    baseline,
    run({ startedUnixMs: 500 }),
    run({ target: 'x' }),
    run({ problem: 'bad' }),
    run({ samples: 0 }),
  ])
    assert.ok(!isHeldAgainst(baseline, other));
});
