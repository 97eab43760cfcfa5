// Contents as the engine would send them, for tests and measurements: trees drawn as indented text, and large random ones.
import { wire } from '../../core/wire.ts';

export interface NodeSpec {
  readonly name: string;
  readonly self: number; // samples; a sample is a millisecond
  readonly newSelf?: number;
  readonly module?: string;
  readonly kind?: number;
  readonly file?: string;
  readonly collapsed?: boolean;
  readonly line?: number;
  readonly children?: readonly NodeSpec[];
}

const MS = 1_000_000;

/** One row of Effects; what is left out cannot be said. */
export interface EffectSpec {
  readonly verdict: number;
  readonly change?: number;
  readonly low?: number;
  readonly high?: number;
  readonly q?: number;
}

export function effectsOf(rows: readonly EffectSpec[]) {
  const column = (name: 'change' | 'low' | 'high' | 'q') => rows.map((row) => row[name] ?? Number.NaN);
  return {
    change: column('change'),
    low: column('low'),
    high: column('high'),
    q: column('q'),
    verdict: rows.map(({ verdict }) => verdict),
  };
}

/** Strings numbered as they come; 0 is the empty one. */
export class Strings {
  readonly list: string[] = [''];
  readonly #ids = new Map([['', 0]]);
  id(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.list.push(text) - 1;
      this.#ids.set(text, id);
    }
    return id;
  }
}

