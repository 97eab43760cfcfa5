import assert from 'node:assert/strict';
import test from 'node:test';
import { type RunSummary, wire } from '../../../core/wire.ts';
import { runIcon } from './runIcon.ts';

const none = { selected: false, baseline: false, shown: false };
const run = (more: Partial<RunSummary> = {}): RunSummary => ({
  ...(new wire.RunSummary() as unknown as RunSummary),
  exited: false,
  ...more,
});
const crashed = run({ exited: true, exitSignal: 11 });

test('a crashed run that is the baseline or chosen for a comparison shows that, in the colour of errors', () => {
  assert.deepEqual(runIcon(crashed, { ...none, baseline: true }), { name: 'pinned', failed: true });
  assert.deepEqual(runIcon(crashed, { ...none, selected: true }), { name: 'git-compare', failed: true });
  assert.deepEqual(runIcon(crashed, { ...none, shown: true }), { name: 'error', failed: true });
});

test('a run that ended well has no colour of errors, and a file that cannot be read warns', () => {
  assert.deepEqual(runIcon(run(), none), { name: 'graph', failed: false });
  assert.deepEqual(runIcon(run(), { ...none, shown: true }), { name: 'flame', failed: false });
  assert.deepEqual(runIcon(run({ problem: 'no pprof' }), { ...none, baseline: true }).name, 'warning');
});
