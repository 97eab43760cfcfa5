import assert from 'node:assert/strict';
import test from 'node:test';
import { type RunOpened, wire } from '../../../core/wire.ts';
import { fileRun, type RunRef, runKey } from '../engine/runRef.ts';
import { measureOfRuns } from './measureOfRuns.ts';
import { RunMeasures } from './runMeasures.ts';

const [base, current] = [fileRun('/runs/a.pb.gz'), fileRun('/runs/b.pb.gz')];
const opened = (...types: string[]) => ({
  values: types.map((type) => ({
    ...(new wire.ValueType() as unknown as RunOpened['values'][number]),
    ...{ type, unit: type === 'cpu' ? 'nanoseconds' : 'bytes' },
  })),
  defaultValue: 0,
});
const open = async (run: RunRef) =>
  runKey(run) === runKey(base) ? opened('cpu', 'alloc_space') : opened('cpu', 'inuse_space', 'alloc_space');
const begins = (choose: (measures: RunMeasures) => void) => {
  const measures = new RunMeasures();
  choose(measures);
  return measureOfRuns({ base, current }, measures, open);
};

test('a comparison begins with the measure of the new run, else with that of the base', async () => {
  assert.equal(await begins(() => {}), undefined);
  const alloc = { type: 'alloc_space', unit: 'bytes' };
  assert.deepEqual(await begins((measures) => measures.choose(base, 1)), alloc);
  assert.deepEqual(await begins((measures) => measures.choose(current, 2)), alloc);
  const both = (measures: RunMeasures) => {
    measures.choose(base, 1);
    measures.choose(current, 0);
  };
  assert.deepEqual(await begins(both), { type: 'cpu', unit: 'nanoseconds' });
});

test('what only one of them has is not compared', async () =>
  assert.equal(await begins((measures) => measures.choose(current, 1)), undefined));
