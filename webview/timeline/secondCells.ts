// What has come for the map of seconds: samples, or waits of all threads, a cell as the engine counts them, and the pixels that show them. Colours are relative
// to the cell with the most samples of those that have come.
import type { ShownTimeRange } from '../../core/selectionMessages.ts';
import type { Timeline } from '../content/timeline.ts';
import { CELL_NS, cellsOf, type Piece, ROWS } from './secondGrid.ts';

/** Shades of a cell with samples, from one to the most. */
export const SHADES = 48;

export interface CellColours {
  readonly nothing: number; // pixels: behind the end of the recording, or not come yet
  readonly empty: number; // no sample
  readonly shades: Uint32Array; // SHADES of them
  readonly quiet: Uint32Array; // the same outside of what is selected
}

export interface CellCounts {
  readonly own: number;
  readonly library: number;
  readonly kernel: number;
  readonly waits?: number; // where waits are shown: how many threads waited, on average
}

export class SecondCells {
  /** By the first cell of its piece. */
  readonly #pieces = new Map<number, Timeline>();
  #most = 1; // samples of a cell, or thousandths of the time that a thread waited

  has({ firstCell }: Piece): boolean {
    return this.#pieces.has(firstCell);
  }

  receive({ firstCell }: Piece, timeline: Timeline) {
    this.#pieces.set(firstCell, timeline);
    const amount = amountsOf(timeline);
    for (let at = 0; at < timeline.columns; at++) this.#most = Math.max(this.#most, amount(at));
  }

  /** What the engine counted in a cell; undefined: it has not come. */
  at(cell: number): CellCounts | undefined {
    for (const [first, piece] of this.#pieces) {
      const { columns, all, shows } = piece;
      const at = cell - first;
      if (at < 0 || at >= columns) continue;
      const samples = { own: all.own[at]!, library: all.library[at]!, kernel: all.kernel[at]! };
      return shows === 'waits' ? { ...samples, waits: amountsOf(piece)(at) / WHOLE } : samples;
    }
    return undefined;
  }

  /** Fills an image of a pixel a cell: seconds from `first` on across, rows down. `selected` undefined: all is. */
  fill(
    pixels: Uint32Array,
    [first, end]: readonly [first: number, end: number],
    endNs: number,
    selected: readonly ShownTimeRange[] | undefined,
    { nothing, empty, shades, quiet }: CellColours,
  ) {
    pixels.fill(nothing);
    const width = end - first;
    const isOut = selected && cellsOutside(selected, first * ROWS, Math.min(end * ROWS, cellsOf(endNs)));
    for (const [firstCell, piece] of this.#pieces) {
      const { columns } = piece;
      const amount = amountsOf(piece);
      const until = Math.min(end * ROWS, firstCell + columns);
      for (let cell = Math.max(first * ROWS, firstCell); cell < until; cell++) {
        const samples = amount(cell - firstCell);
        const place = cell - first * ROWS;
        const [column, row] = [Math.floor(place / ROWS), place % ROWS];
        const faces = isOut?.[place] ? quiet : shades;
        pixels[row * width + column] = samples === 0 ? empty : faces[shadeOf(samples, this.#most)]!;
      }
    }
  }
}

const WHOLE = 1000; // a thread that waits all the time

/** By column, what the strength of a cell is of. */
function amountsOf({ all: { own, library, kernel, waits }, shows }: Timeline): (at: number) => number {
  if (shows !== 'waits') return (at) => own[at]! + library[at]! + kernel[at]!;
  return (at) => (waits?.queued[at] ?? 0) + (waits?.waiting[at] ?? 0);
}

/** The strongest for the most samples; the weakest is still seen. */
export const shadeOf = (samples: number, most: number): number =>
  Math.min(SHADES - 1, Math.floor((samples / most) * SHADES));

/** By cell from `first` on, whether no range has a part of it. */
function cellsOutside(ranges: readonly ShownTimeRange[], first: number, end: number): Uint8Array {
  const isOut = new Uint8Array(Math.max(0, end - first)).fill(1);
  for (const { fromNs, toNs } of ranges) {
    const from = Math.max(0, Math.floor(fromNs / CELL_NS) - first);
    isOut.fill(0, from, Math.max(from, Math.ceil(toNs / CELL_NS) - first));
  }
  return isOut;
}
