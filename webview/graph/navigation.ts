// Moving in the tree: parent, heaviest child, siblings, deepest heaviest node. -1 means that there is none.
import { visibleText } from '../../core/foreignText.ts';
import type { FlameGraph } from '../content/flameGraph.ts';
import { FrameKind, frameName, isKernel } from '../content/frameTable.ts';
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

/** Of the children that are allowed; -1 when there is none with a width. */
export function heaviestChild(
  graph: FlameGraph,
  layout: Layout,
  node: number,
  allowed: (child: number) => boolean = () => true,
): number {
  let heaviest = -1;
  const end = graph.end[node]!;
  for (let child = node + 1; child < end; child = graph.end[child]!) {
    if (layout.width[child]! > (heaviest < 0 ? 0 : layout.width[heaviest]!) && allowed(child)) heaviest = child;
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

/**
 * The end of the heaviest path of the program's own frames: what the kernel does for the last of them is below it. From
 * a frame of the kernel, or where nothing else is called, the path goes on in the kernel. Interrupts are on no path.
 */
export function endOfHeaviestPath(graph: FlameGraph, layout: Layout, node: number): number {
  const { frames, frame } = graph;
  const kindOf = (at: number) => frames.kind[frame[at]!]!;
  const isCall = (at: number) => kindOf(at) !== FrameKind.interrupts;
  const isUser = (at: number) => !isKernel(kindOf(at));
  const staysInUser = isUser(node) && heaviestChild(graph, layout, node, isUser) >= 0;
  let end = node;
  for (let at = node; at >= 0; at = heaviestChild(graph, layout, at, staysInUser ? isUser : isCall)) end = at;
  return end;
}

/** Frames from the root to a node: what finds the node again in the same profile loaded anew. */
export function pathOf(graph: FlameGraph, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = graph.parent[at]!) path.push(graph.frame[at]!);
  return path.reverse();
}

/** The names from the root's child to a node, as `a;b;c`: one line of folded stacks. */
export function foldedStack(graph: FlameGraph, node: number): string {
  const names = ancestorsOf(graph, node).slice(1);
  return names
    .map((at) => visibleText(frameName(graph.frames, graph.frame[at]!), 1 << 12).replaceAll(';', ':'))
    .join(';');
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
