// FlameGraph of protocol/views.proto as a checked tree in columns, with the totals and depths that drawing needs.
// Nodes stand in depth-first order, so a subtree is a range: a node, up to but without its `end`. No recursion anywhere.
import { type Effects, readEffects } from './effects.ts';
import { expectBelow, expectLength, type FrameTable, readFrameTable } from './frameTable.ts';
import {
  MalformedContent,
  readFields,
  readNumber,
  readString,
  readUint32Column,
  readUint64Column,
} from './wireReader.ts';

/** What one run, or one side of a comparison, spent in each node. */
export interface Costs {
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly selfSamples: Uint32Array;
  readonly totalSamples: Float64Array;
}

export interface FlameGraph {
  readonly frames: FrameTable;
  readonly type: string;
  readonly unit: string;
  readonly count: number; // of nodes; node 0 is the root; 0: no samples
  readonly parent: Int32Array; // -1 for the root
  readonly depth: Int32Array;
  readonly end: Int32Array; // one after the last node of the subtree
  readonly depthMax: number;
  readonly frame: Uint32Array;
  readonly line: Uint32Array; // hottest line at this place; 0: unknown
  readonly costs: Costs; // of the run, or of the base
  readonly newCosts: Costs | undefined; // of the new run, in a comparison
  readonly effects: Effects | undefined; // of each node's total, in a comparison whose engine says them
  readonly prunedNodes: number;
}

/** Reads and checks an encoded FlameGraph. Throws `MalformedContent` with a sentence. */
export function readFlameGraph(bytes: Uint8Array): FlameGraph {
  const fields = readFields(bytes);
  const frames = readFrameTable(fields, 1);
  const distance = readUint32Column(fields, 4);
  const frame = readUint32Column(fields, 5);
  const line = readUint32Column(fields, 6);
  const self = readUint64Column(fields, 7);
  const selfSamples = readUint32Column(fields, 8);
  const newSelf = readUint64Column(fields, 9);
  const newSelfSamples = readUint32Column(fields, 10);
  const count = distance.length;
  expectLength('frame', frame, count);
  expectLength('line', line, count);
  expectLength('self_value', self, count);
  expectLength('self_samples', selfSamples, count);
  expectBelow('frame', frame, frames.count, 'frames');

  const compared = newSelf.length > 0 || newSelfSamples.length > 0;
  if (compared) {
    expectLength('new_self_value', newSelf, count);
    expectLength('new_self_samples', newSelfSamples, count);
  }
  const parent = parentsOf(distance);
  const { depth, end, depthMax } = shapeOf(parent);
  return {
    frames,
    type: readString(fields, 2),
    unit: readString(fields, 3),
    count,
    parent,
    depth,
    end,
    depthMax,
    frame,
    line,
    costs: costsOf(parent, self, selfSamples),
    newCosts: compared ? costsOf(parent, newSelf, newSelfSamples) : undefined,
    effects: compared ? readEffects(fields, 12, count) : undefined,
    prunedNodes: readNumber(fields, 11),
  };
}

/** Parents by node; refuses what is not one tree in depth-first order. */
function parentsOf(distance: Uint32Array): Int32Array {
  const parent = new Int32Array(distance.length).fill(-1);
  if (distance.length > 0 && distance[0] !== 0) {
    throw new MalformedContent(`Node 0 must be the root, but says that its parent is ${distance[0]} nodes before it.`);
  }
  for (let node = 1; node < distance.length; node++) {
    const up = node - distance[node]!;
    if (distance[node] === 0 || up < 0) {
      throw new MalformedContent(`Node ${node} has no parent before it (distance ${distance[node]}).`);
    }
    // In depth-first order the parent is the node before or one of its ancestors. Each step up leaves a finished
    // subtree for good, so all nodes together take as many steps as there are nodes.
    let ancestor = node - 1;
    while (ancestor > up) ancestor = parent[ancestor]!;
    if (ancestor !== up) throw new MalformedContent(`Node ${node} is not in depth-first order.`);
    parent[node] = up;
  }
  return parent;
}

function shapeOf(parent: Int32Array) {
  const count = parent.length;
  const depth = new Int32Array(count);
  const end = new Int32Array(count);
  let depthMax = 0;
  for (let node = 1; node < count; node++) {
    depth[node] = depth[parent[node]!]! + 1;
    if (depth[node]! > depthMax) depthMax = depth[node]!;
  }
  for (let node = count - 1; node >= 0; node--) {
    if (end[node] === 0) end[node] = node + 1;
    const up = parent[node]!;
    if (up >= 0 && end[up] === 0) end[up] = end[node]!; // the last child comes first on the way back
  }
  return { depth, end, depthMax };
}

function costsOf(parent: Int32Array, self: Float64Array, selfSamples: Uint32Array): Costs {
  const total = Float64Array.from(self);
  const totalSamples = Float64Array.from(selfSamples);
  for (let node = parent.length - 1; node > 0; node--) {
    const up = parent[node]!;
    total[up] = total[up]! + total[node]!;
    totalSamples[up] = totalSamples[up]! + totalSamples[node]!;
  }
  if (total.length > 0 && total[0]! > Number.MAX_SAFE_INTEGER) {
    throw new MalformedContent('The values of the flame graph add up to more than 2^53.');
  }
  return { self, total, selfSamples, totalSamples };
}
