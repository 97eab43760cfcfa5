// What page and host say to each other about the selection, the part of a run that figures are about, and about the timeline
// that it is made on. Selection of protocol/selection.proto in the page's words; checked on arrival.
import type { NamedFunction } from './namedFunction.ts';
import type { SampleCount } from './sampleCount.ts';

/** Nanoseconds since the recording began; half open. */
export interface ShownTimeRange {
  readonly fromNs: number;
  readonly toNs: number;
}

export const functionTransforms = [
  'focusFunction',
  'focusSelf',
  'mergeFunction',
  'dropFunction',
  'collapseRecursion',
  'collapseDirectRecursion',
  'keepFunction',
] as const;
export type FunctionTransform = (typeof functionTransforms)[number];
export const moduleTransforms = ['collapseModule', 'hideModule', 'keepModule', 'dropModule'] as const;
export type ModuleTransform = (typeof moduleTransforms)[number];
export const fileTransforms = ['keepFile', 'dropFile', 'hideFile'] as const;
export type FileTransform = (typeof fileTransforms)[number];
/** What programs of a language bring along, as protocol/runs.proto has it, in its order. */
export const runtimes = ['go', 'rust', 'cpp', 'ocaml', 'interrupts'] as const;
export type Runtime = (typeof runtimes)[number];

/**
 * A change of the stacks; a function with an empty module is one in any, and its name may then be a pattern, as those of modules and
 * files may be: a glob with * and ?, or a regular expression between slashes.
 */
export type ShownTransform =
  | { readonly kind: FunctionTransform; readonly function: NamedFunction }
  | { readonly kind: ModuleTransform; readonly module: string }
  | { readonly kind: FileTransform; readonly file: string }
  | ({ readonly kind: 'focusSubtree' } & CallPath)
  | { readonly kind: 'hideRuntime'; readonly runtime: Runtime }
  | { readonly kind: 'hideKernel' }
  | MyCode;

/** Of successive functions that are not the user's own the outermost stands for all, unless it is one of `opened`. */
export interface MyCode {
  readonly kind: 'myCode';
  readonly opened?: readonly NamedFunction[];
}

/** Where a node of the flame graph is: functions from the root to it. */
export interface CallPath {
  readonly path: readonly NamedFunction[]; // outermost first, at least one
  readonly leftOut: readonly NamedFunction[]; // on it, but hidden in the graph
}

/** Kinds narrow each other; what is listed of one kind adds up; an empty kind is everything. */
export interface ShownSelection {
  readonly times: readonly ShownTimeRange[];
  readonly threads: readonly string[]; // a name, a pattern, or the number of a thread
  readonly processes: readonly string[];
  readonly droppedThreads: readonly string[]; // left out of what the others leave
  readonly droppedProcesses: readonly string[];
  readonly executions: readonly number[]; // from 1
  readonly transforms: readonly ShownTransform[]; // in this order
}

/** All threads of all processes. */
export const ALL_THREADS = { threads: [], processes: [], droppedThreads: [], droppedProcesses: [] } as const;

export const EMPTY_SELECTION: ShownSelection = {
  times: [],
  ...ALL_THREADS,
  executions: [],
  transforms: [],
};

export interface ShownTimelineRequest extends ShownTimeRange {
  readonly columns: number;
  readonly first: number; // of the tracks, in their order
  readonly count: number;
  readonly order: TrackOrder;
  readonly tinted?: NamedFunction | undefined; // its samples are counted apart
  readonly value?: number | undefined; // index into the run's values; undefined: the default
}
export const trackOrders = ['time', 'process'] as const;
export type TrackOrder = (typeof trackOrders)[number];

export type SelectionPageMessage =
  | { readonly type: 'timeline'; readonly request: ShownTimelineRequest }
  /**
   * A preview is one step of a drag: it replaces the preview before it and is no step of undo. A selection that equals the
   * committed one drops the preview and is no step of undo either. Each is answered by `selected`.
   */
  | { readonly type: 'select'; readonly selection: ShownSelection; readonly preview: boolean }
  | { readonly type: 'undoSelection' }
  | { readonly type: 'redoSelection' }
  | { readonly type: 'compareParts'; readonly parts: 'rest' | 'ranges' }
  /** How many names of the run a text means. `exact`: it is one name, not a pattern. `ask` comes back with the answer. */
  | ({ readonly type: 'matchNames'; readonly ask: number } & NameQuery)
  /** What was on most stacks there; pid and tid 0: of all threads. `ask` comes back with the answer. */
  | {
      readonly type: 'hottestStack';
      readonly ask: number;
      readonly time: ShownTimeRange;
      readonly pid: number;
      readonly tid: number;
      readonly value?: number | undefined; // as of the timeline
    };

/** What has names that a text can mean. */
export const namedThings = ['function', 'file', 'module', 'thread', 'process'] as const;
export interface NameQuery {
  readonly thing: (typeof namedThings)[number];
  readonly text: string; // as in a selection, not empty
  readonly exact: boolean;
}

