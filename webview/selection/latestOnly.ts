// One request at a time: while an answer is awaited, only the latest of what is wanted next is kept. A drag so never runs
// ahead of the engine, and its last step is always sent.

const PATIENCE_MS = 10_000; // after that an answer is taken as lost, and the next request goes out

export class LatestOnly<Wanted> {
  readonly #send: (wanted: Wanted) => void;
  readonly #patienceMs: number;
  #waiting: { readonly wanted: Wanted } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (wanted: Wanted) => void, patienceMs = PATIENCE_MS) {
    this.#send = send;
    this.#patienceMs = patienceMs;
  }

  /** Whether something was sent that is not answered yet. */
  get busy(): boolean {
    return this.#timer !== undefined;
  }

  /** Sends it now, or as soon as the answer to the one before has come. */
  want(wanted: Wanted) {
    if (this.busy) {
      this.#waiting = { wanted };
      return;
    }
    this.#timer = setTimeout(() => this.answered(), this.#patienceMs);
    this.#send(wanted);
  }

  /** Forgets what waits to be sent. */
  drop() {
    this.#waiting = undefined;
  }

  answered() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const next = this.#waiting;
    this.#waiting = undefined;
    if (next) this.want(next.wanted);
  }
}
