// Moving in the tree: parent, heaviest child, siblings, deepest heaviest node. -1 means that there is none.
import type { FlameGraph } from '../content/flameGraph.ts';
import type { Layout } from './layout.ts';

/** The children of a node that have a width, in the order they are drawn; at most `limit`. */
export function childrenOf(
  graph: FlameGraph,
  layout: Layout,
  node: number,
  limit = Number.POSITIVE_INFINITY,
): number[] {
  const children: number[] = [];
  const end = graph.end[node]!;
  for (let child = node + 1; child < end && children.length < limit; child = graph.end[child]!) {
    if (layout.width[child]! > 0) children.push(child);
  }
  return children;
}

export function heaviestChild(graph: FlameGraph, layout: Layout, node: number): number {
  let heaviest = -1;
  const end = graph.end[node]!;
  for (let child = node + 1; child < end; child = graph.end[child]!) {
    if (layout.width[child]! > (heaviest < 0 ? 0 : layout.width[heaviest]!)) heaviest = child;
  }
  return heaviest;
}

/** The sibling after a node, or -1 at the last. */
export function nextSibling(graph: FlameGraph, layout: Layout, node: number): number {
  const up = graph.parent[node]!;
  if (up < 0) return -1;
  for (let sibling = graph.end[node]!; sibling < graph.end[up]!; sibling = graph.end[sibling]!) {
    if (layout.width[sibling]! > 0) return sibling;
  }
  return -1;
}

/** The sibling before a node, or -1 at the first. */
export function previousSibling(graph: FlameGraph, layout: Layout, node: number): number {
  const up = graph.parent[node]!;
  let before = -1;
  for (let sibling = up + 1; up >= 0 && sibling < node; sibling = graph.end[sibling]!) {
    if (layout.width[sibling]! > 0) before = sibling;
  }
  return before;
}

/** The end of the heaviest way down from a node. */
export function deepestHeaviest(graph: FlameGraph, layout: Layout, node: number): number {
  let at = node;
  for (let child = at; child >= 0; child = heaviestChild(graph, layout, at)) at = child;
  return at;
}

/** Frames from the root to a node: what finds the node again in the same profile loaded anew. */
export function pathOf(graph: FlameGraph, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = graph.parent[at]!) path.push(graph.frame[at]!);
  return path.reverse();
}

/** The node at a path of frames; the deepest that still exists, 0 when none does. */
export function nodeAt(graph: FlameGraph, path: readonly number[]): number {
  let node = 0;
  if (graph.count === 0 || path[0] !== graph.frame[0]) return 0;
  for (const frame of path.slice(1)) {
    let child = node + 1;
    while (child < graph.end[node]! && graph.frame[child] !== frame) child = graph.end[child]!;
    if (child >= graph.end[node]!) return node;
    node = child;
  }
  return node;
}

/** Node ids from the root's child down to the node: its ancestors and itself, root first. */
export function ancestorsOf(graph: FlameGraph, node: number): number[] {
  const nodes: number[] = [];
  for (let at = node; at >= 0; at = graph.parent[at]!) nodes.push(at);
  return nodes.reverse();
}
