import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileRun } from '../../engine/runRef.ts';
import { ShownProfile } from './shownProfile.ts';

function memoryOf(saved: unknown) {
  let state = saved;
  const update = async (_key: string, value: unknown) => {
    state = value;
  };
  return { get: () => state, update };
}
const shownOf = (saved: unknown) => new ShownProfile(memoryOf(saved) as never);

test('what the window showed is read as it was saved', async () => {
  const shown = shownOf(undefined);
  for (const profile of [
    { run: fileRun('/a.pb.gz') },
    { base: fileRun('/a.pb.gz'), new: fileRun('b.pb.gz'), normalisation: 2 },
    undefined,
  ]) {
    await shown.set(profile);
    assert.deepEqual(shown.get(), profile);
  }
});

test('a state of a version that saved paths is read', () => {
  assert.deepEqual(shownOf({ run: '/a.pb.gz' }).get(), { run: fileRun('/a.pb.gz') });
  const pair = { base: '/a.pb.gz', new: '/b.pb.gz', normalisation: 1 };
  assert.deepEqual(shownOf(pair).get(), { ...pair, base: fileRun('/a.pb.gz'), new: fileRun('/b.pb.gz') });
});

test('a run that cannot be named is not shown again', () => {
  assert.equal(shownOf({ run: 'elsewhere:3' }).get(), undefined);
  assert.equal(shownOf({ base: '/a.pb.gz', new: 'elsewhere:3', normalisation: 0 }).get(), undefined);
});
