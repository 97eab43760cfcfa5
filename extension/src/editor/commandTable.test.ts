import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merged } from './commandTable.ts';

test('the commands of all features are in one table, and none has the name of another', () => {
  const run = () => 1;
  assert.deepEqual([...merged([{ a: run, b: run }, {}, { c: run }]).keys()], ['a', 'b', 'c']);
  assert.throws(() => merged([{ a: run }, { b: run, a: run }]), /lineheat[.]a is given twice/);
});
