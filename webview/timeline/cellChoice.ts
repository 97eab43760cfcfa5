// How a range is chosen on the map of seconds: its first cell and then its second, by clicks, a drag or keys. Pure: a choice and
// what is done in, the next choice and the two cells of a finished range out.

export interface CellChoice {
  readonly cursor: number | undefined; // of the keyboard
  readonly start: number | undefined; // the first cell of a range that is not finished
}

export const NO_CHOICE: CellChoice = { cursor: undefined, start: undefined };

export interface Chosen {
  readonly choice: CellChoice;
  readonly range?: readonly [one: number, other: number];
}

/** The first time begins a range, the second ends it. */
export function chooseCell({ start }: CellChoice, cell: number): Chosen {
  if (start === undefined) return { choice: { cursor: cell, start: cell } };
  return { choice: { cursor: cell, start: undefined }, range: [start, cell] };
}

/** Cells, rows and seconds are steps of the cursor; it stays on the map. */
export function movedCursor({ cursor, start }: CellChoice, by: number, cells: number): CellChoice {
  const at = cursor === undefined ? 0 : cursor + by;
  return { cursor: Math.max(0, Math.min(cells - 1, at)), start };
}
