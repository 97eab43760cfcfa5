// What the timeline asks for: one request at a time, never again what was just asked or could not be answered.
import type { NamedFunction } from '../../core/namedFunction.ts';
import {
  COLUMNS_LIMIT,
  type ShownTimelineRequest,
  type ShownTimeRange,
  TRACKS_LIMIT,
  type TrackOrder,
} from '../../core/selectionMessages.ts';
import { LatestOnly } from '../selection/latestOnly.ts';
import { columnsFor } from './barScale.ts';
import { requestKey } from './requestKey.ts';

export class TimelineRequests {
  readonly #queue: LatestOnly<ShownTimelineRequest>;
  #asked = '';
  #unanswerable = '';

  constructor(send: (request: ShownTimelineRequest) => void) {
    this.#queue = new LatestOnly((request) => {
      this.#asked = requestKey(request);
      send(request);
    });
  }

  want(request: ShownTimelineRequest) {
    const asked = requestKey(request);
    if (asked === this.#unanswerable) return;
    if (this.#queue.busy && asked === this.#asked) this.#queue.drop();
    else this.#queue.want(request);
  }

  /** All is there: what waits is wanted no more. */
  satisfied() {
    this.#queue.drop();
  }

  answered() {
    this.#queue.answered();
  }

  /** False: something else was asked since, and waits for its own answer. */
  failed(request: ShownTimelineRequest): boolean {
    if (requestKey(request) !== this.#asked) return false;
    this.#unanswerable = this.#asked;
    this.#queue.answered();
    return true;
  }
}

/** What brings a view of the tracks: as many columns as its device pixels can show. `rate` is that of a `TrackStore`. */
export function requestFor(wanted: {
  readonly view: ShownTimeRange;
  readonly pixels: number;
  readonly rate: number;
  readonly places: readonly [first: number, end: number]; // of tracks
  readonly order: TrackOrder;
  readonly tinted: NamedFunction | undefined;
  readonly value: number | undefined; // of the run's measures
}): ShownTimelineRequest {
  const { fromNs, toNs } = wanted.view;
  const first = Math.max(0, wanted.places[0]);
  return {
    ...{ fromNs, toNs, columns: columnsFor(wanted.pixels, toNs - fromNs, wanted.rate, COLUMNS_LIMIT) },
    ...{ first, count: Math.min(TRACKS_LIMIT, wanted.places[1] - first), order: wanted.order },
    ...(wanted.tinted ? { tinted: wanted.tinted } : {}),
    ...(wanted.value === undefined ? {} : { value: wanted.value }),
  };
}
