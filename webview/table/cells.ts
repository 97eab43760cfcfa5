// What cells show: names with control characters visible, figures with a small bar behind them.
import { html, render } from 'lit';
import { visibleText } from '../../core/foreignText.ts';

/** A foreign text; the whole of it in the tooltip. */
export function fillText(cell: HTMLElement, text: string) {
  cell.textContent = visibleText(text);
  cell.title = visibleText(text, 2000);
}

/** Characters at a name's end that are always seen: `…::_M_get_insert_unique_pos(…)`. */
const TAIL = 12;
const LONG = 24;

/** A name of which the middle goes when the cell is too narrow: the beginning gives way, the end stays. */
const cuttable = (name: string) => {
  const shown = visibleText(name);
  const text = shown.length > LONG ? shown.replace(/\(…\)(?: const)?$/, '') : shown; // the end is worth more than that
  const at = Math.max(0, text.length - TAIL);
  return html`<span class="name"><span class="name-head">${text.slice(0, at)}</span><span class="name-tail"
    >${text.slice(at)}</span></span>`;
};

/** A function: its short form, and in the tooltip the whole name and where it is. */
export function fillFunction(
  cell: HTMLElement,
  { name, short, place }: { name: string; short: string; place: string },
) {
  render(cuttable(short), cell);
  cell.title = place ? `${visibleText(name, 2000)}\n${visibleText(place, 2000)}` : visibleText(name, 2000);
}

/** The same with quiet words behind it: what is noted of it. */
export function fillNotedFunction(
  cell: HTMLElement,
  { name, short, note }: { name: string; short: string; note: string },
) {
  render(html`${cuttable(short)}<span class="note">${visibleText(note)}</span>`, cell);
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
