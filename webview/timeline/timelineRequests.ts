// What the timeline asks for: one request at a time, never again what was just asked or could not be answered.
import type { ShownTimelineRequest } from '../../core/selectionMessages.ts';
import { LatestOnly } from '../selection/latestOnly.ts';

export class TimelineRequests {
  readonly #queue: LatestOnly<ShownTimelineRequest>;
  #asked = '';
  #unanswerable = '';

  constructor(send: (request: ShownTimelineRequest) => void) {
    this.#queue = new LatestOnly((request) => {
      this.#asked = JSON.stringify(request);
      send(request);
    });
  }

  want(request: ShownTimelineRequest) {
    const asked = JSON.stringify(request);
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

  failed() {
    this.#unanswerable = this.#asked;
    this.#queue.answered();
  }
}
