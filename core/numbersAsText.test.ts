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
