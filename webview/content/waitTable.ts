// WaitTable of protocol/views.proto as checked columns.
import { expectBelow, expectLength, type FrameTable, readFrameTable } from './frameTable.ts';
import { readFields, readNumber, readUint32Column, readUint64Column } from './wireReader.ts';

/** One row a line and reason. */
export interface WaitTable {
  readonly places: FrameTable; // `line` is the one that waits
  readonly waited: Float64Array; // nanoseconds
  readonly waitCount: Float64Array;
  readonly mean: Float64Array; // nanoseconds; 0: no wait begins in what is selected
  readonly threads: Uint32Array; // how many waited
  readonly reason: Uint32Array; // index into places.strings
  readonly idle: Uint32Array; // 1: of threads that were parked nearly all the time, in no share
  readonly total: number; // nanoseconds of the others
}

export function readWaitTable(bytes: Uint8Array): WaitTable {
  const fields = readFields(bytes);
  const table: WaitTable = {
    places: readFrameTable(fields, 1),
    waited: readUint64Column(fields, 2),
    waitCount: readUint64Column(fields, 3),
    threads: readUint32Column(fields, 4),
    reason: readUint32Column(fields, 5),
    idle: readUint32Column(fields, 6),
    total: readNumber(fields, 7),
    mean: readUint64Column(fields, 8),
  };
  const rows = table.places.count;
  for (const column of ['waited', 'waitCount', 'mean', 'threads', 'reason', 'idle'] as const)
    expectLength(column, table[column], rows);
  expectBelow('reason', table.reason, table.places.strings.length, 'strings');
  expectBelow('idle', table.idle, 2, 'kinds');
  return table;
}
