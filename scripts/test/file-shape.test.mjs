import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeProblems } from '../checks/file-shape.mjs';

test('a file of 501 lines is refused, a test of that length is not', () => {
  const long = 'x\n'.repeat(500);
  assert.match(shapeProblems('core/long.ts', long)[0], /has 501 lines/);
  assert.deepEqual(shapeProblems('core/long.test.ts', long), []);
});

test('a mark of unfinished work is refused, with its line', () => {
  assert.match(shapeProblems('core/a.ts', `\n// ${'TO' + 'DO'}: later\n`)[0], /^core\/a.ts:2 carries a mark/);
});
