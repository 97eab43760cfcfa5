// Where each node of a flame graph begins and how wide it is, as shares of the root's width.
import type { Costs, FlameGraph } from '../content/flameGraph.ts';

/**
 * What a comparison's widths mean: the sum of both runs' shares, the base alone, the new run alone, or the absolute
 * changes of self: what grew and what shrank below a node add up there, where its net change would hide them.
 */
export type WidthMode = 'combined' | 'base' | 'new' | 'change';
export const widthModes: readonly WidthMode[] = ['combined', 'base', 'new', 'change'];

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
  if (mode === 'change') return partsOf(graph.churn);
  const base = sharesOf(costs);
  const later = sharesOf(newCosts);
  const whole = (base[0] ?? 0) + (later[0] ?? 0) || 1; // 1 instead of 2 when one run is empty
  return base.map((share, node) => (share + later[node]!) / whole);
}

const sharesOf = ({ total }: Costs): Float64Array => partsOf(total);

/** Of the root's figure; all 0 when that is 0. */
function partsOf(figures: Float64Array): Float64Array {
  const root = figures[0] || 1;
  return figures.map((figure) => figure / root);
}

/** What a node is ordered by where one stands for several: both runs together. Never shown. */
export const weightOf = (graph: FlameGraph, node: number): number =>
  graph.costs.total[node]! + (graph.newCosts?.total[node] ?? 0);

/**
 * Where the base's cost ends in a box, 0 … 1 of its width: beside the new run's cost, so that the middle is no change, or
 * within it where widths are the new run's. NaN where there is no such place.
 */
export function baseMark(graph: FlameGraph, node: number, mode: WidthMode): number {
  const { costs, newCosts } = graph;
  if (!newCosts || mode === 'base') return Number.NaN;
  const base = costs.total[node]!;
  const later = newCosts.total[node]!;
  if (base === 0 || later === 0) return Number.NaN;
  return mode === 'new' ? Math.min(1, base / later) : base / (base + later);
}

/** The topmost nodes that have no width in this mode though one of the runs was in them, largest first. */
export function elidedNodes(graph: FlameGraph, layout: Layout): number[] {
  const nodes: number[] = [];
  let node = 1;
  while (node < graph.count) {
    const elided = layout.width[node] === 0;
    if (elided && weightOf(graph, node) > 0) nodes.push(node);
    node = elided ? graph.end[node]! : node + 1;
  }
  return nodes.sort((a, b) => weightOf(graph, b) - weightOf(graph, a));
}
