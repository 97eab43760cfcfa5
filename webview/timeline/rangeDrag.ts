// What a drag on the timeline selects: a new range, one more range, or a range with one end moved. Pure: places in, ranges out.
import type { ShownTimeRange } from '../../core/selectionMessages.ts';
import { TIMES_LIMIT } from '../../core/selectionMessages.ts';
import { mergedRanges } from './timeRanges.ts';
import { pixelOf, type TimePlot, timeAt } from './timeView.ts';

/** CSS pixels beside an end of a range in which a drag takes hold of it. */
export const GRIP = 5;

export interface RangeDrag {
  readonly fixedNs: number; // the end that stays
  readonly kept: readonly ShownTimeRange[]; // ranges that the drag does not change
  readonly moves: boolean; // an end that was there before
}

/** An end of a range within reach of a place; undefined: none. */
export function endAt(plot: TimePlot, ranges: readonly ShownTimeRange[], place: number) {
  let found: { range: ShownTimeRange; fixedNs: number } | undefined;
  let nearest = GRIP;
  for (const range of ranges)
    for (const [ns, fixedNs] of [
      [range.toNs, range.fromNs],
      [range.fromNs, range.toNs],
    ] as const) {
      const distance = Math.abs(pixelOf(plot, ns) - place);
      if (distance > nearest || (distance === nearest && found)) continue;
      nearest = distance;
      found = { range, fixedNs };
    }
  return found;
}

/** A drag that begins at a place; `adding` keeps the ranges that are there. */
export function beginDrag(
  plot: TimePlot,
  ranges: readonly ShownTimeRange[],
  place: number,
  adding: boolean,
): RangeDrag {
  const end = adding ? undefined : endAt(plot, ranges, place);
  if (end) return { fixedNs: end.fixedNs, kept: ranges.filter((range) => range !== end.range), moves: true };
  return { fixedNs: timeAt(plot, place), kept: adding ? ranges.slice(0, TIMES_LIMIT - 1) : [], moves: false };
}

/** The ranges once the drag has come to a moment. */
export const draggedTo = ({ fixedNs, kept }: RangeDrag, ns: number): ShownTimeRange[] =>
  mergedRanges([...kept, { fromNs: Math.min(fixedNs, ns), toNs: Math.max(fixedNs, ns) }]);
