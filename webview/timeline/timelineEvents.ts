// What the timeline says to the page around it, and what of it is kept over a reload.
import type { ShownSelection, ShownTimelineRequest, TrackOrder } from '../../core/selectionMessages.ts';
import type { Track } from '../content/timeline.ts';
import type { MenuPlace } from '../page/contextMenu.ts';
import type { StackPlace } from './stackTooltip.ts';

export interface TimelineEvents {
  request(request: ShownTimelineRequest): void;
  preview(selection: ShownSelection): void;
  commit(selection: ShownSelection): void;
  /** False: there was no preview. */
  dropPreview(): boolean;
  askStack(ask: number, place: StackPlace): void;
  /** `execution` is that at the place; undefined: none, or the place is no moment. */
  menu(track: Track, execution: number | undefined, place: MenuPlace): void;
  stateChanged(state: TimelineState): void;
}

/** Tracks of threads, or a column a second. */
export const timelineLayouts = ['tracks', 'seconds'] as const;
export type TimelineLayout = (typeof timelineLayouts)[number];

export interface TimelineState {
  readonly open: boolean;
  readonly height: number; // CSS pixels of the threads' tracks; 0: as we choose
  readonly order: TrackOrder;
  readonly layout: TimelineLayout;
}

export const TIMELINE_AT_FIRST: TimelineState = { open: true, height: 0, order: 'time', layout: 'tracks' };
