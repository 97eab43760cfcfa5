// The box beside the pointer that tells a frame in full, and the same words for screen readers once the pointer rests.
import { html, nothing, render } from 'lit';
import { rendered } from '../page/rendered.ts';
import { type Description, sentenceOf } from './describe.ts';

const REST_MS = 500; // a pointer on its way over the graph is not read out
const OFFSET = 14; // pixels from the pointer

export class Tooltip {
  readonly element = rendered(html`<div class="tooltip" role="tooltip" hidden></div>`);
  readonly spoken = rendered(html`<div class="unseen" role="status" aria-live="polite"></div>`);
  #timer: ReturnType<typeof setTimeout> | undefined;

  show(description: Description, x: number, y: number) {
    render(linesOf(description), this.element);
    this.element.hidden = false;
    placeBeside(this.element, x, y);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.spoken.textContent = sentenceOf(description);
    }, REST_MS);
  }

  hide() {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }
}

/** Puts a box beside the pointer, inside the window. */
export function placeBeside(element: HTMLElement, x: number, y: number) {
  const { width, height } = element.getBoundingClientRect();
  const right = x + OFFSET + width > window.innerWidth - 4;
  const below = y + OFFSET + height > window.innerHeight - 4;
  const left = right ? Math.max(4, Math.min(x - OFFSET - width, window.innerWidth - width - 4)) : x + OFFSET;
  const top = below ? Math.max(4, y - OFFSET - height) : y + OFFSET;
  element.style.left = `${Math.max(4, left)}px`;
  element.style.top = `${top}px`;
}

const linesOf = ({ name, place, head, figures, note }: Description) => html`
  <div class="tooltip-name">${name}</div>
  ${place ? html`<div class="tooltip-place">${place}</div>` : nothing}
  <table class="tooltip-figures">
    ${head.length > 0 ? html`<tr><th></th>${head.map((title) => html`<th>${title}</th>`)}</tr>` : nothing}
    ${figures.map(({ label, cells }) => html`<tr><th>${label}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
  </table>
  ${note ? html`<div class="tooltip-note">${note}</div>` : nothing}`;
