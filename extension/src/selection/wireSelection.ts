// Selections and timelines as the engine knows them.
import type { ShownSelection, ShownTimelineRequest, ShownTransform } from '../../../core/selectionMessages.ts';
import { wire } from '../../../core/wire.ts';

const { Kind } = wire.Transform;
const KINDS: Readonly<Record<ShownTransform['kind'], number>> = {
  focusFunction: Kind.FOCUS_FUNCTION,
  focusSelf: Kind.FOCUS_SELF,
  mergeFunction: Kind.MERGE_FUNCTION,
  dropFunction: Kind.DROP_FUNCTION,
  collapseRecursion: Kind.COLLAPSE_RECURSION,
  collapseModule: Kind.COLLAPSE_MODULE,
  hideModule: Kind.HIDE_MODULE,
  hideKernel: Kind.HIDE_KERNEL,
  myCode: Kind.MY_CODE,
};

export function wireSelection(selection: ShownSelection) {
  const { times, threads, processes, executions, transforms } = selection;
  return {
    times: times.map(({ fromNs, toNs }) => ({ fromNs, toNs })),
    threads: [...threads],
    processes: [...processes],
    executions: [...executions],
    transforms: transforms.map((transform) => ({
      kind: KINDS[transform.kind],
      ...('function' in transform ? { function: { ...transform.function } } : {}),
      ...('module' in transform ? { module: transform.module } : {}),
    })),
  };
}

export function wireTimeline({ order, tinted, ...range }: ShownTimelineRequest) {
  const { Order } = wire.TimelineRequest;
  return {
    ...range,
    order: order === 'process' ? Order.PROCESS : Order.TIME,
    ...(tinted ? { tinted: { ...tinted } } : {}),
  };
}
