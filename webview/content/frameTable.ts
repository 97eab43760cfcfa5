// The functions that a view speaks of, as columns: FrameTable of protocol/views.proto, checked.
import * as l10n from '@vscode/l10n';
import { type Fields, MalformedContent, readMessage, readStrings, readUint32Column } from './wireReader.ts';

export const FrameKind = { native: 0, inlined: 1, kernel: 2, unknown: 3, root: 4, interrupts: 5 } as const;

/** Code of the kernel, or what it did between. */
export const isKernel = (kind: number): boolean => kind === FrameKind.kernel || kind === FrameKind.interrupts;

export interface FrameTable {
  readonly count: number;
  readonly strings: readonly string[];
  readonly name: Uint32Array; // index into strings, like module and file
  readonly module: Uint32Array;
  readonly file: Uint32Array;
  readonly line: Uint32Array; // of the definition; 0: unknown
  readonly kind: Uint32Array;
  readonly collapsed: ReadonlySet<number>; // stand for what they call, too, and can be opened
}

/** Reads the FrameTable in `field`. Throws `MalformedContent` when columns differ in length or name no string. */
export function readFrameTable(parent: Fields, field: number): FrameTable {
  const fields = readMessage(parent, field);
  const strings = readStrings(fields, 1);
  const name = readUint32Column(fields, 2);
  const collapsed = readUint32Column(fields, 7);
  expectBelow('frames.collapsed', collapsed, name.length, 'frames');
  const table: FrameTable = {
    count: name.length,
    strings,
    name,
    module: readUint32Column(fields, 3),
    file: readUint32Column(fields, 4),
    line: readUint32Column(fields, 5),
    kind: readUint32Column(fields, 6),
    collapsed: new Set(collapsed),
  };
  for (const column of ['module', 'file', 'line', 'kind'] as const) {
    expectLength(`frames.${column}`, table[column], table.count);
  }
  for (const column of ['name', 'module', 'file'] as const) {
    expectBelow(`frames.${column}`, table[column], strings.length, 'strings');
  }
  return table;
}

/** Throws unless the column has the wanted number of rows. */
export function expectLength(what: string, column: ArrayLike<number>, wanted: number) {
  if (column.length === wanted) return;
  throw new MalformedContent(l10n.t('The column {0} has {1} rows instead of {2}.', what, column.length, wanted));
}

/** Throws unless every value of the column is an index below `limit`. */
export function expectBelow(what: string, column: Uint32Array, limit: number, ofWhat: string) {
  for (let row = 0; row < column.length; row++) {
    if (column[row]! < limit) continue;
    throw new MalformedContent(
      l10n.t(
        'Row {0} of the column {1} points to {2} of {3} {4}, which does not exist.',
        row,
        what,
        column[row]!,
        limit,
        ofWhat,
      ),
    );
  }
}

export const frameName = (frames: FrameTable, frame: number): string => frames.strings[frames.name[frame]!]!;
export const frameModule = (frames: FrameTable, frame: number): string => frames.strings[frames.module[frame]!]!;
export const frameFile = (frames: FrameTable, frame: number): string => frames.strings[frames.file[frame]!]!;
