import assert from 'node:assert/strict';
import test from 'node:test';
import { freshState, restoredState, stateOf } from './viewState.ts';

const state = {
  ...freshState('run:1', 0),
  viewMode: 'graph',
  waitsBy: 'cause',
  query: { text: 'x', regex: true, matchCase: false },
  sorts: { functions: { column: 'name', descending: false } },
  span: { left: 0.25, width: 0.5 },
  selectedPath: [0, 3],
  split: 40,
} as const;

test('a saved state comes back as it was', () =>
  assert.deepEqual(restoredState(JSON.parse(JSON.stringify(state)), 'run:1', 0), state));
test('the measure that was chosen in this window goes before the one of the page; one that the run lacks counts nowhere', () => {
  const measure = { type: 'cpu', unit: 'nanoseconds', family: 'cpu' } as const;
  const show = { panel: 'run:1', values: [measure, measure, measure], defaultValue: 1 };
  const saved = { ...state, value: 2 };
  assert.deepEqual(stateOf(saved, show), saved);
  assert.deepEqual(stateOf(saved, { ...show, value: 0 }), { ...saved, value: 0, selectedPath: [] });
  assert.equal(stateOf({ ...saved, value: 9 }, show).value, 1);
  assert.equal(stateOf(saved, { ...show, value: 9 }).value, 1);
});
test('the state of another panel does not count', () =>
  assert.deepEqual(restoredState(state, 'run:2', 0), freshState('run:2', 0)));
test('what is damaged is left out, the rest is kept', () => {
  const damaged = {
    ...state,
    viewMode: 'pie',
    waitsBy: 'nobody',
    span: { left: -1, width: 'x' },
    sorts: { functions: 3 },
    selectedPath: ['a'],
    split: 999,
  };
  assert.deepEqual(restoredState(damaged, 'run:1', 0), {
    ...state,
    viewMode: 'both',
    waitsBy: 'line',
    span: { left: 0, width: 1 },
    sorts: {},
    selectedPath: [],
    split: 0,
  });
});
test('nothing saved is a fresh state', () => {
  for (const saved of [undefined, null, 3, 'x', []]) assert.deepEqual(restoredState(saved, 'p', 1), freshState('p', 1));
});
