// Columns of tables whose rows are places in source text with figures.
import { type FrameTable, frameFile, frameName } from '../content/frameTable.ts';
import { fillNotedFunction, fillText } from './cells.ts';
import { compareNumbers, compareTexts } from './functionColumns.ts';
import type { TableColumn } from './virtualTable.ts';

export const numberColumn = (
  id: string,
  title: string,
  hint: string,
  values: ArrayLike<number>,
  text: (value: number) => string,
): TableColumn => ({
  ...{ id, title, hint, numeric: true },
  compare: (a, b) => compareNumbers(values[a]!, values[b]!),
  fill: (cell, row) => fillText(cell, text(values[row]!)),
});

/** Function and line of each row; `unknown` says why a row has none. */
export const placeColumn = (
  id: string,
  title: string,
  hint: string,
  frames: FrameTable,
  unknown: (row: number) => string,
): TableColumn => ({
  ...{ id, title, hint, numeric: false },
  compare: (a, b) => compareTexts(placeText(frames, a), placeText(frames, b)),
  fill: (cell, row) => {
    const name = frameName(frames, row);
    if (name === '') return fillUnknown(cell, unknown(row));
    fillNotedFunction(cell, { name, short: name, note: shortPlace(frames, row) });
    cell.title = placeText(frames, row);
    cell.classList.remove('unknown');
  },
});

function fillUnknown(cell: HTMLElement, words: string) {
  fillNotedFunction(cell, { name: words, short: '', note: words });
  cell.classList.add('unknown');
}

/** "turns.c:7". */
export function shortPlace(frames: FrameTable, row: number): string {
  const name = frameFile(frames, row).split('/').at(-1)!;
  return name && frames.line[row]! > 0 ? `${name}:${frames.line[row]!}` : name;
}

/** The name, and on a line of its own "/src/turns.c:7". */
export function placeText(frames: FrameTable, row: number): string {
  const file = frameFile(frames, row);
  const line = frames.line[row]!;
  return `${frameName(frames, row)}\n${line > 0 ? `${file}:${line}` : file}`.trim();
}
