import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busyFailure } from './busyFailure.ts';

const words = (name: string, isBuilding: boolean) => {
  const { kind, message, advice } = busyFailure({ name, isBuilding });
  return [kind, message, advice];
};

test('what really runs is named, with what ends it', () => {
  assert.deepEqual(words('shop', false), [
    'busy',
    'A recording is running: shop.',
    'Stop it with "Lineheat: Stop and Keep" first.',
  ]);
  assert.deepEqual(words('shop', true), [
    'busy',
    'A build is running: shop, which is recorded afterwards.',
    'Cancel the build in its notification, or wait for the recording.',
  ]);
  assert.match(words('a\u202eb', false)[1]!, /a\\u202eb/);
});
