// The keyboard's cursor on the timeline: a moment on a track, and where a step takes it.
import type { ShownTimeRange } from '../../core/selectionMessages.ts';
import type { TimelineAction } from './timelineKeys.ts';
import { wholeView } from './timeView.ts';
import { ALL_TRACKS } from './trackRows.ts';

const STEPS = 100; // across the view

export interface Cursor {
  readonly index: number; // of the track
  readonly ns: number;
}

export type CursorStep = Extract<TimelineAction, { kind: 'time' | 'track' | 'edge' }>;

/** Where the cursor is before the first step. */
export const firstCursor = (view: ShownTimeRange): Cursor => ({ index: ALL_TRACKS, ns: view.fromNs });

/** Where a step takes it: always on a track and inside the recording. */
export function stepped(
  { index, ns }: Cursor,
  action: CursorStep,
  view: ShownTimeRange,
  { endNs, count }: { readonly endNs: number; readonly count: number },
): Cursor {
  const inside = (wanted: number) => Math.round(Math.min(wholeView(endNs).toNs, Math.max(0, wanted)));
  switch (action.kind) {
    case 'time':
      return { index, ns: inside(ns + (action.steps * (view.toNs - view.fromNs)) / STEPS) };
    case 'edge':
      return { index, ns: inside(action.of === 'begin' ? view.fromNs : view.toNs) };
    case 'track':
      return { index: Math.min(count - 1, Math.max(ALL_TRACKS, index + action.steps)), ns };
  }
}

/** The tracks from one place of the cursor to another. */
export function placesBetween(one: Cursor, other: Cursor): number[] {
  const [first, last] = [Math.min(one.index, other.index), Math.max(one.index, other.index)];
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
