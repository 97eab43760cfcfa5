// What cells show: names with control characters visible, figures with a small bar behind them.
import { html, render } from 'lit';
import { visibleText } from '../../core/foreignText.ts';
import { shortName } from '../graph/shortName.ts';

/** A foreign text; the whole of it in the tooltip. */
export function fillText(cell: HTMLElement, text: string) {
  cell.textContent = visibleText(text);
  cell.title = visibleText(text, 2000);
}

/** A function's name without its arguments; the whole of it, and where it is, in the tooltip. */
export function fillFunction(cell: HTMLElement, name: string, place = '') {
  cell.textContent = visibleText(shortName(name));
  cell.title = place ? `${visibleText(name, 2000)}\n${visibleText(place, 2000)}` : visibleText(name, 2000);
}

/** A function's name, and behind it in quiet words what is noted of it. */
export function fillNotedFunction(cell: HTMLElement, name: string, note: string) {
  const words = html`<span class="noted-name">${visibleText(shortName(name))}</span
    ><span class="note">${visibleText(note)}</span>`;
  render(words, cell);
  cell.title = [name, note]
    .filter(Boolean)
    .map((text) => visibleText(text, 2000))
    .join('\n');
}

/** A share as text, with the value beside it and a bar of that share below. */
export function fillShare(cell: HTMLElement, share: number, text: string, value: string) {
  const width = `width: ${Math.min(100, share * 100)}%`;
  const parts = html`<span class="bar" .style=${width}></span
    ><span class="share">${text}</span><span class="value">${value}</span>`;
  render(parts, cell);
}

/** A difference: a bar to the side of its sign, as long as its part of the largest, then the text. */
export function fillDifference(
  cell: HTMLElement,
  { text, change, largest, few }: { text: string; change: number; largest: number; few: boolean },
) {
  const width = `width: ${(Math.abs(change) / largest) * 50}%`;
  const parts = html`<span class="difference-track"><span class="difference-bar" .style=${width}></span></span
    ><span class="difference-text">${text}</span>`;
  render(parts, cell);
  cell.classList.toggle('more', change > 0);
  cell.classList.toggle('less', change < 0);
  cell.classList.toggle('few', few);
}
