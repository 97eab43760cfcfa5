// Where a moment is on the map of seconds: a column is a second, a row 20 ms of it, from its beginning at the top. Pure: places in,
// cells and ranges out. A cell is a number: that of its 20 ms since the recording began.
import type { ShownTimeRange } from '../../core/selectionMessages.ts';

export const ROWS = 50; // in a second
export const CELL_NS = 20_000_000;
export const ROW_HEIGHT = 3; // CSS pixels
export const GRID_HEIGHT = ROWS * ROW_HEIGHT;
const SECOND_NS = ROWS * CELL_NS;
const WIDTH_MIN = 3; // CSS pixels of a second
const WIDTH_MAX = 24;
const PIECE_SECONDS = 80; // in one request: 4000 columns of at most 4096
const TICK_ROOM = 70; // CSS pixels a label

/** Of a recording, the cells it has; the last one may be shorter than the others. */
export const cellsOf = (endNs: number): number => Math.ceil(endNs / CELL_NS);
export const secondsOf = (endNs: number): number => Math.ceil(endNs / SECOND_NS);

export interface Grid {
  readonly endNs: number; // of the recording
  readonly secondWidth: number; // CSS pixels
}

/** All seconds in the width if they have room there; else they are scrolled. */
export function gridFor(endNs: number, width: number): Grid {
  const fitting = width / Math.max(1, secondsOf(endNs));
  return { endNs, secondWidth: Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, fitting)) };
}

export const gridWidth = ({ endNs, secondWidth }: Grid): number => Math.ceil(secondsOf(endNs) * secondWidth);

/** The cell at a place, CSS pixels from the upper left corner of the whole map; undefined: there is none. */
export function cellAt({ endNs, secondWidth }: Grid, x: number, y: number): number | undefined {
  const [second, row] = [Math.floor(x / secondWidth), Math.floor(y / ROW_HEIGHT)];
  if (second < 0 || row < 0 || row >= ROWS) return undefined;
  const cell = second * ROWS + row;
  return cell < cellsOf(endNs) ? cell : undefined;
}

/** The same, or the nearest cell: for a drag that has left the map. */
export function nearestCell(grid: Grid, x: number, y: number): number {
  const last = cellsOf(grid.endNs) - 1;
  const second = Math.max(0, Math.min(secondsOf(grid.endNs) - 1, Math.floor(x / grid.secondWidth)));
  const row = Math.max(0, Math.min(ROWS - 1, Math.floor(y / ROW_HEIGHT)));
  return Math.max(0, Math.min(last, second * ROWS + row));
}

/** Upper left corner of a cell on the whole map. */
export const placeOf = ({ secondWidth }: Grid, cell: number): { readonly x: number; readonly y: number } => ({
  x: Math.floor(cell / ROWS) * secondWidth,
  y: (cell % ROWS) * ROW_HEIGHT,
});

/** From the beginning of the earlier cell to the end of the later one. */
export function rangeOfCells(endNs: number, one: number, other: number): ShownTimeRange {
  const [first, last] = one <= other ? [one, other] : [other, one];
  return { fromNs: first * CELL_NS, toNs: Math.min(endNs, (last + 1) * CELL_NS) };
}

/** Seconds that are in view, the last one not. */
export function secondsInView({ endNs, secondWidth }: Grid, left: number, width: number): [first: number, end: number] {
  const first = Math.max(0, Math.floor(left / secondWidth));
  return [first, Math.max(first, Math.min(secondsOf(endNs), Math.ceil((left + width) / secondWidth)))];
}

export interface Piece extends ShownTimeRange {
  readonly firstCell: number;
  readonly columns: number;
}

/**
 * What brings the cells of some seconds: pieces that always begin at the same seconds, so that none is asked for twice. The end of
 * the recording, shorter than a cell, is a piece of its own: all columns of a request are equally long.
 */
export function piecesOf(endNs: number, [first, end]: readonly [first: number, end: number]): Piece[] {
  const whole = Math.floor(endNs / CELL_NS);
  const pieces: Piece[] = [];
  const from = Math.floor(first / PIECE_SECONDS) * PIECE_SECONDS;
  for (let second = from; second < end; second += PIECE_SECONDS) {
    const firstCell = second * ROWS;
    const columns = Math.min(whole, firstCell + PIECE_SECONDS * ROWS) - firstCell;
    if (columns > 0) pieces.push(pieceOf(firstCell, columns, (firstCell + columns) * CELL_NS));
  }
  if (whole < cellsOf(endNs) && end * ROWS > whole) pieces.push(pieceOf(whole, 1, endNs));
  return pieces;
}

const pieceOf = (firstCell: number, columns: number, toNs: number): Piece => ({
  ...{ firstCell, columns, fromNs: firstCell * CELL_NS, toNs },
});

/** Round seconds for labels among those in view. */
export function secondTicks({ secondWidth }: Grid, [first, end]: readonly [number, number]): number[] {
  const least = TICK_ROOM / secondWidth;
  let step = 1;
  for (let i = 0; step < least; i++) step *= i % 3 === 1 ? 2.5 : 2; // 1, 2, 5, 10, 20, 50 …
  const ticks: number[] = [];
  for (let at = Math.ceil(first / step) * step; at < end; at += step) ticks.push(at);
  return ticks;
}