/** Frames numbered as they come, by name, module and kind. */
class Frames {
  readonly strings = new Strings();
  readonly columns = { name: [], module: [], file: [], line: [], kind: [], collapsed: [] } as Record<string, number[]>;
  readonly #ids = new Map<string, number>();
  id({ name, module = 'shop', kind = 0, file = '', line = 0, collapsed = false }: Omit<NodeSpec, 'self'>): number {
    const key = `${name}\0${module}\0${kind}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.columns.name!.push(this.strings.id(name)) - 1;
      this.columns.module!.push(this.strings.id(module));
      this.columns.file!.push(this.strings.id(file));
      this.columns.line!.push(line);
      this.columns.kind!.push(kind);
      if (collapsed) this.columns.collapsed!.push(id);
      this.#ids.set(key, id);
    }
    return id;
  }
  table() {
    return { strings: this.strings.list, ...this.columns };
  }
}

/** What may be said of a base and a new count of samples. */
export type Judge = (base: number, later: number) => EffectSpec;

/** The FlameGraph of one run; `compared` adds the columns of the new run, `judge` the effects of each node's total. */
export function graphContent(root: NodeSpec, compared = false, judge?: Judge): Uint8Array {
  const frames = new Frames();
  const parentDistance: number[] = [];
  const frame: number[] = [];
  const line: number[] = [];
  const self: number[] = [];
  const newSelf: number[] = [];
  const stack: { spec: NodeSpec; parent: number }[] = [{ spec: root, parent: -1 }];
  while (stack.length > 0) {
    const { spec, parent } = stack.pop()!;
    const node = parentDistance.push(parent < 0 ? 0 : parentDistance.length - parent) - 1;
    frame.push(frames.id(parent < 0 ? { name: 'all', module: '', kind: 4 } : spec));
    line.push(spec.line ?? 0);
    self.push(spec.self);
    newSelf.push(spec.newSelf ?? 0);
    for (const child of [...(spec.children ?? [])].reverse()) stack.push({ spec: child, parent: node });
  }
  return wire.FlameGraph.encode({
    frames: frames.table(),
    type: 'cpu',
    unit: 'nanoseconds',
    parentDistance,
    frame,
    line,
    ...columnsOf('', parentDistance, self),
    ...(compared ? { ...columnsOf('new', parentDistance, newSelf), ...churnOf(parentDistance, self, newSelf) } : {}),
    ...(judge
      ? { totalEffects: effectsOf(totalsOf(parentDistance, self, newSelf).map((both) => judge(...both))) }
      : {}),
  }).finish();
}

/** Self and total of one side as the engine sends them: the total of a node that calls nothing is 0. */
function columnsOf(side: '' | 'new', parentDistance: readonly number[], self: readonly number[]) {
  const totals = totalsOf(parentDistance, self, self).map(([total]) => total);
  const sent = totals.map((total, node) => (node > 0 && parentDistance[node + 1] !== 1 ? 0 : total));
  const columns = { selfValue: self.map(ofMs), selfSamples: self, totalValue: sent.map(ofMs), totalSamples: sent };
  const named = (name: string) => (side === '' ? name : `${side}${name[0]!.toUpperCase()}${name.slice(1)}`);
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [named(name), column]));
}

const ofMs = (samples: number): number => samples * MS;

function churnOf(parentDistance: readonly number[], self: readonly number[], newSelf: readonly number[]) {
  const changes = self.map((base, node) => Math.abs(newSelf[node]! - base));
  return { churn: totalsOf(parentDistance, changes, changes).map(([total]) => total * MS) };
}

function totalsOf(parentDistance: readonly number[], self: readonly number[], newSelf: readonly number[]) {
  const totals = self.map((base, node): [number, number] => [base, newSelf[node]!]);
  for (let node = totals.length - 1; node > 0; node--) {
    const parent = totals[node - parentDistance[node]!]!;
    parent[0] += totals[node]![0];
    parent[1] += totals[node]![1];
  }
  return totals;
}

export interface RowSpec {
  readonly name: string;
  readonly self: number;
  readonly total: number;
  readonly module?: string;
  readonly kind?: number;
  readonly file?: string;
  readonly collapsed?: boolean;
  readonly line?: number;
}

export function functionsContent(rows: readonly RowSpec[], totalSamples: number): Uint8Array {
  const frames = new Frames();
  for (const row of rows) frames.id(row);
  return wire.FunctionTable.encode({
    frames: frames.table(),
    type: 'cpu',
    unit: 'nanoseconds',
    totalValue: totalSamples * MS,
    totalSamples,
    selfValue: rows.map(({ self }) => self * MS),
    totalValueOfRow: rows.map(({ total }) => total * MS),
    selfSamples: rows.map(({ self }) => self),
    totalSamplesOfRow: rows.map(({ total }) => total),
  }).finish();
}

export interface ComparedRowSpec {
  readonly name: string;
  readonly base: readonly [self: number, total: number];
  readonly later: readonly [self: number, total: number];
  readonly verdict: number;
  readonly file?: string;
  readonly collapsed?: boolean;
  readonly line?: number;
  readonly baseLine?: number;
  readonly note?: string;
}

/** A ComparedTable; with `judge` it has effects, and what each row contributes to the difference of the totals. */
export function comparedContent(
  rows: readonly ComparedRowSpec[],
  totals: readonly [number, number],
  judge?: Judge,
): Uint8Array {
  const frames = new Frames();
  const lines = rows.some(({ line }) => line);
  rows.forEach((row, i) => {
    frames.id({ ...row, kind: 0, name: lines ? `${row.name}` : row.name, module: lines ? `shop` : 'shop' });
    if (frames.columns.name!.length === i) {
      // two lines of one function: a row each
      for (const [column, value] of Object.entries({
        name: frames.strings.id(row.name),
        module: frames.strings.id('shop'),
        file: frames.strings.id(row.file ?? ''),
        line: row.line ?? 0,
        kind: 0,
      })) {
        frames.columns[column]!.push(value);
      }
    }
  });
  const notes = rows.map(({ note = '' }) => frames.strings.id(note));
  const pick = (side: 'base' | 'later', which: 0 | 1) => rows.map((row) => row[side][which]);
  const ms = (column: number[]) => column.map((samples) => samples * MS);
  return wire.ComparedTable.encode({
    frames: frames.table(),
    unit: 'nanoseconds',
    per: 'run',
    baseTotal: totals[0] * MS,
    newTotal: totals[1] * MS,
    baseTotalSamples: totals[0],
    newTotalSamples: totals[1],
    baseSelf: ms(pick('base', 0)),
    newSelf: ms(pick('later', 0)),
    baseTotalOfRow: ms(pick('base', 1)),
    newTotalOfRow: ms(pick('later', 1)),
    baseSelfSamples: pick('base', 0),
    newSelfSamples: pick('later', 0),
    baseTotalSamplesOfRow: pick('base', 1),
    newTotalSamplesOfRow: pick('later', 1),
    verdict: rows.map(({ verdict }) => verdict),
    baseLine: rows.map(({ baseLine = 0 }) => baseLine),
    ...(judge
      ? {
          selfEffects: effectsOf(rows.map(({ base, later }) => judge(base[0], later[0]))),
          totalEffects: effectsOf(rows.map(({ base, later }) => judge(base[1], later[1]))),
          note: notes,
          contribution: rows.map(({ base, later }) => (later[0] - base[0]) / (totals[1] - totals[0])),
        }
      : {}),
  }).finish();
}

/** The same of a measure of memory: in bytes, and nobody knows of how many samples. */
export function uncountedGraph(content: Uint8Array): Uint8Array {
  const { frames, selfSamples, totalSamples, newSelfSamples, newTotalSamples, ...graph } =
    wire.FlameGraph.decode(content);
  const counts = {
    ...{ selfSamples: zeros(selfSamples), totalSamples: zeros(totalSamples) },
    ...{ newSelfSamples: zeros(newSelfSamples), newTotalSamples: zeros(newTotalSamples) },
  };
  return wire.FlameGraph.encode({ ...graph, ...MEMORY, frames: frames ?? null, ...counts }).finish();
}

export function uncountedFunctions(content: Uint8Array): Uint8Array {
  const { frames, selfSamples, totalSamplesOfRow, ...table } = wire.FunctionTable.decode(content);
  const counts = { totalSamples: 0, selfSamples: zeros(selfSamples), totalSamplesOfRow: zeros(totalSamplesOfRow) };
  return wire.FunctionTable.encode({ ...table, ...MEMORY, frames: frames ?? null, ...counts }).finish();
}

export function uncountedRows(content: Uint8Array): Uint8Array {
  const table = wire.ComparedTable.decode(content);
  const none = new Array<number>(table.frames!.name!.length).fill(0);
  const selfCounts = { baseSelfSamples: none, newSelfSamples: none };
  const counts = { ...selfCounts, baseTotalSamplesOfRow: none, newTotalSamplesOfRow: none };
  const { unit, samplesUnknown } = MEMORY;
  return wire.ComparedTable.encode({ ...table, unit, samplesUnknown, ...counts }).finish();
}

const MEMORY = { type: 'inuse_space', unit: 'bytes', samplesUnknown: true };
const zeros = (counts: readonly number[] | undefined) => (counts ?? []).map(() => 0);

/** A random tree of about `nodes` nodes and `samples` samples, the same for the same numbers. */
export function randomGraph(
  nodes: number,
  samples: number,
  compared = false,
): { graph: Uint8Array; functions: Uint8Array } {
  const random = generator(nodes);
  const names = Math.min(20_000, Math.max(10, nodes / 5)) | 0;
  const frames = new Frames();
  frames.id({ name: 'all', module: '', kind: 4 });
  for (let i = 0; i < names; i++) frames.id(randomFrame(i, random));

  const parents = new Int32Array(nodes);
  const depths = new Int32Array(nodes);
  const weights = new Float64Array(nodes);
  for (let node = 1; node < nodes; node++) {
    // Mostly on from where we are, now and then back to somewhere: deep stacks with broad tops, as programs have.
    let parent = random() < 0.72 ? node - 1 : Math.floor(random() ** 2 * node);
    while (depths[parent]! > 60) parent = parents[parent]!;
    parents[node] = parent;
    depths[node] = depths[parent]! + 1;
  }
  for (let i = 0; i < samples; i++) weights[Math.floor(random() ** 1.6 * nodes)]! += 1;
  return encodeTree(parents, weights, frames, names, random, compared);
}

function encodeTree(
  parents: Int32Array,
  weights: Float64Array,
  frames: Frames,
  names: number,
  random: () => number,
  compared: boolean,
) {
  const count = parents.length;
  const totals = weights.slice();
  for (let node = count - 1; node > 0; node--) totals[parents[node]!]! += totals[node]!;
  const children: number[][] = Array.from({ length: count }, () => []);
  for (let node = 1; node < count; node++) children[parents[node]!]!.push(node);
  for (const list of children) list.sort((a, b) => totals[b]! - totals[a]!);

  const columns = { parentDistance: [] as number[], frame: [] as number[], line: [] as number[] };
  const selfSamples: number[] = [];
  const place = new Int32Array(count);
  const stack = [0];
  while (stack.length > 0) {
    const node = stack.pop()!;
    place[node] = columns.frame.length;
    columns.parentDistance.push(node === 0 ? 0 : place[node]! - place[parents[node]!]!);
    columns.frame.push(node === 0 ? 0 : 1 + Math.floor(random() * names));
    columns.line.push(1 + Math.floor(random() * 500));
    selfSamples.push(weights[node]!);
    const below = children[node]!;
    for (let i = below.length - 1; i >= 0; i--) stack.push(below[i]!);
  }
  const table = frames.table();
  const selfOf = new Float64Array(names + 1);
  columns.frame.forEach((frame, node) => {
    selfOf[frame]! += selfSamples[node]!;
  });
  const graph = wire.FlameGraph.encode({
    frames: table,
    type: 'cpu',
    unit: 'nanoseconds',
    ...columns,
    ...columnsOf('', columns.parentDistance, selfSamples),
    ...(compared ? comparedColumns(columns.parentDistance, selfSamples, random) : {}),
  }).finish();
  const self = Array.from(selfOf.subarray(1));
  const withoutRoot = Object.fromEntries(
    Object.entries(table).map(([name, column]) => [name, name === 'strings' ? column : column.slice(1)]),
  );
  const total = selfSamples.reduce((sum, weight) => sum + weight, 0);
  const functions = wire.FunctionTable.encode({
    frames: withoutRoot,
    type: 'cpu',
    unit: 'nanoseconds',
    totalValue: total * MS,
    totalSamples: total,
    selfValue: self.map((weight) => weight * MS),
    totalValueOfRow: self.map((weight) => weight * MS),
    selfSamples: self,
    totalSamplesOfRow: self,
  }).finish();
  return { graph, functions };
}

/** A new run beside the base: each node up to a half more or less, every tenth with a verdict. */
function comparedColumns(parentDistance: readonly number[], selfSamples: readonly number[], random: () => number) {
  const newSelf = selfSamples.map((weight) => Math.round(weight * (0.5 + random())));
  const effects = totalsOf(parentDistance, selfSamples, newSelf).map(([base, later]): EffectSpec => {
    const change = base > 0 ? later / base - 1 : Number.NaN;
    const verdict = random() < 0.1 ? (later > base ? 1 : 2) : 0;
    return { verdict, change, low: change - 0.1, high: change + 0.1, q: verdict > 0 ? 0.01 : 0.6 };
  });
  return {
    ...columnsOf('new', parentDistance, newSelf),
    ...churnOf(parentDistance, selfSamples, newSelf),
    totalEffects: effectsOf(effects),
  };
}

function randomFrame(i: number, random: () => number): Omit<NodeSpec, 'self'> {
  const words = ['read', 'parse', 'update', 'hash', 'visit', 'merge', 'insert', 'render', 'encode', 'poll'];
  const kind = random() < 0.1 ? 2 : random() < 0.25 ? 1 : 0;
  return {
    name:
      kind === 2 ? `sys_${words[i % 10]}_${i}` : `app::${words[i % 10]}::Worker<${i % 7}>::run_${i}(int, std::string)`,
    module: kind === 2 ? '[kernel]' : `lib${['app', 'core', 'net', 'c', 'stdc++'][i % 5]}.so`,
    kind,
    file: kind === 2 ? '' : `/src/${words[i % 10]}.cpp`,
    line: 10 + (i % 900),
  };
}

/** Mulberry32: small, fast, the same everywhere. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
