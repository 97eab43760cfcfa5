// How high the bars of a track are, in device pixels, and how many columns are worth asking for. The engine counts; here counts
// become heights. `full` samples of a column fill a thread's track.
import type { Timeline, Track } from '../content/timeline.ts';

/** Fewer samples than this in a full column make noise of the heights: such columns are made wider. */
const FULL_MIN = 4;
const COLUMNS_MIN = 16;
const WAITING = 1000; // of a thread that waits for the whole column

export interface BarHeights {
  readonly own: Uint16Array; // upper edge above the foot, by column; each includes what is below it
  readonly library: Uint16Array;
  readonly kernel: Uint16Array;
  readonly queued: Uint16Array; // as high as `kernel` where the thread did not wait, or it is not known
  readonly waiting: Uint16Array;
  readonly tinted: Uint16Array | undefined; // from the foot
}

/** Samples that fill the track: of all threads, as many as all CPUs together can have. */
export function fullOf({ full, cpus, tracks, all, shows }: Timeline, track: Track): number {
  if (shows === 'waits') return track === all ? Math.max(WAITING, mostWaiting(all)) : WAITING;
  if (full > 0) return track === all ? full * Math.max(1, cpus) : full;
  return Math.max(1, ...(track === all ? [] : tracks).map(highest), highest(all)); // of times that no clock took
}

/** Stacked heights of a track of `height` pixels, clipped at its top; a single sample is a pixel high at least. */
export function barHeights(track: Track, full: number, height: number): BarHeights {
  const columns = track.own.length;
  const heights = {
    own: new Uint16Array(columns),
    library: new Uint16Array(columns),
    kernel: new Uint16Array(columns),
    queued: new Uint16Array(columns),
    waiting: new Uint16Array(columns),
    tinted: track.tinted && new Uint16Array(columns),
  };
  const pixels = (samples: number) =>
    samples === 0 ? 0 : Math.max(1, Math.min(height, Math.round((samples / full) * height)));
  for (let column = 0; column < columns; column++) {
    const own = track.own[column]!;
    const library = own + track.library[column]!;
    const kernel = library + track.kernel[column]!;
    heights.own[column] = pixels(own);
    heights.library[column] = pixels(library);
    heights.kernel[column] = pixels(kernel);
    const waited = (thousandths = 0) => Math.round((thousandths / 1000) * height);
    heights.queued[column] = Math.min(height, heights.kernel[column]! + waited(track.waits?.queued[column]));
    heights.waiting[column] = Math.min(height, heights.queued[column]! + waited(track.waits?.waiting[column]));
    if (heights.tinted) heights.tinted[column] = pixels(track.tinted![column]!);
  }
  return heights;
}

/** The same of waits alone; `full` fills the track. */
export function waitHeights({ own, tinted, waits }: Track, full: number, height: number): BarHeights {
  const none = new Uint16Array(own.length);
  const pixels = (thousandths: number) => Math.min(height, Math.round((thousandths / full) * height));
  const heights = (column: (at: number) => number) => Uint16Array.from(own, (_, at) => pixels(column(at)));
  return {
    ...{ own: none, library: none, kernel: none },
    queued: heights((at) => waits?.queued[at] ?? 0),
    waiting: heights((at) => (waits ? waits.queued[at]! + waits.waiting[at]! : 0)),
    tinted: tinted && heights((at) => tinted[at]!),
  };
}

/** Samples of a thread that is always on a CPU, per nanosecond; 0: unknown. */
export function fullPerNs({ full, columns, fromNs, toNs }: Timeline): number {
  return toNs > fromNs ? (full * columns) / (toNs - fromNs) : 0;
}

/** How many columns a view gets: one a pixel at most, and so few that a full one has some samples. */
export function columnsFor(pixels: number, viewNs: number, rate: number, limit: number): number {
  const most = Math.max(1, Math.min(limit, Math.round(pixels)));
  if (!(rate > 0)) return most;
  return Math.min(most, Math.max(COLUMNS_MIN, Math.floor((rate * viewNs) / FULL_MIN)));
}

function mostWaiting({ waits }: Track): number {
  return waits ? waits.queued.reduce((most, queued, at) => Math.max(most, queued + waits.waiting[at]!), 0) : 0;
}

function highest({ own, library, kernel }: Track): number {
  let most = 0;
  for (let column = 0; column < own.length; column++)
    most = Math.max(most, own[column]! + library[column]! + kernel[column]!);
  return most;
}
