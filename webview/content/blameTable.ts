// BlameTable of protocol/views.proto as checked columns.
import { expectBelow, expectLength, type FrameTable, readFrameTable } from './frameTable.ts';
import { readFields, readNumber, readString, readUint32Column, readUint64Column } from './wireReader.ts';

/** What is known of the line that caused waits; 3: of threads that were parked nearly all the time. */
export const Evidence = { held: 0, ended: 1, noLine: 2, idle: 3 } as const;

/** One row a line that held a lock or ended waits, or what else they were for. */
export interface BlameTable {
  readonly causes: FrameTable; // `line` is the one that held the lock or ended the wait
  readonly waiting: FrameTable; // `line` is the one that waited most
  readonly waited: Float64Array; // nanoseconds
  readonly waitCount: Float64Array;
  readonly threads: Uint32Array; // how many waited
  readonly evidence: Uint32Array; // of Evidence
  readonly endedBy: Uint32Array; // index into causes.strings; empty: not known
  readonly reasons: Uint32Array; // index into causes.strings
  readonly lines: Uint32Array; // how many lines waited
  readonly topLines: FrameTable; // the first few of each row, most time first
  readonly topRow: Uint32Array; // row of this table
  readonly topWaited: Float64Array; // nanoseconds
  readonly total: number; // nanoseconds, without idle threads
  readonly lack: string; // what else can be recorded to know more causes; empty: nothing
}

export function readBlameTable(bytes: Uint8Array): BlameTable {
  const fields = readFields(bytes);
  const table: BlameTable = {
    causes: readFrameTable(fields, 1),
    waiting: readFrameTable(fields, 2),
    waited: readUint64Column(fields, 3),
    waitCount: readUint64Column(fields, 4),
    threads: readUint32Column(fields, 5),
    evidence: readUint32Column(fields, 6),
    endedBy: readUint32Column(fields, 7),
    reasons: readUint32Column(fields, 8),
    lines: readUint32Column(fields, 9),
    topLines: readFrameTable(fields, 10),
    topRow: readUint32Column(fields, 11),
    topWaited: readUint64Column(fields, 12),
    total: readNumber(fields, 13),
    lack: readString(fields, 14),
  };
  const rows = table.causes.count;
  expectLength('waiting', table.waiting.name, rows);
  for (const column of ['waited', 'waitCount', 'threads', 'evidence', 'endedBy', 'reasons', 'lines'] as const)
    expectLength(column, table[column], rows);
  for (const column of ['topRow', 'topWaited'] as const) expectLength(column, table[column], table.topLines.count);
  expectBelow('evidence', table.evidence, 4, 'kinds');
  expectBelow('topRow', table.topRow, rows, 'rows');
  for (const column of ['endedBy', 'reasons'] as const)
    expectBelow(column, table[column], table.causes.strings.length, 'strings');
  return table;
}
