import assert from 'node:assert/strict';
import test from 'node:test';
import {
  changeText,
  intervalText,
  isSignificant,
  perText,
  qText,
  relativeText,
  Verdict,
  verdictText,
} from './changeText.ts';

const NaN_ = Number.NaN;

test('a change has a sign, a unit, and one decimal', () => {
  assert.equal(relativeText(0.041), '+4.1 %');
  assert.equal(relativeText(-0.5), '−50.0 %');
  assert.equal(relativeText(0.0001), '±0.0 %');
  assert.equal(relativeText(24), '× 25.0');
  assert.equal(relativeText(NaN_), '');
});
test('an interval stands behind the change, as one ± where both sides are alike', () => {
  assert.equal(changeText({ change: 0.041, low: 0.035, high: 0.047 }), '+4.1 % ±0.6');
  assert.equal(changeText({ change: -0.1, low: -0.12, high: -0.079 }), '−10.0 % ±2.1');
  assert.equal(changeText({ change: 0.4, low: 0.05, high: 0.9 }), '+40.0 % (+5.0 to +90.0)');
  assert.equal(changeText({ change: 0.041, low: NaN_, high: NaN_ }), '+4.1 %');
  assert.equal(changeText({ change: NaN_, low: 0, high: 1 }), '');
});
test('the wider side is told, so that the interval never looks narrower than it is', () => {
  assert.equal(changeText({ change: 0.2, low: 0.17, high: 0.235 }), '+20.0 % ±3.5');
});
test('an interval alone', () => {
  assert.equal(intervalText(-0.01, 0.02), '−1.0 to +2.0 %');
  assert.equal(intervalText(5, 30), '+500.0 % to × 31.0');
  assert.equal(intervalText(NaN_, 1), '');
});
test('time is slower or faster, its shares and anything else more or less; other verdicts have one word', () => {
  const words = (unit: string, per = 'execution') =>
    [Verdict.slower, Verdict.faster, Verdict.gone].map((one) => verdictText(one, { unit, per }));
  assert.deepEqual(words('nanoseconds', 'share'), ['more', 'less', 'gone']);
  assert.deepEqual(words('nanoseconds'), ['slower', 'faster', 'gone']);
  assert.deepEqual(words('seconds'), ['slower', 'faster', 'gone']);
  assert.deepEqual(words('bytes'), ['more', 'less', 'gone']);
  assert.equal(verdictText(99, { unit: 'bytes', per: '' }), 'not distinguishable from noise');
});
test('what a value is per names its measure', () => {
  assert.equal(perText('', 'CPU time'), 'CPU time per run');
  assert.equal(perText('execution', 'allocated memory'), 'allocated memory per execution');
  assert.equal(perText('share', 'CPU time'), 'CPU time, new scaled to the size of base');
});
test('q', () => {
  assert.equal(qText(0.0002), 'q < 0.001');
  assert.equal(qText(0.0041), 'q 0.004');
  assert.equal(qText(0.3), 'q 0.30');
  assert.equal(qText(NaN_), '');
});
test('only slower, faster, new and gone say a direction', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].filter(isSignificant), [1, 2, 3, 4]);
});
