// The box beside the pointer that tells a frame in full, and the same words for screen readers once the pointer rests.
import { element } from '../page/elements.ts';
import { type Description, sentenceOf } from './describe.ts';

const REST_MS = 500; // a pointer on its way over the graph is not read out
const OFFSET = 14; // pixels from the pointer

export class Tooltip {
  readonly element = element('div', { class: 'tooltip', role: 'tooltip', hidden: true });
  readonly spoken = element('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  #timer: ReturnType<typeof setTimeout> | undefined;

  show(description: Description, x: number, y: number) {
    this.element.replaceChildren(...linesOf(description));
    this.element.hidden = false;
    this.#place(x, y);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.spoken.textContent = sentenceOf(description);
    }, REST_MS);
  }

  hide() {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }

  /** Beside the pointer, inside the window. */
  #place(x: number, y: number) {
    const { width, height } = this.element.getBoundingClientRect();
    const right = x + OFFSET + width > window.innerWidth - 4;
    const below = y + OFFSET + height > window.innerHeight - 4;
    const left = right ? Math.max(4, Math.min(x - OFFSET - width, window.innerWidth - width - 4)) : x + OFFSET;
    const top = below ? Math.max(4, y - OFFSET - height) : y + OFFSET;
    this.element.style.left = `${Math.max(4, left)}px`;
    this.element.style.top = `${top}px`;
  }
}

function linesOf({ name, place, head, figures, note }: Description): HTMLElement[] {
  const lines = [element('div', { class: 'tooltip-name' }, name)];
  if (place) lines.push(element('div', { class: 'tooltip-place' }, place));
  const table = element('table', { class: 'tooltip-figures' });
  if (head.length > 0) {
    table.append(element('tr', {}, element('th'), ...head.map((title) => element('th', {}, title))));
  }
  for (const { label, cells } of figures) {
    table.append(element('tr', {}, element('th', {}, label), ...cells.map((cell) => element('td', {}, cell))));
  }
  lines.push(table);
  if (note) lines.push(element('div', { class: 'tooltip-note' }, note));
  return lines;
}
