// FunctionTable and ComparedTable of protocol/views.proto as checked columns.
import { type Effects, expectVerdicts, readEffects } from './effects.ts';
import { expectBelow, expectLength, type FrameTable, readFrameTable } from './frameTable.ts';
import {
  readDoubleColumn,
  readFields,
  readNumber,
  readString,
  readUint32Column,
  readUint64Column,
} from './wireReader.ts';

export interface FunctionTable {
  readonly frames: FrameTable; // one row a function
  readonly type: string;
  readonly unit: string;
  readonly totalValue: number;
  readonly totalSamples: number;
  readonly selfValue: Float64Array;
  readonly totalValueOfRow: Float64Array;
  readonly selfSamples: Uint32Array;
  readonly totalSamplesOfRow: Uint32Array;
}

/** One row a function or a line. "Base" is the older run, "new" the later one. */
export interface ComparedTable {
  readonly frames: FrameTable;
  readonly unit: string;
  readonly per: string; // what a value is per: "run", "share" …
  readonly baseTotal: number;
  readonly newTotal: number;
  readonly baseTotalSamples: number;
  readonly newTotalSamples: number;
  readonly baseSelf: Float64Array;
  readonly newSelf: Float64Array;
  readonly baseTotalOfRow: Float64Array;
  readonly newTotalOfRow: Float64Array;
  readonly baseSelfSamples: Uint32Array;
  readonly newSelfSamples: Uint32Array;
  readonly baseTotalSamplesOfRow: Uint32Array;
  readonly newTotalSamplesOfRow: Uint32Array;
  readonly verdict: Uint32Array;
  readonly baseLine: Uint32Array; // for lines: the line in the base text; 0: none
  readonly selfEffects: Effects | undefined; // undefined: the engine says no more than the verdict
  readonly totalEffects: Effects | undefined;
  readonly note: Uint32Array; // index into frames.strings; 0: nothing
  readonly contribution: Float64Array; // of self, to all increases or decreases; negative: against the overall change; NaN: unknown
}

export function readFunctionTable(bytes: Uint8Array): FunctionTable {
  const fields = readFields(bytes);
  const table: FunctionTable = {
    frames: readFrameTable(fields, 1),
    type: readString(fields, 2),
    unit: readString(fields, 3),
    totalValue: readNumber(fields, 4),
    totalSamples: readNumber(fields, 5),
    selfValue: readUint64Column(fields, 6),
    totalValueOfRow: readUint64Column(fields, 7),
    selfSamples: readUint32Column(fields, 8),
    totalSamplesOfRow: readUint32Column(fields, 9),
  };
  for (const column of ['selfValue', 'totalValueOfRow', 'selfSamples', 'totalSamplesOfRow'] as const) {
    expectLength(column, table[column], table.frames.count);
  }
  return table;
}

export function readComparedTable(bytes: Uint8Array): ComparedTable {
  const fields = readFields(bytes);
  const frames = readFrameTable(fields, 1);
  const baseLine = readUint32Column(fields, 17);
  const note = readUint32Column(fields, 20);
  const contribution = readDoubleColumn(fields, 21);
  const table: ComparedTable = {
    frames,
    unit: readString(fields, 2),
    per: readString(fields, 3),
    baseTotal: readNumber(fields, 4),
    newTotal: readNumber(fields, 5),
    baseTotalSamples: readNumber(fields, 6),
    newTotalSamples: readNumber(fields, 7),
    baseSelf: readUint64Column(fields, 8),
    newSelf: readUint64Column(fields, 9),
    baseTotalOfRow: readUint64Column(fields, 10),
    newTotalOfRow: readUint64Column(fields, 11),
    baseSelfSamples: readUint32Column(fields, 12),
    newSelfSamples: readUint32Column(fields, 13),
    baseTotalSamplesOfRow: readUint32Column(fields, 14),
    newTotalSamplesOfRow: readUint32Column(fields, 15),
    verdict: readUint32Column(fields, 16),
    baseLine: baseLine.length === 0 ? new Uint32Array(frames.count) : baseLine, // a table of functions has none
    selfEffects: readEffects(fields, 18, frames.count),
    totalEffects: readEffects(fields, 19, frames.count),
    note: note.length === 0 ? new Uint32Array(frames.count) : note,
    contribution: contribution.length === 0 ? new Float64Array(frames.count).fill(Number.NaN) : contribution,
  };
  for (const [name, column] of Object.entries(table)) {
    if (ArrayBuffer.isView(column)) expectLength(name, column as Float64Array, frames.count);
  }
  if (frames.strings.length > 0) expectBelow('note', table.note, frames.strings.length, 'strings');
  expectVerdicts(table.verdict);
  return table;
}
