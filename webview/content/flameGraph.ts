// FlameGraph of protocol/views.proto as a checked tree in columns, with the depths that drawing needs.
// Nodes stand in depth-first order, so a subtree is a range: a node, up to but without its `end`. No recursion anywhere.
import * as l10n from '@vscode/l10n';
import { type Effects, readEffects } from './effects.ts';
import { expectBelow, expectLength, type FrameTable, readFrameTable } from './frameTable.ts';
import {
  type Fields,
  MalformedContent,
  readFields,
  readNumber,
  readString,
  readStrings,
  readUint32Column,
  readUint64Column,
} from './wireReader.ts';

/** What one run, or one side of a comparison, spent in each node. */
export interface Costs {
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly selfSamples: Uint32Array | undefined; // undefined: nobody knows
  readonly totalSamples: Float64Array | undefined;
}

/** Fields of the columns of one side. */
interface CostFields {
  readonly side: '' | 'new_'; // before the columns' names
  readonly self: number;
  readonly selfSamples: number;
  readonly total: number;
  readonly totalSamples: number;
}
const BASE: CostFields = { side: '', self: 7, selfSamples: 8, total: 13, totalSamples: 14 };
const NEW: CostFields = { side: 'new_', self: 9, selfSamples: 10, total: 15, totalSamples: 16 };

export interface FlameGraph {
  readonly frames: FrameTable;
  readonly type: string;
  readonly unit: string;
  readonly per: string; // of a comparison: what values are per
  readonly partNames: readonly string[]; // of a comparison of parts of one run: what base and new are called
  readonly count: number; // of nodes; node 0 is the root; 0: no samples
  readonly parent: Int32Array; // -1 for the root
  readonly depth: Int32Array;
  readonly end: Int32Array; // one after the last node of the subtree
  readonly depthMax: number;
  readonly frame: Uint32Array;
  readonly line: Uint32Array; // hottest line at this place; 0: unknown
  readonly isComplete: boolean; // all events are in it: as long as nothing is compared, no count is few
  readonly costs: Costs; // of the run, or of the base
  readonly newCosts: Costs | undefined; // of the new run, in a comparison
  readonly churn: Float64Array; // of a comparison: what changed in each node and below, whatever its sign; else empty
  readonly effects: Effects | undefined; // of each node's total, in a comparison whose engine says them
  readonly prunedNodes: number;
  readonly largestModules: Uint32Array; // index into the frames' strings, by self, largest first
}

/** Reads and checks an encoded FlameGraph. Throws `MalformedContent` with a sentence. */
export function readFlameGraph(bytes: Uint8Array): FlameGraph {
  const fields = readFields(bytes);
  const frames = readFrameTable(fields, 1);
  const distance = readUint32Column(fields, 4);
  const frame = readUint32Column(fields, 5);
  const line = readUint32Column(fields, 6);
  const count = distance.length;
  expectLength('frame', frame, count);
  expectLength('line', line, count);
  expectBelow('frame', frame, frames.count, 'frames');

  const has = (field: number) => fields.spans.has(field) || fields.varints.has(field);
  const known = readNumber(fields, 19) === 0;
  const compared = has(NEW.self) || has(NEW.selfSamples);
  const parent = parentsOf(distance);
  const { depth, end, depthMax } = shapeOf(parent);
  const churn = readUint64Column(fields, 17);
  if (compared) expectLength('churn', churn, count);
  return {
    frames,
    type: readString(fields, 2),
    unit: readString(fields, 3),
    per: readString(fields, 20),
    partNames: readStrings(fields, 21),
    count,
    parent,
    depth,
    end,
    depthMax,
    frame,
    line,
    isComplete: readNumber(fields, 22) !== 0,
    costs: costsOf(fields, BASE, count, known),
    newCosts: compared ? costsOf(fields, NEW, count, known) : undefined,
    churn,
    effects: compared ? readEffects(fields, 12, count) : undefined,
    prunedNodes: readNumber(fields, 11),
    largestModules: modulesOf(fields, frames),
  };
}

function modulesOf(fields: Fields, frames: FrameTable): Uint32Array {
  const modules = readUint32Column(fields, 18);
  expectBelow('largest_modules', modules, frames.strings.length, 'strings');
  return modules;
}

/** Parents by node; refuses what is not one tree in depth-first order. */
function parentsOf(distance: Uint32Array): Int32Array {
  const parent = new Int32Array(distance.length).fill(-1);
  if (distance.length > 0 && distance[0] !== 0) {
    throw new MalformedContent(
      l10n.t('Node 0 must be the root, but says that its parent is {0} nodes before it.', distance[0]!),
    );
  }
  for (let node = 1; node < distance.length; node++) {
    const up = node - distance[node]!;
    if (distance[node] === 0 || up < 0) {
      throw new MalformedContent(l10n.t('Node {0} has no parent before it (distance {1}).', node, distance[node]!));
    }
    // In depth-first order the parent is the node before or one of its ancestors. Each step up leaves a finished
    // subtree for good, so all nodes together take as many steps as there are nodes.
    let ancestor = node - 1;
    while (ancestor > up) ancestor = parent[ancestor]!;
    if (ancestor !== up) throw new MalformedContent(l10n.t('Node {0} is not in depth-first order.', node));
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

/** `known`: how many samples there were; the columns are all 0 otherwise. */
function costsOf(fields: Fields, { side, ...at }: CostFields, count: number, known: boolean): Costs {
  const self = readUint64Column(fields, at.self);
  const selfSamples = readUint32Column(fields, at.selfSamples);
  const total = readUint64Column(fields, at.total);
  const totalSamples = readUint64Column(fields, at.totalSamples);
  const columns = { self_value: self, self_samples: selfSamples, total_value: total, total_samples: totalSamples };
  for (const [name, column] of Object.entries(columns)) expectLength(`${side}${name}`, column, count);
  // A node that calls nothing has a 0 there: its total is its self.
  for (let node = 0; node < count; node++) {
    total[node] ||= self[node]!;
    totalSamples[node] ||= selfSamples[node]!;
  }
  return known
    ? { self, total, selfSamples, totalSamples }
    : { self, total, selfSamples: undefined, totalSamples: undefined };
}
