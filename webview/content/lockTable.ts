// LockTable of protocol/views.proto as checked columns.
import { expectBelow, expectLength, type FrameTable, readFrameTable } from './frameTable.ts';
import { readFields, readNumber, readUint32Column, readUint64Column } from './wireReader.ts';

/** What is known of who held a lock; 2: the lock named no thread. */
export const Held = { at: 0, by: 1, notNamed: 2 } as const;

/** One row a line that waited and a line where the holder was. */
export interface LockTable {
  readonly waiting: FrameTable; // `line` is the one that waits
  readonly holder: FrameTable;
  readonly waited: Float64Array; // nanoseconds
  readonly waitCount: Float64Array;
  readonly longest: Float64Array; // nanoseconds; 0: not known
  readonly threads: Uint32Array; // how many waited
  readonly held: Uint32Array; // of Held
  readonly thread: Uint32Array; // the holder's name, index into holder.strings
  readonly total: number; // nanoseconds
}

export function readLockTable(bytes: Uint8Array): LockTable {
  const fields = readFields(bytes);
  const table: LockTable = {
    waiting: readFrameTable(fields, 1),
    holder: readFrameTable(fields, 2),
    waited: readUint64Column(fields, 3),
    waitCount: readUint64Column(fields, 4),
    longest: readUint64Column(fields, 5),
    threads: readUint32Column(fields, 6),
    held: readUint32Column(fields, 7),
    thread: readUint32Column(fields, 8),
    total: readNumber(fields, 9),
  };
  const rows = table.waiting.count;
  expectLength('holder', table.holder.name, rows);
  for (const column of ['waited', 'waitCount', 'longest', 'threads', 'held', 'thread'] as const)
    expectLength(column, table[column], rows);
  expectBelow('held', table.held, 3, 'kinds');
  expectBelow('thread', table.thread, table.holder.strings.length, 'strings');
  return table;
}
