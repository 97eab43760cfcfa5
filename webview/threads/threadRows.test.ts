import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableColumn } from '../table/virtualTable.ts';
import { arrangedRows, type Thread, threadRows } from './threadRows.ts';

const thread = (pid: number, tid: number, samples: number): Thread => ({
  ...{ pid, tid, samples, value: 0 },
  process: `p${pid}`,
  thread: `t${tid}`,
});
const two = [thread(1, 11, 5), thread(2, 21, 9), thread(1, 12, 7), thread(2, 22, 1)];
const samplesOf = (rows: ReturnType<typeof threadRows>): TableColumn => ({
  ...{ id: 'samples', title: '', hint: '', numeric: true },
  compare: (a, b) => rows[a]!.thread.samples - rows[b]!.thread.samples,
  fill: () => {},
});
const namesOf = (rows: ReturnType<typeof threadRows>, order: Iterable<number>) =>
  [...order].map((row) => (rows[row]!.isProcess ? `p${rows[row]!.thread.pid}` : `${rows[row]!.thread.tid}`)).join(' ');

test('threads of several processes stand below their process', () => {
  const rows = threadRows(two);
  assert.equal(namesOf(rows, rows.keys()), 'p1 11 12 p2 21 22');
  assert.equal(rows[0]!.members.length, 2);
});

test('the threads of one process need no row for it', () => {
  const rows = threadRows([two[0]!, two[2]!]);
  assert.equal(namesOf(rows, rows.keys()), '11 12');
});

test('a process of a single thread needs none either, and stands by itself', () => {
  const rows = threadRows([...two, thread(3, 31, 8)]);
  assert.equal(namesOf(rows, rows.keys()), 'p1 11 12 p2 21 22 31');
  const order = arrangedRows(rows, [samplesOf(rows)], { column: 'samples', descending: true });
  assert.equal(namesOf(rows, order), 'p2 21 22 31 p1 12 11');
});

test('sorting keeps the threads of a process together, best process first', () => {
  const rows = threadRows(two);
  const sorted = (descending: boolean) =>
    namesOf(rows, arrangedRows(rows, [samplesOf(rows)], { column: 'samples', descending }));
  assert.equal(sorted(true), 'p2 21 22 p1 12 11');
  assert.equal(sorted(false), 'p2 22 21 p1 11 12');
});

test('without rows of processes threads are sorted one by one', () => {
  const rows = threadRows([two[0]!, two[2]!]);
  const order = arrangedRows(rows, [samplesOf(rows)], { column: 'samples', descending: true });
  assert.equal(namesOf(rows, order), '12 11');
});
