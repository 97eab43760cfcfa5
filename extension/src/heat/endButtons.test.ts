import assert from 'node:assert/strict';
import test from 'node:test';
import { endButtons } from './endButtons.ts';

const end = { endedBadly: false, hasTerminal: true, hasSamples: true, hasLines: true };

test('after a crash the terminal is offered, but only when the program ran in one of ours', () => {
  assert.deepEqual(endButtons({ ...end, endedBadly: true }, []), ['terminal', 'graph']);
  assert.deepEqual(endButtons({ ...end, endedBadly: true, hasTerminal: false }, []), ['graph', 'hottest']);
  assert.deepEqual(endButtons({ ...end, endedBadly: true, hasSamples: false }, []), ['terminal']);
});

test('a program that ended well has the advised lines first, then graph and hottest line', () => {
  assert.deepEqual(endButtons(end, []), ['graph', 'hottest']);
  assert.deepEqual(endButtons(end, ['CMakeLists.txt']), [{ advice: 'CMakeLists.txt' }, 'graph']);
  assert.deepEqual(endButtons({ ...end, hasSamples: false }, []), []);
});

test('without source lines there is no hottest line to go to', () => {
  assert.deepEqual(endButtons({ ...end, hasLines: false }, []), ['graph']);
});
