import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_SELECTION } from '../../core/selectionMessages.ts';
import type { Thread } from './threadRows.ts';
import { tickedThreads, toggled, withTicked } from './tickedThreads.ts';

const threadsOf = (pid: number, count: number): Thread[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ pid, tid: pid * 10_000 + i, samples: 1, value: 1 },
    ...{ process: 'shop', thread: `worker-${i}` },
  }));
const few = [...threadsOf(1, 2), ...threadsOf(2, 2)];
const many = [...threadsOf(1, 1100), ...threadsOf(2, 1100), ...threadsOf(3, 2)];
const range = { fromNs: 1, toNs: 2 };

test('a selection without threads has all ticked, one with a name those of that name', () => {
  assert.equal(tickedThreads(few, EMPTY_SELECTION).size, 4);
  const named = tickedThreads(few, { ...EMPTY_SELECTION, threads: ['worker-1'], processes: ['2'] });
  assert.deepEqual([...named], [few[3]]);
});

test('a tick changes one thread or all of a process', () => {
  const all = new Set(few);
  const three = toggled(all, [few[0]!]);
  assert.deepEqual([...three], few.slice(1));
  assert.deepEqual([...toggled(three, few.slice(0, 2))].length, 4, 'one of two is ticked: the other follows');
  assert.deepEqual([...toggled(all, few.slice(0, 2))], few.slice(2));
});

test('ticked threads are selected by number; all of them are no filter, and times stay', () => {
  const selection = { ...EMPTY_SELECTION, times: [range], processes: ['1'] };
  const some = withTicked(selection, few, new Set([few[0]!, few[2]!]))!;
  assert.deepEqual([some.threads, some.processes, some.times], [['10000', '20000'], [], [range]]);
  assert.deepEqual(withTicked(selection, few, new Set(few)), { ...EMPTY_SELECTION, times: [range] });
  assert.equal(withTicked(selection, few, new Set()), undefined);
});

test('more threads than a selection holds are named by their processes, or refused', () => {
  const whole = new Set(many.filter(({ pid }) => pid !== 2));
  assert.deepEqual(withTicked(EMPTY_SELECTION, many, whole)!.processes, ['1', '3']);
  assert.equal(withTicked(EMPTY_SELECTION, many, new Set(many.slice(1))), undefined);
});
