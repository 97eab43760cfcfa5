// The tracks that have come, by their place in the order of tracks. A track stays until a newer one of the same place replaces
// it: while the view moves, what is known is drawn stretched, and nothing blinks. Of each track one wider part of time is kept, too,
// to be seen where the newest has not come.

import type { ShownMeasure } from '../../core/measureText.ts';
import type { ShownTimelineRequest, ShownTimeRange } from '../../core/selectionMessages.ts';
import type { ExecutionMark, Timeline, Track } from '../content/timeline.ts';
import { barHeights, fullOf, fullPerNs, waitHeights } from './barScale.ts';
import type { StripColours } from './stripColours.ts';
import { trackBitmap } from './trackBitmap.ts';

const KEPT_MAX = 512; // tracks; about 150 kB each with their pixels, twice that with a wider part

export interface LoadedTrack {
  readonly track: Track;
  readonly timeline: Timeline;
  readonly measure: ShownMeasure | undefined; // that its value is of; undefined: the usual one
  readonly part: string; // which part of time it was asked for, as partOf has it
  readonly wider: LoadedTrack | undefined; // a longer part of time, coarser; itself without one
  bitmap: ImageBitmap | undefined; // drawn when it is first seen
}

export class TrackStore {
  readonly #tracks = new Map<number, LoadedTrack>();
  #all: LoadedTrack | undefined;
  #newest: Timeline | undefined;
  #rate = 0;
  #measure: ShownMeasure | undefined;

  get all(): LoadedTrack | undefined {
    return this.#all;
  }
  get newest(): Timeline | undefined {
    return this.#newest;
  }
  /** Threads of the run; 0 before the first answer. */
  get count(): number {
    return this.#newest?.trackCount ?? 0;
  }
  get endNs(): number {
    return this.#newest?.endNs ?? 0;
  }
  get executions(): readonly ExecutionMark[] {
    return this.#newest?.executions ?? [];
  }

  /** Samples a nanosecond that fill a track: as the first answer had it, for rounding must not change what is asked for. */
  get rate(): number {
    return this.#rate;
  }

  at(index: number): LoadedTrack | undefined {
    return this.#tracks.get(index);
  }

  /** Tracks that have come, of the places `first` up to but without `end`. */
  between(first: number, end: number): LoadedTrack[] {
    const places = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
    return places.flatMap((index) => this.#tracks.get(index) ?? []);
  }

  /** The number of the execution at a moment; undefined: none, or a warm-up. */
  executionAt(ns: number): number | undefined {
    const mark = this.executions.find(({ fromNs, toNs }) => fromNs <= ns && ns < toNs);
    return mark?.number || undefined;
  }

  /** A thread that has come, by its number. */
  thread(tid: string): Track | undefined {
    for (const { track } of this.#tracks.values()) if (String(track.tid) === tid) return track;
    return undefined;
  }

  receive(request: ShownTimelineRequest, timeline: Timeline) {
    const toNs = request.toNs || timeline.endNs; // 0: to the end
    const part = partOf({ ...request, toNs });
    this.#newest = timeline;
    this.#rate ||= fullPerNs(timeline);
    const measure = this.#measure;
    this.#all = loadedTrack({ track: timeline.all, timeline, measure, part }, this.#all);
    timeline.tracks.forEach((track, i) => {
      const index = request.first + i;
      this.#tracks.set(index, loadedTrack({ track, timeline, measure, part }, this.#tracks.get(index)));
    });
    this.#prune(request.first + request.count / 2);
  }

  /** Whether these places and the track of all threads are as this request would bring them. */
  has(request: ShownTimelineRequest, first: number, end: number): boolean {
    const part = partOf(request);
    if (this.#all?.part !== part) return false;
    for (let index = first; index < Math.min(end, this.count); index++)
      if (this.#tracks.get(index)?.part !== part) return false;
    return true;
  }

  /** Columns are of another measure from now on, and so is the order of the tracks. */
  setMeasure(measure: ShownMeasure | undefined) {
    this.#measure = measure;
    this.#all = undefined;
    this.#tracks.clear();
  }

  /** Places mean other threads now. */
  forgetPlaces() {
    this.#tracks.clear();
  }

  /** Colours or heights changed. */
  forgetPixels() {
    for (const loaded of [...this.#tracks.values(), ...(this.#all ? [this.#all] : [])]) {
      loaded.bitmap = undefined;
      if (loaded.wider) loaded.wider.bitmap = undefined;
    }
  }

  #prune(middle: number) {
    if (this.#tracks.size <= KEPT_MAX) return;
    const far = [...this.#tracks.keys()].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle));
    for (const index of far.slice(0, this.#tracks.size - KEPT_MAX)) this.#tracks.delete(index);
  }
}

/** A track that has come, with the longest part of time that was there before and is longer than its own. */
function loadedTrack(
  come: Pick<LoadedTrack, 'track' | 'timeline' | 'measure' | 'part'>,
  before: LoadedTrack | undefined,
): LoadedTrack {
  const length = ({ timeline }: Pick<LoadedTrack, 'timeline'>) => timeline.toNs - timeline.fromNs;
  const longest = before?.wider && length(before.wider) >= length(before) ? before.wider : before;
  const wider = longest && length(longest) > length(come) ? { ...longest, wider: undefined } : undefined;
  return { ...come, wider, bitmap: undefined };
}

/** Whether the pixels of a track are drawn, `height` device pixels high. */
export const hasBitmap = ({ bitmap }: LoadedTrack, height: number): boolean => bitmap?.height === height;

/** The pixels of a track, `height` device pixels high. */
export function bitmapOf(loaded: LoadedTrack, height: number, colours: StripColours): ImageBitmap {
  if (!loaded.bitmap || !hasBitmap(loaded, height)) {
    const { track, timeline } = loaded;
    const heights = timeline.shows === 'waits' ? waitHeights : barHeights;
    const bars = heights(track, fullOf(timeline, track), height);
    loaded.bitmap = trackBitmap(bars, height, colours);
  }
  return loaded.bitmap;
}

/** What a track has in the whole recording, as its place in the order and its share say: samples of CPU time, else the measure. */
export const amountOf = ({ samples, value }: Pick<Track, 'samples' | 'value'>, measure: ShownMeasure | undefined) =>
  !measure || measure.family === 'cpu' ? samples : value;

/** The time that a track's columns cover. */
export const rangeOfTrack = ({ timeline: { fromNs, toNs } }: LoadedTrack): ShownTimeRange => ({ fromNs, toNs });

/** Names everything of a request but the tracks that it asks for. */
const partOf = ({ fromNs, toNs, columns, order, tinted, value }: ShownTimelineRequest): string =>
  JSON.stringify([fromNs, toNs, columns, order, tinted?.name, tinted?.module, value]);
