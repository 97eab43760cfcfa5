import assert from 'node:assert/strict';
import test from 'node:test';
import { countedIn, familyOf, hasChoice, measureName, measureNames, shortMeasureNames } from './measureText.ts';

const cpu = { type: 'cpu', unit: 'nanoseconds' };
const samples = { type: 'samples', unit: 'count' };
const space = { type: 'alloc_space', unit: 'bytes' };

test('a measure that is known has words, another the name of its file, made visible', () => {
  assert.equal(measureName(space), 'allocated memory');
  assert.equal(measureName({ type: 'gizmos\u202e', unit: 'kilo' }), 'gizmos\\u202e');
  assert.equal(measureName({ type: 'toString', unit: '' }), 'toString');
});
test('the unit tells measures of one name apart', () => {
  const twice = { type: 'gizmos', unit: 'count' };
  assert.deepEqual(measureNames([space, twice, { ...twice, unit: 'bytes' }]), [
    'allocated memory',
    'gizmos, count',
    'gizmos, bytes',
  ]);
});
test('samples and CPU time are no choice, and neither is one measure', () => {
  assert.deepEqual([[samples, cpu], [space], [samples, cpu, space]].map(hasChoice), [false, false, true]);
});
test('families are those of the protocol; one that is not known here is another', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 9].map(familyOf), ['other', 'cpu', 'waiting', 'memory', 'calls', 'other']);
});
test('on buttons names are short, and what only its file names has its own', () => {
  const wait = { type: 'wait', unit: 'nanoseconds' };
  assert.deepEqual(shortMeasureNames([cpu, wait, space, { type: 'Ir', unit: 'count' }]), [
    'CPU',
    'Waiting',
    'Allocated',
    'Ir',
  ]);
  assert.deepEqual(shortMeasureNames([wait, { type: 'delay', unit: 'seconds' }]), [
    'Waiting, nanoseconds',
    'Waiting, seconds',
  ]);
});
test('each wait is recorded, all else is sampled', () => {
  assert.deepEqual(['wait', 'waits', 'cpu', 'alloc_space', 'delay'].map(countedIn), [
    'waits',
    'waits',
    'samples',
    'samples',
    'samples',
  ]);
});