export interface NamesMatchedMessage {
  readonly type: 'namesMatched';
  readonly ask: number;
  readonly count: number;
  readonly names: readonly string[]; // the first few
  readonly problem: string; // one sentence when there is none, or empty
}

/** How much is selected, after every change, whoever made it, and once after `show`. */
export interface SelectedMessage {
  readonly type: 'selected';
  readonly selection: ShownSelection;
  readonly preview: boolean;
  readonly samples: SampleCount;
  readonly value: number;
  readonly runSamples: SampleCount;
  readonly runValue: number;
  readonly isComplete?: boolean;
  readonly unit: string;
  readonly notice: string; // one sentence, or empty
  readonly runtimes: readonly Runtime[]; // that have frames in the run
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

export interface HottestStackMessage {
  readonly type: 'hottestStack';
  readonly ask: number;
  readonly frames: readonly NamedFunction[]; // outermost first; names are foreign
  readonly samples: number;
  readonly ofSamples: number;
  readonly waitsFor: string; // why the thread waited; foreign; empty: the frames are of samples
  readonly waitedNs: number; // on this stack, for this reason
}

export type SelectionHostMessage =
  | {
      readonly type: 'timeline';
      readonly request: ShownTimelineRequest;
      readonly content: ArrayBuffer; // Timeline of protocol/selection.proto
    }
  | {
      readonly type: 'timelineFailed';
      readonly request: ShownTimelineRequest;
      readonly message: string; // empty: this run has no timeline
    }
  | SelectedMessage
  /** A selection was refused, and is as before: why, in one sentence. */
  | { readonly type: 'selectionRefused'; readonly message: string }
  /** The function under the cursor of an editor: its samples are coloured on the timeline, as those of a selected one. */
  | { readonly type: 'underCursor'; readonly function: NamedFunction }
  | NamesMatchedMessage
  | HottestStackMessage;

export const TIMES_LIMIT = 64;
export const NAMES_LIMIT = 1024; // threads, processes, opened functions; as many as the engine takes
export const TRANSFORMS_LIMIT = 256; // as many as protocol/selection.proto allows
export const PATH_LIMIT = 4096; // functions of a call path
export const COLUMNS_LIMIT = 4096;
export const TRACKS_LIMIT = 256; // in one request
const EXECUTIONS_LIMIT = 100_000;
export const VALUE_LIMIT = 64; // sample types; pprof files have a handful
export const NAME_LIMIT = 4096; // characters; the engine cuts names of views after 1024 bytes
const ID_LIMIT = 0xffff_ffff;

/** The message on selection or timeline that `message` is; undefined when it is none. */
export function parseSelectionMessage(message: Record<string, unknown>): SelectionPageMessage | undefined {
  const { type, request, selection, preview, ask, time, pid, tid, thing, text, exact, parts, value } = message;
  switch (type) {
    case 'undoSelection':
    case 'redoSelection':
      return { type };
    case 'compareParts':
      return parts === 'rest' || parts === 'ranges' ? { type, parts } : undefined;
    case 'timeline': {
      const parsed = parseTimelineRequest(request);
      return parsed && { type, request: parsed };
    }
    case 'select': {
      const parsed = parseSelection(selection);
      if (!parsed || typeof preview !== 'boolean') return undefined;
      return { type, selection: parsed, preview };
    }
    case 'matchNames': {
      const known = namedThings.find((one) => one === thing);
      if (!isWhole(ask, ID_LIMIT) || !known || !isName(text) || text === '') return undefined;
      if (typeof exact !== 'boolean') return undefined;
      return { type, ask, thing: known, text, exact };
    }
    case 'hottestStack': {
      if (!isWhole(ask, ID_LIMIT) || !isWhole(pid, ID_LIMIT) || !isWhole(tid, ID_LIMIT)) return undefined;
      if (!isTimeRange(time) || !isValue(value)) return undefined;
      return { type, ask, time: rangeOf(time), pid, tid, ...valuePart(value) };
    }
    default:
      return undefined;
  }
}

/** The selection that `unknown` is, with nothing else in it; undefined when a part is none or there is too much. */
export function parseSelection(unknown: unknown): ShownSelection | undefined {
  if (!isRecord(unknown)) return undefined;
  const { times, threads, processes, droppedThreads, droppedProcesses, executions, transforms } = unknown;
  if (!isList(times, TIMES_LIMIT, isTimeRange)) return undefined;
  if (!isList(threads, NAMES_LIMIT, isName) || !isList(processes, NAMES_LIMIT, isName)) return undefined;
  if (!isList(droppedThreads, NAMES_LIMIT, isName) || !isList(droppedProcesses, NAMES_LIMIT, isName)) return undefined;
  if (!isList(executions, EXECUTIONS_LIMIT, isExecution)) return undefined;
  if (!isList(transforms, TRANSFORMS_LIMIT, isTransform)) return undefined;
  return {
    times: times.map(rangeOf),
    threads: [...threads],
    processes: [...processes],
    droppedThreads: [...droppedThreads],
    droppedProcesses: [...droppedProcesses],
    executions: [...executions],
    transforms: transforms.map(transformOf),
  };
}

function parseTimelineRequest(unknown: unknown): ShownTimelineRequest | undefined {
  if (!isRecord(unknown) || !isTimeRange(unknown)) return undefined;
  const { columns, first, count, order, tinted, value } = unknown as unknown as Record<string, unknown>;
  if (!isWhole(columns, COLUMNS_LIMIT) || columns === 0) return undefined;
  if (!isWhole(first, ID_LIMIT) || !isWhole(count, TRACKS_LIMIT)) return undefined;
  const known = trackOrders.find((one) => one === order);
  if (!known || !isValue(value) || (tinted !== undefined && !isNamedFunction(tinted))) return undefined;
  const tint = tinted ? { tinted: functionOf(tinted) } : {};
  return { ...rangeOf(unknown), columns, first, count, order: known, ...tint, ...valuePart(value) };
}

const isValue = (value: unknown): value is number | undefined => value === undefined || isWhole(value, VALUE_LIMIT);
const valuePart = (value: number | undefined) => (value === undefined ? {} : { value });

export const isEmptySelection = (selection: ShownSelection): boolean => sameSelection(selection, EMPTY_SELECTION);

/** Whether two selections have the same parts in the same order. */
export const sameSelection = (a: ShownSelection, b: ShownSelection): boolean =>
  a === b || JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));

