// The page of a recording in progress is made anew whenever the recording has grown. What was drawn of it stays in front until the
// new one is drawn, so that nothing flickers.
import type { ViewKind } from '../../core/webviewMessages.ts';

/** A view that never comes must not keep the former page in front. */
const KEPT_MAX_MS = 3000;

export class FormerPage {
  readonly #awaited = new Set<ViewKind>(['flameGraph', 'functions']);
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(private readonly element: HTMLElement) {
    element.classList.add('former-page');
    // It is looked at only: keys and readers of screens have the new page.
    element.inert = true;
    document.body.append(element);
    this.#timer = setTimeout(() => this.remove(), KEPT_MAX_MS);
  }

  /** A view of the new page is drawn, or says why it cannot be. */
  drawn(view: ViewKind): void {
    this.#awaited.delete(view);
    if (this.#awaited.size === 0) this.remove();
  }

  remove(): void {
    this.takeBack();
  }

  /** The page, which is in front no longer; undefined when it was not any more. */
  takeBack(): HTMLElement | undefined {
    clearTimeout(this.#timer);
    const isInFront = this.element.isConnected;
    this.element.remove();
    return isInFront ? this.element : undefined;
  }
}
