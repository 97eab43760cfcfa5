// Selections and timelines as the engine knows them.
import type { NamedFunction } from '../../../core/namedFunction.ts';
import type { RunPart } from '../../../core/partsOfRun.ts';
import {
  type NameQuery,
  type Runtime,
  runtimes,
  type ShownSelection,
  type ShownTimelineRequest,
  type ShownTransform,
} from '../../../core/selectionMessages.ts';
import { wire } from '../../../core/wire.ts';

const { Kind } = wire.Transform;
const KINDS: Readonly<Record<ShownTransform['kind'], number>> = {
  focusFunction: Kind.FOCUS_FUNCTION,
  focusSelf: Kind.FOCUS_SELF,
  mergeFunction: Kind.MERGE_FUNCTION,
  dropFunction: Kind.DROP_FUNCTION,
  collapseRecursion: Kind.COLLAPSE_RECURSION,
  collapseDirectRecursion: Kind.COLLAPSE_DIRECT_RECURSION,
  focusSubtree: Kind.FOCUS_SUBTREE,
  hideRuntime: Kind.HIDE_RUNTIME,
  collapseModule: Kind.COLLAPSE_MODULE,
  hideModule: Kind.HIDE_MODULE,
  keepFunction: Kind.KEEP_FUNCTION,
  keepModule: Kind.KEEP_MODULE,
  dropModule: Kind.DROP_MODULE,
  keepFile: Kind.KEEP_FILE,
  dropFile: Kind.DROP_FILE,
  hideFile: Kind.HIDE_FILE,
  hideKernel: Kind.HIDE_KERNEL,
  myCode: Kind.MY_CODE,
};

const RUNTIMES: Readonly<Record<Runtime, number>> = {
  go: wire.Runtime.GO,
  rust: wire.Runtime.RUST,
  cpp: wire.Runtime.CPP,
  ocaml: wire.Runtime.OCAML,
  interrupts: wire.Runtime.INTERRUPTS,
};

/** Those of the numbers that the engine told; one that is not known is none. */
export const runtimesOf = (numbers: readonly number[]): Runtime[] =>
  runtimes.filter((runtime) => numbers.includes(RUNTIMES[runtime]));

export function wireSelection(selection: ShownSelection) {
  const { times, threads, processes, droppedThreads, droppedProcesses, executions, transforms } = selection;
  return {
    times: times.map(({ fromNs, toNs }) => ({ fromNs, toNs })),
    threads: [...threads],
    processes: [...processes],
    droppedThreads: [...droppedThreads],
    droppedProcesses: [...droppedProcesses],
    executions: [...executions],
    transforms: transforms.map((transform) => ({
      kind: KINDS[transform.kind],
      ...('function' in transform ? { function: { ...transform.function } } : {}),
      ...('module' in transform ? { module: transform.module } : {}),
      ...('file' in transform ? { file: transform.file } : {}),
      ...('runtime' in transform ? { runtime: RUNTIMES[transform.runtime] } : {}),
      ...('opened' in transform ? { opened: named(transform.opened ?? []) } : {}),
      ...('path' in transform ? { path: named(transform.path), leftOut: named(transform.leftOut) } : {}),
    })),
  };
}

export const wirePart = ({ selection, rest }: RunPart) => ({ ...wireSelection(selection), rest });

const named = (functions: readonly NamedFunction[]) => functions.map(({ name, module }) => ({ name, module }));

const { What } = wire.MatchNamesRequest;
const WHATS: Readonly<Record<NameQuery['thing'], number>> = {
  function: What.FUNCTION,
  file: What.SOURCE_FILE,
  module: What.MODULE,
  thread: What.THREAD,
  process: What.PROCESS,
};

export const wireNameQuery = ({ thing, text, exact }: NameQuery) => ({ what: WHATS[thing], text, exact });

export function wireTimeline({ order, tinted, value, ...range }: ShownTimelineRequest) {
  const { Order } = wire.TimelineRequest;
  return {
    ...range,
    value: value ?? null,
    order: order === 'process' ? Order.PROCESS : Order.TIME,
    ...(tinted ? { tinted: { ...tinted } } : {}),
  };
}
