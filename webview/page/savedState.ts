// How a page is looked at, saved for a reload of the window a moment after each change.
import type { Host } from './host.ts';
import type { ViewState } from './viewState.ts';

const SAVE_DELAY_MS = 150;

export class SavedState {
  readonly #host: Pick<Host, 'save'>;
  #state: ViewState;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Pick<Host, 'save'>, state: ViewState) {
    this.#host = host;
    this.#state = state;
  }

  get now(): ViewState {
    return this.#state;
  }

  change(part: Partial<ViewState>) {
    this.#state = { ...this.#state, ...part };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), SAVE_DELAY_MS);
  }

  save() {
    clearTimeout(this.#timer);
    this.#host.save(this.#state);
  }
}
