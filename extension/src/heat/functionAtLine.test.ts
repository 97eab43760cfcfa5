import assert from 'node:assert/strict';
import test from 'node:test';
import type { FileHeat } from '../../../core/wire.ts';
import { functionAtLine } from './functionAtLine.ts';

const heat = {
  line: [12, 15, 31],
  functions: [
    { name: 'sum<int>', module: 'shop', line: 10 },
    { name: 'sum<long>', module: 'shop', line: 10 },
    { name: 'main', module: 'shop', line: 30 },
    { name: 'elsewhere', module: 'libm.so.6', line: 0 },
  ],
} as unknown as FileHeat;

test('a line is in the function that is defined before it, up to its last sample', () => {
  const name = (line: number) => functionAtLine(heat, line)?.name;
  assert.deepEqual([9, 10, 11, 15, 16, 29].map(name), [
    undefined,
    'sum<int>',
    'sum<int>',
    'sum<int>',
    undefined,
    undefined,
  ]);
  assert.deepEqual([30, 31, 32].map(name), ['main', 'main', undefined]);
  assert.deepEqual(functionAtLine(heat, 31), { name: 'main', module: 'shop' });
  assert.equal(functionAtLine({ ...heat, line: [], functions: [] }, 1), undefined);
});
