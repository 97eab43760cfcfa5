import assert from 'node:assert/strict';
import test from 'node:test';
import { EMPTY_SELECTION, type ShownSelection } from '../../core/selectionMessages.ts';
import { threadMatcher } from './selectedThreads.ts';
import { onTracks, withExecution, withRange, withThread } from './stripSelection.ts';

const worker = { pid: 10, tid: 11, process: 'shop', thread: 'worker-1' };
const io = { pid: 20, tid: 21, process: 'proxy', thread: 'io[0]' };
const all = { pid: 0, tid: 0, process: '', thread: '' };
const selected = (part: Partial<ShownSelection>) =>
  [worker, io, all].map(threadMatcher({ ...EMPTY_SELECTION, ...part }));

test('threads are meant by name, number or glob; the track of all is always meant', () => {
  assert.deepEqual(selected({}), [true, true, true]);
  assert.deepEqual(selected({ threads: ['11'] }), [true, false, true]);
  assert.deepEqual(selected({ threads: ['worker-*'] }), [true, false, true]);
  assert.deepEqual(selected({ threads: ['io[0]'] }), [false, true, true]);
  assert.deepEqual(selected({ threads: ['worker'] }), [false, false, true]);
  assert.deepEqual(selected({ threads: ['worker-?', '21'] }), [true, true, true]);
});
test('threads and processes narrow each other', () => {
  assert.deepEqual(selected({ processes: ['shop'] }), [true, false, true]);
  assert.deepEqual(selected({ processes: ['20'], threads: ['11'] }), [false, false, true]);
});

const range = { fromNs: 1, toNs: 2 };
test('a range on a thread is of this thread, on the track of all of all threads', () => {
  const before = { ...EMPTY_SELECTION, threads: ['99'], processes: ['shop'] };
  assert.deepEqual(onTracks(before, [range], [worker]), { ...EMPTY_SELECTION, times: [range], threads: ['11'] });
  assert.deepEqual(onTracks(before, [range], [all]), { ...EMPTY_SELECTION, times: [range] });
  assert.deepEqual(onTracks(before, [range], [worker, io]).threads, ['11', '21']);
});
test('one more range lets a thread join where threads are chosen', () => {
  assert.deepEqual(withRange(EMPTY_SELECTION, [range], worker).threads, []);
  assert.deepEqual(withRange({ ...EMPTY_SELECTION, threads: ['21'] }, [range], worker).threads, ['21', '11']);
  assert.deepEqual(withRange({ ...EMPTY_SELECTION, threads: ['21'] }, [range], all).threads, ['21']);
});
test('a thread is chosen alone, taken back, or added to others', () => {
  const one = withThread(EMPTY_SELECTION, worker, false);
  assert.deepEqual(one.threads, ['11']);
  assert.deepEqual(withThread(one, worker, false).threads, []);
  assert.deepEqual(withThread(one, io, true).threads, ['11', '21']);
  assert.deepEqual(withThread(one, io, false).threads, ['21']);
  assert.deepEqual(withThread(withThread(one, io, true), worker, true).threads, ['21']);
  assert.deepEqual(withThread(one, all, false).threads, []);
});
test('an execution is chosen alone, and taken back', () => {
  const one = withExecution(EMPTY_SELECTION, 3);
  assert.deepEqual(one.executions, [3]);
  assert.deepEqual(withExecution(one, 3).executions, []);
});
