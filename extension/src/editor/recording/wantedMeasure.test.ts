import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wantedSettings, wantedValue } from './wantedMeasure.ts';

const type = (name: string) => ({ type: name }) as Parameters<typeof wantedValue>[0]['values'][number];
const values = [type('cpu'), type('alloc_space'), type('inuse_space')];
const totals = (...sums: number[]) => sums.map((value) => ({ samples: 1, value }));

test('what is recorded for a measure is on, whatever the settings say', () => {
  assert.deepEqual(wantedSettings({ measure: 'inuse_space' }), { allocations: true });
  assert.deepEqual(wantedSettings({ measure: 'syscall' }), { syscalls: true });
  assert.deepEqual(wantedSettings({}), {});
});

test('the measure is shown where the run has something of it', () => {
  assert.equal(wantedValue({ values, totals: totals(9, 5, 3) }, { measure: 'alloc_space' }), 1);
  assert.equal(wantedValue({ values, totals: totals(9, 0, 0) }, { measure: 'alloc_space' }), undefined);
  assert.equal(wantedValue({ values, totals: totals(9, 5, 3) }, { measure: 'faults' }), undefined);
  assert.equal(wantedValue({ values, totals: totals(9, 5, 3) }, {}), undefined);
});