/** The same with its properties in one order, however it was made. */
const inOrder = (selection: ShownSelection): unknown => ({
  times: selection.times.map(rangeOf),
  threads: selection.threads,
  processes: selection.processes,
  droppedThreads: selection.droppedThreads,
  droppedProcesses: selection.droppedProcesses,
  executions: selection.executions,
  transforms: selection.transforms.map(transformOf),
});

/** A function as a view names it. */
export function isNamedFunction(named: unknown): named is NamedFunction {
  return isRecord(named) && isName(named.name) && isName(named.module);
}

export function isWhole(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= limit;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function isList<Item>(list: unknown, limit: number, isItem: (item: unknown) => item is Item): list is readonly Item[] {
  return Array.isArray(list) && list.length <= limit && list.every(isItem);
}

function isTimeRange(range: unknown): range is ShownTimeRange {
  if (!isRecord(range)) return false;
  const { fromNs, toNs } = range;
  return isWhole(fromNs, Number.MAX_SAFE_INTEGER) && isWhole(toNs, Number.MAX_SAFE_INTEGER) && fromNs <= toNs;
}

const isName = (text: unknown): text is string => typeof text === 'string' && text.length <= NAME_LIMIT;

const isExecution = (number: unknown): number is number => isWhole(number, ID_LIMIT) && number > 0;

function isTransform(transform: unknown): transform is ShownTransform {
  if (!isRecord(transform)) return false;
  const { kind } = transform;
  if (functionTransforms.some((one) => one === kind)) return isNamedFunction(transform.function);
  if (moduleTransforms.some((one) => one === kind)) return isName(transform.module);
  if (fileTransforms.some((one) => one === kind)) return isName(transform.file);
  if (kind === 'hideRuntime') return runtimes.some((one) => one === transform.runtime);
  if (kind === 'focusSubtree') {
    const { path, leftOut } = transform;
    return (
      isList(path, PATH_LIMIT, isNamedFunction) && path.length > 0 && isList(leftOut, NAMES_LIMIT, isNamedFunction)
    );
  }
  if (kind === 'myCode')
    return transform.opened === undefined || isList(transform.opened, NAMES_LIMIT, isNamedFunction);
  return kind === 'hideKernel';
}

const rangeOf = ({ fromNs, toNs }: ShownTimeRange): ShownTimeRange => ({ fromNs, toNs });
const functionOf = ({ name, module }: NamedFunction): NamedFunction => ({ name, module });

function transformOf(transform: ShownTransform): ShownTransform {
  if ('function' in transform) return { kind: transform.kind, function: functionOf(transform.function) };
  if (transform.kind === 'hideRuntime') return { kind: transform.kind, runtime: transform.runtime };
  if (transform.kind === 'focusSubtree') {
    const { kind, path, leftOut } = transform;
    return { kind, path: path.map(functionOf), leftOut: leftOut.map(functionOf) };
  }
  if ('module' in transform) return { kind: transform.kind, module: transform.module };
  if ('file' in transform) return { kind: transform.kind, file: transform.file };
  if (transform.kind === 'myCode' && transform.opened?.length)
    return { kind: transform.kind, opened: transform.opened.map(functionOf) };
  return { kind: transform.kind };
}
