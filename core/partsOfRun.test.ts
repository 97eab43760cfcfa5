import assert from 'node:assert/strict';
import test from 'node:test';
import { parsePart, partsOf, whyNotCompared } from './partsOfRun.ts';
import { EMPTY_SELECTION, type ShownSelection } from './selectionMessages.ts';

const during = (...times: [number, number][]): ShownSelection => ({
  ...EMPTY_SELECTION,
  times: times.map(([fromNs, toNs]) => ({ fromNs, toNs })),
});

test('a selection that narrows has a rest, and one that changes stacks alone has none', () => {
  const selection = during([1, 2]);
  assert.deepEqual(partsOf(selection, 'rest'), {
    base: { selection, rest: true },
    new: { selection, rest: false },
  });
  const changed: ShownSelection = { ...EMPTY_SELECTION, transforms: [{ kind: 'hideKernel' }] };
  for (const none of [EMPTY_SELECTION, changed]) {
    assert.equal(partsOf(none, 'rest'), undefined);
    assert.match(whyNotCompared(none, 'rest'), /^Select times, threads/);
  }
  assert.ok(partsOf({ ...EMPTY_SELECTION, droppedThreads: ['idle'] }, 'rest'));
});

test('two ranges are compared, the later one with the earlier', () => {
  const threads = { ...during([5, 6], [1, 2]), threads: ['main'] };
  const parts = partsOf(threads, 'ranges');
  assert.deepEqual(parts?.base.selection, { ...threads, times: [{ fromNs: 1, toNs: 2 }] });
  assert.deepEqual(parts?.new.selection, { ...threads, times: [{ fromNs: 5, toNs: 6 }] });
  for (const other of [EMPTY_SELECTION, during([1, 2]), during([1, 2], [3, 4], [5, 6])])
    assert.match(whyNotCompared(other, 'ranges'), /exactly two ranges/);
});

test('what is remembered is a part, and anything else is none', () => {
  const part = { selection: during([1, 2]), rest: true };
  assert.deepEqual(parsePart(JSON.parse(JSON.stringify(part))), part);
  for (const other of [undefined, null, 1, {}, { selection: during([1, 2]) }, { selection: {}, rest: true }])
    assert.equal(parsePart(other), undefined);
});
