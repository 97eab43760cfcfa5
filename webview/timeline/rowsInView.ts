// The rows of the timeline that are in view: which tracks they show, and which of them are selected.
import type { ShownSelection } from '../../core/selectionMessages.ts';
import { threadMatcher } from './selectedThreads.ts';
import { TRACK_HEIGHT } from './trackCanvases.ts';
import { ALL_TRACKS, type NamedRow } from './trackRows.ts';
import type { LoadedTrack, TrackStore } from './trackStore.ts';

export interface RowsInView {
  readonly all: NamedRow;
  readonly rows: readonly NamedRow[];
}

/** Tracks that a part of this height shows of so many; `scrollTop` and height are CSS pixels. */
export function placesInView(count: number, scrollTop: number, height: number): [first: number, end: number] {
  const first = Math.max(0, Math.floor(scrollTop / TRACK_HEIGHT));
  const end = height > 0 ? Math.ceil((scrollTop + height) / TRACK_HEIGHT) : first;
  return [first, Math.min(count, Math.max(first, end))];
}

/** The row of all threads, and those of the tracks `first` up to but without `end`. */
export function rowsInView(
  store: TrackStore,
  selection: ShownSelection,
  [first, end]: readonly [number, number],
  cursorIndex: number | undefined,
): RowsInView {
  const isSelected = threadMatcher(selection);
  const some = selection.threads.length + selection.processes.length > 0;
  const rowOf = (index: number, loaded: LoadedTrack | undefined): NamedRow => ({
    index,
    top: index === ALL_TRACKS ? 0 : index * TRACK_HEIGHT,
    loaded,
    selected: some && index !== ALL_TRACKS ? loaded !== undefined && isSelected(loaded.track) : undefined,
    underCursor: cursorIndex === index,
  });
  const rows: NamedRow[] = [];
  for (let index = first; index < end; index++) rows.push(rowOf(index, store.at(index)));
  return { all: rowOf(ALL_TRACKS, store.all), rows };
}

/** Scrolls as little as possible, so that the track is in view. */
export function scrollToRow(scroller: HTMLElement, index: number) {
  const top = index * TRACK_HEIGHT;
  const { scrollTop, clientHeight } = scroller;
  if (top < scrollTop) scroller.scrollTop = top;
  else if (top + TRACK_HEIGHT > scrollTop + clientHeight) scroller.scrollTop = top + TRACK_HEIGHT - clientHeight;
}
