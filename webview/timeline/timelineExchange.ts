// Timelines for several parts of the page: one request to the host at a time, so that an answer or a failure is of the part that
// asked. The strip goes first; of each part only the latest request waits.
import type { ShownTimelineRequest } from '../../core/selectionMessages.ts';
import type { Timeline } from '../content/timeline.ts';
import { requestKey } from './requestKey.ts';

const PATIENCE_MS = 10_000; // after that an answer is taken as lost

export interface TimelineAsker {
  receive(request: ShownTimelineRequest, timeline: Timeline): void;
  /** An empty message: this run has no timeline. */
  receiveFailure(request: ShownTimelineRequest, message: string): void;
}

export class TimelineExchange {
  readonly #first: TimelineAsker;
  readonly #send: (request: ShownTimelineRequest) => void;
  readonly #patienceMs: number;
  readonly #waiting = new Map<TimelineAsker, ShownTimelineRequest>();
  #asked: { readonly asker: TimelineAsker; readonly key: string } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(first: TimelineAsker, send: (request: ShownTimelineRequest) => void, patienceMs = PATIENCE_MS) {
    this.#first = first;
    this.#send = send;
    this.#patienceMs = patienceMs;
  }

  ask(asker: TimelineAsker, request: ShownTimelineRequest) {
    this.#waiting.set(asker, request);
    if (!this.#asked) this.#next();
  }

  /** Whose answer this is. What nobody has asked for is the strip's. */
  answered(request: ShownTimelineRequest): TimelineAsker {
    return this.failed(request) ?? this.#first;
  }

  /** Who has asked what failed; undefined: nobody waits for it any more. */
  failed(request: ShownTimelineRequest): TimelineAsker | undefined {
    if (this.#asked?.key !== requestKey(request)) return undefined;
    const { asker } = this.#asked;
    this.#next();
    return asker;
  }

  #next() {
    clearTimeout(this.#timer);
    this.#asked = undefined;
    const asker = this.#waiting.has(this.#first) ? this.#first : this.#waiting.keys().next().value;
    if (!asker) return;
    const request = this.#waiting.get(asker)!;
    this.#waiting.delete(asker);
    this.#asked = { asker, key: requestKey(request) };
    this.#timer = setTimeout(() => this.#next(), this.#patienceMs);
    this.#send(request);
  }
}
