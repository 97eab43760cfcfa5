// The part of the root's width in view, and how zooming and panning move it. Always inside 0 … 1.
import type { FlameGraph } from '../content/flameGraph.ts';
import type { Layout } from './layout.ts';

export interface Span {
  readonly left: number;
  readonly width: number;
}

export const WHOLE: Span = { left: 0, width: 1 };

/** A span never gets narrower: below it, positions lose the digits that a pixel needs. */
export const WIDTH_MIN = 2 ** -40;

/** Makes the span `factor` times narrower and keeps what is at `at` (0 … 1 of the span) where it is. */
export function zoomed(span: Span, factor: number, at: number): Span {
  const width = Math.min(1, Math.max(WIDTH_MIN, span.width / factor));
  return inside({ left: span.left + (span.width - width) * at, width });
}

/** Moves the span by `by` of its own width. */
export const panned = (span: Span, by: number): Span =>
  inside({ left: span.left + by * span.width, width: span.width });

/** The span that a node fills. A node of no width gives its parent's. */
export function spanOf(graph: FlameGraph, layout: Layout, node: number): Span {
  let shown = node;
  while (shown > 0 && layout.width[shown]! < WIDTH_MIN) shown = graph.parent[shown]!;
  return shown <= 0 ? WHOLE : inside({ left: layout.start[shown]!, width: layout.width[shown]! });
}

/** The span moved so far that `target` is in view; unchanged when a part of it is already seen well. */
export function revealing(span: Span, target: Span): Span {
  const seen = Math.min(span.left + span.width, target.left + target.width) - Math.max(span.left, target.left);
  if (seen > 0 && (seen >= target.width * 0.999 || seen >= span.width * 0.3)) return wideEnough(span, target);
  const left = target.left + target.width / 2 - span.width / 2;
  return wideEnough(inside({ left, width: span.width }), target);
}

/** One moment of the way between two spans; widths change evenly to the eye when their logarithm does. */
export function between(from: Span, to: Span, t: number): Span {
  if (t >= 1) return to;
  const width = from.width * (to.width / from.width) ** t;
  const change = to.width - from.width;
  const share = Math.abs(change) < 1e-15 ? t : (width - from.width) / change;
  return inside({ left: from.left + (to.left - from.left) * share, width });
}

export const sameSpan = (a: Span, b: Span): boolean => a.left === b.left && a.width === b.width;

/** Narrows a span in which the target would be too small to see (under 1/400). */
function wideEnough(span: Span, target: Span): Span {
  if (target.width >= span.width / 400 || target.width === 0) return span;
  const width = Math.max(WIDTH_MIN, target.width * 20);
  return inside({ left: target.left + target.width / 2 - width / 2, width });
}

function inside({ left, width }: Span): Span {
  const bounded = Math.min(1, Math.max(WIDTH_MIN, width));
  return { left: Math.min(1 - bounded, Math.max(0, left)), width: bounded };
}
