import assert from 'node:assert/strict';
import test from 'node:test';
import * as text from './numbersAsText.ts';

function check<Input>(name: string, format: (input: Input) => string, cases: readonly (readonly [Input, string])[]) {
  test(name, () => {
    for (const [input, expected] of cases) assert.equal(format(input), expected);
  });
}

check('a share is a percentage with one decimal', text.percentText, [
  [0, '0.0 %'],
  [0.0001, '< 0.1 %'],
  [0.0005, '0.1 %'],
  [0.124, '12.4 %'],
  [1, '100.0 %'],
]);
check('samples are grouped by thousands', text.samplesText, [
  [0, '0 samples'],
  [1, '1 sample'],
  [3812, '3,812 samples'],
  [1234567, '1,234,567 samples'],
]);
check('waits are called waits', (count: number) => text.samplesText(count, 'waits'), [
  [1, '1 wait'],
  [4000, '4,000 waits'],
]);
check('a duration has the unit that fits', text.durationText, [
  [0, '0 ns'],
  [999, '999 ns'],
  [1500, '1.50 µs'],
  [12_400_000, '12.4 ms'],
  [999_700_000, '1.00 s'],
  [1_240_000_000, '1.24 s'],
  [200_000_000_000, '3 min 20 s'],
  [7_260_000_000_000, '2 h 1 min'],
]);
test('values know the units of pprof', () => {
  assert.equal(text.valueText(1536, 'bytes'), '1.50 KiB');
  assert.equal(text.valueText(1234, 'count'), '1,234');
  assert.equal(text.valueText(2, 'milliseconds'), '2.00 ms');
  assert.equal(text.valueText(1234, 'widgets'), '1,234 widgets');
});
test('a change carries its sign', () => {
  assert.equal(text.valueChangeText(12_400_000, 'nanoseconds'), '+12.4 ms');
  assert.equal(text.valueChangeText(-1e9, 'nanoseconds'), '−1.00 s');
  assert.equal(text.valueChangeText(0, 'nanoseconds'), '±0');
  assert.equal(text.pointsText(0.1, 0.141), '+4.1 pp');
  assert.equal(text.pointsText(0.2, 0.1999), '±0');
});
test('a share of nothing is nothing', () => assert.equal(text.share(3, 0), 0));

test('a moment is as exact as the steps beside it', () => {
  assert.equal(text.momentText(0, 5e8), '0 ns');
  assert.equal(text.momentText(0, 5e8, 4e9), '0 s');
  assert.equal(text.momentText(2.5e9, 5e8), '2.5 s');
  assert.equal(text.momentText(2e9, 1e9), '2 s');
  assert.equal(text.momentText(2_700_100_000, 1e5), '2.7001 s');
  assert.equal(text.momentText(12e6, 2e6), '12 ms');
  assert.equal(text.momentText(3_600e9, 600e9), '3,600 s');
});

test('a time range has one unit and the digits of its length', () => {
  assert.equal(text.timeRangeText({ fromNs: 2.7e9, toNs: 3.1e9 }), '2.7–3.1 s');
  assert.equal(text.timeRangeText({ fromNs: 1e9, toNs: 3e9 }), '1–3 s');
  assert.equal(text.timeRangeText({ fromNs: 1_000_000_000, toNs: 1_000_400_000 }), '1.0000–1.0004 s');
  assert.equal(text.timeRangeText({ fromNs: 0, toNs: 40e6 }), '0–40 ms');
});

test('samples of a number that nobody knows are no text', () => assert.equal(text.samplesText(undefined), ''));
test('what is selected is told in samples, or in its unit where nobody knows those', () => {
  const values = { value: 4096, runValue: 12288 };
  const known = { ...values, samples: 412, runSamples: 5321 };
  assert.equal(text.selectedText(known, 'bytes'), '412 of 5,321 samples (7.7 %)');
  assert.match(text.selectedText({ ...known, isComplete: true }, 'bytes'), /^[\d.]+ [KM]?i?B of /);
  const unknown = { ...values, samples: undefined, runSamples: undefined };
  assert.equal(text.selectedText(unknown, 'bytes'), '4.00 KiB of 12.0 KiB (33.3 %)');
});
test('units of time', () => {
  const units = ['nanoseconds', 'seconds', 'milliseconds', 'bytes', 'count', '', 'lightseconds'];
  assert.deepEqual(units.filter(text.isTime), ['nanoseconds', 'seconds', 'milliseconds']);
});
test('a part names its base', () => assert.equal(text.samplesOfText(412, 5321), '412 of 5,321 samples (7.7 %)'));
