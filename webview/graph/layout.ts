// Where each node of a flame graph begins and how wide it is, as shares of the root's width.
import type { Costs, FlameGraph } from '../content/flameGraph.ts';

/** What a comparison's widths mean: the sum of both runs' shares, the base alone or the new run alone. */
export type WidthMode = 'combined' | 'base' | 'new';
export const widthModes: readonly WidthMode[] = ['combined', 'base', 'new'];

export interface Layout {
  readonly start: Float64Array; // 0 … 1
  readonly width: Float64Array; // the root's is 1; all are 0 when nothing was measured
  readonly childrenEnd: Float64Array; // where a node's last child ends
  readonly heaviestFirst: boolean; // no node is wider than the sibling before it
}

/** Children stand side by side from their parent's start; what is left of the parent at its end is its self cost. */
export function layoutOf(graph: FlameGraph, mode: WidthMode): Layout {
  const width = widthsOf(graph, mode);
  const start = new Float64Array(graph.count);
  const childrenEnd = new Float64Array(graph.count);
  const lastWidth = new Float64Array(graph.count).fill(Number.POSITIVE_INFINITY); // of the child placed last
  let heaviestFirst = true;
  for (let node = 1; node < graph.count; node++) {
    const up = graph.parent[node]!;
    start[node] = childrenEnd[up]!;
    childrenEnd[node] = start[node]!;
    childrenEnd[up] = childrenEnd[up]! + width[node]!;
    if (width[node]! > lastWidth[up]!) heaviestFirst = false;
    lastWidth[up] = width[node]!;
  }
  return { start, width, childrenEnd, heaviestFirst };
}

function widthsOf(graph: FlameGraph, mode: WidthMode): Float64Array {
  const { costs, newCosts } = graph;
  if (!newCosts) return sharesOf(costs);
  if (mode === 'base') return sharesOf(costs);
  if (mode === 'new') return sharesOf(newCosts);
  const base = sharesOf(costs);
  const later = sharesOf(newCosts);
  const whole = (base[0] ?? 0) + (later[0] ?? 0) || 1; // 1 instead of 2 when one run is empty
  return base.map((share, node) => (share + later[node]!) / whole);
}

function sharesOf({ total }: Costs): Float64Array {
  const root = total[0] || 1;
  return total.map((value) => value / root);
}
