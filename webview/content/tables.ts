// FunctionTable and ComparedTable of protocol/views.proto as checked columns.
import { type Effects, expectVerdicts, readEffects } from './effects.ts';
import { expectBelow, expectLength, type FrameTable, readFrameTable } from './frameTable.ts';
import {
  type Fields,
  readDoubleColumn,
  readFields,
  readNumber,
  readString,
  readStrings,
  readUint32Column,
  readUint64Column,
} from './wireReader.ts';

export interface FunctionTable {
  readonly frames: FrameTable; // one row a function
  readonly type: string;
  readonly unit: string;
  readonly totalValue: number;
  readonly selfValue: Float64Array;
  readonly totalValueOfRow: Float64Array;
  readonly selfSamples: Uint32Array | undefined; // undefined: nobody knows
  readonly totalSamplesOfRow: Uint32Array | undefined;
  readonly calls: CountedCalls | undefined; // undefined: the run counted none
}

/** NaN where a function was not counted, or where it is not known how much a call takes. */
export interface CountedCalls {
  readonly calls: Float64Array;
  readonly perCall: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly unit: string; // of perCall
  readonly times: CallTimes | undefined; // undefined: none were timed
}

/** How long calls took, in ns; NaN where none was timed. */
export interface CallTimes {
  readonly p50: Float64Array;
  readonly p90: Float64Array;
  readonly p99: Float64Array;
  readonly longest: Float64Array;
}

/** One row a function or a line. "Base" is the older run, "new" the later one. */
export interface ComparedTable {
  readonly frames: FrameTable;
  readonly unit: string;
  readonly partNames: readonly string[]; // of parts of one run: what base and new are called
  readonly per: string; // what a value is per: "run", "share" …
  readonly baseTotal: number;
  readonly newTotal: number;
  readonly baseSelf: Float64Array;
  readonly newSelf: Float64Array;
  readonly baseTotalOfRow: Float64Array;
  readonly newTotalOfRow: Float64Array;
  readonly baseSelfSamples: Uint32Array | undefined; // undefined: nobody knows
  readonly newSelfSamples: Uint32Array | undefined;
  readonly baseTotalSamplesOfRow: Uint32Array | undefined;
  readonly newTotalSamplesOfRow: Uint32Array | undefined;
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
    selfValue: readUint64Column(fields, 6),
    totalValueOfRow: readUint64Column(fields, 7),
    selfSamples: readCounts(fields, 8, 10),
    totalSamplesOfRow: readCounts(fields, 9, 10),
    calls: readCalls(fields),
  };
  expectRows(table);
  return table;
}

function readCalls(fields: Fields): CountedCalls | undefined {
  const [calls, perCall, low, high] = [11, 12, 13, 14].map((number) => readDoubleColumn(fields, number));
  if (calls!.length === 0) return undefined;
  const columns = { calls: calls!, perCall: perCall!, low: low!, high: high! };
  return { ...columns, unit: readString(fields, 15), times: readCallTimes(fields) };
}

function readCallTimes(fields: Fields): CallTimes | undefined {
  const [p50, p90, p99, longest] = [16, 17, 18, 19].map((number) => readDoubleColumn(fields, number));
  return p50!.length === 0 ? undefined : { p50: p50!, p90: p90!, p99: p99!, longest: longest! };
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
    partNames: readStrings(fields, 23),
    baseTotal: readNumber(fields, 4),
    newTotal: readNumber(fields, 5),
    baseSelf: readUint64Column(fields, 8),
    newSelf: readUint64Column(fields, 9),
    baseTotalOfRow: readUint64Column(fields, 10),
    newTotalOfRow: readUint64Column(fields, 11),
    baseSelfSamples: readCounts(fields, 12, 22),
    newSelfSamples: readCounts(fields, 13, 22),
    baseTotalSamplesOfRow: readCounts(fields, 14, 22),
    newTotalSamplesOfRow: readCounts(fields, 15, 22),
    verdict: readUint32Column(fields, 16),
    baseLine: baseLine.length === 0 ? new Uint32Array(frames.count) : baseLine, // a table of functions has none
    selfEffects: readEffects(fields, 18, frames.count),
    totalEffects: readEffects(fields, 19, frames.count),
    note: note.length === 0 ? new Uint32Array(frames.count) : note,
    contribution: contribution.length === 0 ? new Float64Array(frames.count).fill(Number.NaN) : contribution,
  };
  expectRows(table);
  if (frames.strings.length > 0) expectBelow('note', table.note, frames.strings.length, 'strings');
  expectVerdicts(table.verdict);
  return table;
}

/** Counts of samples; undefined when the message says in `unknown` that nobody knows them. */
const readCounts = (fields: Fields, field: number, unknown: number): Uint32Array | undefined =>
  readNumber(fields, unknown) === 0 ? readUint32Column(fields, field) : undefined;

/** Throws unless every column has a value for each row. */
function expectRows(table: FunctionTable | ComparedTable) {
  for (const [name, column] of Object.entries(table)) {
    if (ArrayBuffer.isView(column)) expectLength(name, column as Float64Array, table.frames.count);
  }
  const { calls, perCall, low, high, times } = ('calls' in table && table.calls) || {};
  const { p50, p90, p99, longest } = times ?? {};
  for (const column of [calls, perCall, low, high, p50, p90, p99, longest])
    if (column) expectLength('calls', column, table.frames.count);
}
