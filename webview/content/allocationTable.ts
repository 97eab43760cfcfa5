// AllocationTable of protocol/views.proto as checked columns.
import { expectLength, type FrameTable, readFrameTable } from './frameTable.ts';
import { type Fields, readFields, readFloatColumn, readMessage, readNumber, readUint64Column } from './wireReader.ts';

/** One row a line that allocates, whose file and line are those of the frame. */
export interface AllocationTable {
  readonly frames: FrameTable;
  /** Undefined: the run does not have it. */
  readonly allocated: MemoryColumn | undefined;
  readonly inUse: MemoryColumn | undefined;
  readonly peak: MemoryColumn | undefined;
  readonly temporary: MemoryColumn | undefined;
}

export interface MemoryColumn {
  readonly space: Float64Array; // bytes
  readonly objects: Float64Array;
  readonly error: Float32Array; // relative standard error of the bytes; NaN: nothing is known of it
  readonly totalSpace: number;
}

export function readAllocationTable(bytes: Uint8Array): AllocationTable {
  const fields = readFields(bytes);
  const frames = readFrameTable(fields, 1);
  const column = (field: number) => readMemory(fields, field, frames.count);
  return { frames, allocated: column(2), inUse: column(3), peak: column(4), temporary: column(5) };
}

function readMemory(parent: Fields, field: number, rows: number): MemoryColumn | undefined {
  if (!parent.spans.has(field)) return undefined;
  const fields = readMessage(parent, field);
  const column = {
    space: readUint64Column(fields, 1),
    objects: readUint64Column(fields, 2),
    error: readFloatColumn(fields, 3),
    totalSpace: readNumber(fields, 4),
  };
  for (const values of [column.space, column.objects, column.error]) expectLength('memory', values, rows);
  return column;
}
