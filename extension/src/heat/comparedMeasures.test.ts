import assert from 'node:assert/strict';
import test from 'node:test';
import { type RunOpened, wire } from '../../../core/wire.ts';
import { comparedItems, sharedMeasures } from './comparedMeasures.ts';

const run = (...measures: [string, string][]): Pick<RunOpened, 'values'> => ({
  values: measures.map(([type, unit]) => ({
    ...(new wire.ValueType() as unknown as RunOpened['values'][number]),
    type,
    unit,
  })),
});
const typesOf = (...runs: [Pick<RunOpened, 'values'>, Pick<RunOpened, 'values'>]) =>
  sharedMeasures(...runs).map(({ type }) => type);

test('measures that both runs have, with the same unit, are offered in the order of the new one', () => {
  const base = run(['alloc_space', 'bytes'], ['inuse_space', 'bytes'], ['wait', 'microseconds']);
  const current = run(['inuse_space', 'bytes'], ['wait', 'nanoseconds'], ['alloc_space', 'bytes'], ['new', 'count']);
  assert.deepEqual(typesOf(base, current), ['inuse_space', 'alloc_space']);
});

test('samples and CPU time are one choice, and one measure is none', () => {
  const cpu = run(['samples', 'count'], ['cpu', 'nanoseconds']);
  assert.deepEqual(typesOf(cpu, cpu), []);
  assert.deepEqual(typesOf(run(['inuse_space', 'bytes']), run(['inuse_space', 'bytes'])), []);
});

test('the list names each in words and marks the one that is shown', () => {
  const { values } = run(['alloc_space', 'bytes'], ['gizmos\u202e', '']);
  assert.deepEqual(comparedItems(values, { type: 'alloc_space', unit: 'bytes' }, 'shown now'), [
    { label: 'allocated memory', description: 'alloc_space, bytes · shown now', value: 0, isShown: true },
    { label: 'gizmos\\u202e', description: 'gizmos\\u202e', value: 1, isShown: false },
  ]);
});
