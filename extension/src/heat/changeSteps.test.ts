import assert from 'node:assert/strict';
import test from 'node:test';
import { changedLines, stepFrom } from './changeSteps.ts';

const lines: Record<string, number[]> = { 'a.c': [3, 9], 'b.c': [], 'c.c': [5] };
const paths = Object.keys(lines);
const step = (path: string, line: number, direction: 1 | -1) =>
  stepFrom({ path, line }, direction, paths, async (of) => lines[of]!);

test('changes follow each other in a file, then in the next file that has some, as in a ring', async () => {
  assert.deepEqual(await step('a.c', 1, 1), { path: 'a.c', line: 3 });
  assert.deepEqual(await step('a.c', 3, 1), { path: 'a.c', line: 9 });
  assert.deepEqual(await step('a.c', 9, 1), { path: 'c.c', line: 5 });
  assert.deepEqual(await step('c.c', 5, 1), { path: 'a.c', line: 3 });
});
test('and backwards', async () => {
  assert.deepEqual(await step('a.c', 9, -1), { path: 'a.c', line: 3 });
  assert.deepEqual(await step('a.c', 3, -1), { path: 'c.c', line: 5 });
  assert.deepEqual(await step('b.c', 1, -1), { path: 'a.c', line: 9 });
});
test('from elsewhere the ring begins at its first or last change', async () => {
  assert.deepEqual(await step('other.c', 7, 1), { path: 'a.c', line: 3 });
  assert.deepEqual(await stepFrom(undefined, -1, paths, async (of) => lines[of]!), { path: 'c.c', line: 5 });
});
test('the only change is found again from itself; without any there is no place', async () => {
  const only = await stepFrom({ path: 'c.c', line: 5 }, 1, ['c.c'], async () => [5]);
  assert.deepEqual(only, { path: 'c.c', line: 5 });
  assert.equal(await stepFrom(undefined, 1, paths, async () => []), undefined);
  assert.equal(await stepFrom(undefined, 1, [], async () => [1]), undefined);
});
test('noise is no change', () => {
  const mark = (line: number, style: 'slower' | 'faster' | 'unclear') => ({ line, style, text: '' });
  assert.deepEqual(changedLines([mark(1, 'unclear'), mark(2, 'slower'), mark(3, 'faster')]), [2, 3]);
});
