import assert from 'node:assert/strict';
import test from 'node:test';
import { type RunOpened, wire } from '../../../core/wire.ts';
import { measureItems } from './measureChoice.ts';

const values = [
  ['alloc_space', 'bytes'],
  ['inuse_space', 'bytes'],
  ['gizmos\u202e', ''],
].map(([type, unit]) => ({
  ...(new wire.ValueType() as unknown as RunOpened['values'][number]),
  type: type!,
  unit: unit!,
}));

test('all measures of a run are offered in words, with the total that is known and the one that is shown', () => {
  const items = measureItems({ values, defaultValue: 1, totalValue: 4096 }, 0);
  assert.deepEqual(items, [
    { label: 'allocated memory', description: 'alloc_space, bytes · shown now', value: 0, isShown: true },
    { label: 'memory in use', description: 'inuse_space, bytes · 4.00 KiB', value: 1, isShown: false },
    { label: 'gizmos\\u202e', description: 'gizmos\\u202e', value: 2, isShown: false },
  ]);
});
