// The part of the recording that the timeline shows, and where a moment is on it. Times are nanoseconds since the recording
// began, places are CSS pixels from the left edge of the tracks. Always inside 0 … end.
import { scaleLinear } from 'd3-scale';
import type { ShownTimeRange } from '../../core/selectionMessages.ts';

/** A view never gets narrower than this many nanoseconds: a pixel is less than one sample long before. */
export const VIEW_MIN_NS = 1000;
const TICK_ROOM = 90; // pixels a label

export interface TimePlot {
  readonly view: ShownTimeRange;
  readonly width: number; // CSS pixels
}

/** The whole recording; of one that has no length a view of the least width. */
export const wholeView = (endNs: number): ShownTimeRange => ({ fromNs: 0, toNs: Math.max(VIEW_MIN_NS, endNs) });

export const pixelOf = ({ view, width }: TimePlot, ns: number): number =>
  ((ns - view.fromNs) / (view.toNs - view.fromNs)) * width;

/** The moment at a place, a whole number inside the view. */
export function timeAt({ view, width }: TimePlot, pixel: number): number {
  const share = width > 0 ? Math.min(1, Math.max(0, pixel / width)) : 0;
  return Math.round(view.fromNs + share * (view.toNs - view.fromNs));
}

/** Makes the view `factor` times narrower and keeps the moment at `at` (0 … 1 of the view) where it is. */
export function zoomedView(view: ShownTimeRange, factor: number, at: number, endNs: number): ShownTimeRange {
  const long = view.toNs - view.fromNs;
  const wanted = long / factor;
  return viewInside(view.fromNs + (long - wanted) * at, wanted, endNs);
}

/** Moves the view by `by` of its own length. */
export function pannedView(view: ShownTimeRange, by: number, endNs: number): ShownTimeRange {
  const long = view.toNs - view.fromNs;
  return viewInside(view.fromNs + by * long, long, endNs);
}

/** The view moved as little as possible so that a moment is in it. */
export function viewWith(view: ShownTimeRange, ns: number, endNs: number): ShownTimeRange {
  const long = view.toNs - view.fromNs;
  if (ns < view.fromNs) return viewInside(ns, long, endNs);
  return ns > view.toNs ? viewInside(ns - long, long, endNs) : view;
}

/** Round moments for labels, and their distance. */
export function ticksOf({ view, width }: TimePlot): { readonly ticks: readonly number[]; readonly stepNs: number } {
  const count = Math.max(1, Math.floor(width / TICK_ROOM));
  const ticks = scaleLinear().domain([view.fromNs, view.toNs]).ticks(count);
  return { ticks, stepNs: ticks.length > 1 ? ticks[1]! - ticks[0]! : view.toNs - view.fromNs };
}

export const sameRange = (a: ShownTimeRange, b: ShownTimeRange): boolean => a.fromNs === b.fromNs && a.toNs === b.toNs;

export const samePlot = (a: TimePlot, b: TimePlot): boolean => a.width === b.width && sameRange(a.view, b.view);

/** The range of one column of `columns` equal ones. */
export function columnRange(range: ShownTimeRange, columns: number, column: number): ShownTimeRange {
  const step = (range.toNs - range.fromNs) / columns;
  const fromNs = Math.floor(range.fromNs + column * step);
  return { fromNs, toNs: Math.max(fromNs + 1, Math.floor(range.fromNs + (column + 1) * step)) };
}

/** The column that a moment is in, or the nearest. */
export function columnAt(range: ShownTimeRange, columns: number, ns: number): number {
  const share = (ns - range.fromNs) / (range.toNs - range.fromNs);
  return Math.min(columns - 1, Math.max(0, Math.floor(share * columns)));
}

function viewInside(fromNs: number, lengthNs: number, endNs: number): ShownTimeRange {
  const whole = wholeView(endNs);
  const length = Math.min(whole.toNs, Math.max(VIEW_MIN_NS, Math.round(lengthNs)));
  const from = Math.min(whole.toNs - length, Math.max(0, Math.round(fromNs)));
  return { fromNs: from, toNs: from + length };
}
