// Finds a function of one view in another: the graph and the tables have frame tables of their own, so a function is
// known by its name and module.

import type { NamedFunction } from '../../core/namedFunction.ts';
import type { FlameGraph } from '../content/flameGraph.ts';
import { type FrameTable, frameModule, frameName } from '../content/frameTable.ts';
import { weightOf } from '../graph/layout.ts';

const keyOf = (frames: FrameTable, frame: number): string =>
  `${frameModule(frames, frame)}\0${frameName(frames, frame)}`;

/** Rows of a table by function; the first row of several, which is the heaviest. */
export function rowsByFunction(table: FrameTable): (frames: FrameTable, frame: number) => number {
  const rows = new Map<string, number>();
  for (let row = table.count - 1; row >= 0; row--) rows.set(keyOf(table, row), row);
  return (frames, frame) => rows.get(keyOf(frames, frame)) ?? -1;
}

/** The heaviest node of each function, by what base and new run together spent below it. */
export function nodesByFunction(graph: FlameGraph): (frames: FrameTable, frame: number) => number {
  const heaviest = new Int32Array(graph.frames.count).fill(-1);
  for (let node = 0; node < graph.count; node++) {
    const frame = graph.frame[node]!;
    if (heaviest[frame] === -1 || weightOf(graph, node) > weightOf(graph, heaviest[frame]!)) heaviest[frame] = node;
  }
  const nodes = new Map<string, number>();
  for (let frame = 0; frame < graph.frames.count; frame++) {
    const node = heaviest[frame]!;
    if (node < 0) continue;
    const key = keyOf(graph.frames, frame);
    const known = nodes.get(key);
    if (known === undefined || weightOf(graph, node) > weightOf(graph, known)) nodes.set(key, node);
  }
  return (frames, frame) => nodes.get(keyOf(frames, frame)) ?? -1;
}

/** Whether it is this function; an empty module is any. */
const isNamed = (frames: FrameTable, frame: number, { name, module }: NamedFunction): boolean =>
  frameName(frames, frame) === name && (module === '' || frameModule(frames, frame) === module);

/** The first frame of this function; -1: none. */
export function frameNamed(frames: FrameTable, named: NamedFunction): number {
  for (let frame = 0; frame < frames.count; frame++) if (isNamed(frames, frame, named)) return frame;
  return -1;
}

/** The heaviest node of this function; -1: none. */
export function nodeNamed(graph: FlameGraph, named: NamedFunction): number {
  let found = -1;
  for (let node = 0; node < graph.count; node++) {
    if (!isNamed(graph.frames, graph.frame[node]!, named)) continue;
    if (found < 0 || graph.costs.total[node]! > graph.costs.total[found]!) found = node;
  }
  return found;
}

/** The functions from the root to a node; the root itself is none. */
export function namesOfPath({ frames, frame, parent }: FlameGraph, node: number): NamedFunction[] {
  const names: NamedFunction[] = [];
  for (let at = node; at > 0; at = parent[at]!)
    names.unshift({ name: frameName(frames, frame[at]!), module: frameModule(frames, frame[at]!) });
  return names;
}

/** The node at the end of a path of functions from the root; -1: this graph has no such path. */
export function nodeAtNames(graph: FlameGraph, path: readonly NamedFunction[]): number {
  let node = 0;
  for (const { name, module } of path) {
    let found = -1;
    for (let child = node + 1; child < graph.end[node]! && found < 0; child = graph.end[child]!) {
      const frame = graph.frame[child]!;
      if (frameName(graph.frames, frame) === name && frameModule(graph.frames, frame) === module) found = child;
    }
    if (found < 0) return -1;
    node = found;
  }
  return node;
}
