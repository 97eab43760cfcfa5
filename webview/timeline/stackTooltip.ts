// The box beside the pointer that says what was on most stacks at a place of the timeline, innermost function last.
import * as l10n from '@vscode/l10n';
import { html, nothing, render } from 'lit';
import { visibleText } from '../../core/foreignText.ts';
import { countText, durationText, samplesOfText, samplesText, timeRangeText } from '../../core/numbersAsText.ts';
import type { HottestStackMessage, ShownTimeRange } from '../../core/selectionMessages.ts';
import { placeBeside } from '../graph/tooltip.ts';
import { rendered } from '../page/rendered.ts';
import { cursorText } from './cursorText.ts';
import { columnAt, columnRange } from './timeView.ts';
import { trackName } from './trackRows.ts';
import { type LoadedTrack, rangeOfTrack } from './trackStore.ts';

const REST_MS = 80; // a pointer on its way over the tracks asks nothing
const FRAMES_MAX = 12;
const NAME_MAX = 160; // characters

export interface StackPlace {
  readonly time: ShownTimeRange;
  readonly pid: number;
  readonly tid: number;
  readonly thread: string; // escaped
  readonly x: number; // of the window
  readonly y: number;
}

export class StackTooltip {
  readonly element = rendered(html`<div class="timeline-tooltip" role="tooltip" hidden></div>`);
  readonly #ask: (ask: number, place: StackPlace) => void;
  #asked = 0; // answers to earlier questions are late
  #place: StackPlace | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: (ask: number, place: StackPlace) => void) {
    this.#ask = ask;
  }

  /** Once the pointer or the cursor rests at a moment of a track, what was there is shown; undefined: there is no track. */
  restOn(loaded: LoadedTrack | undefined, ns: number, x: number, y: number) {
    if (!loaded || loaded.track.own.length === 0) return void this.hide();
    const range = rangeOfTrack(loaded);
    const columns = loaded.track.own.length;
    if (loaded.timeline.memory) return this.#say(cursorText(loaded, ns), x, y);
    const time = columnRange(range, columns, columnAt(range, columns, ns));
    const { pid, tid } = loaded.track;
    this.#restAt({ time, pid, tid, thread: trackName(loaded.track), x, y });
  }

  #say(words: string, x: number, y: number) {
    this.hide();
    render(html`<div class="tooltip-place">${words}</div>`, this.element);
    this.element.hidden = false;
    placeBeside(this.element, x, y);
  }

  #restAt(place: StackPlace) {
    const same = this.#place && isSamePlace(place, this.#place);
    this.#place = place;
    if (same) {
      if (!this.element.hidden) placeBeside(this.element, place.x, place.y);
      return;
    }
    this.element.hidden = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(++this.#asked, place), REST_MS);
  }

  /** False: it was not there. */
  hide(): boolean {
    clearTimeout(this.#timer);
    const seen = !this.element.hidden;
    this.element.hidden = true;
    this.#place = undefined;
    this.#asked++;
    return seen;
  }

  receive(message: HottestStackMessage) {
    const place = this.#place;
    if (!place || message.ask !== this.#asked) return;
    render(linesOf(message, place), this.element);
    this.element.hidden = false;
    placeBeside(this.element, place.x, place.y);
  }
}

const isSamePlace = (a: StackPlace, b: StackPlace): boolean =>
  a.pid === b.pid && a.tid === b.tid && a.time.fromNs === b.time.fromNs && a.time.toNs === b.time.toNs;

function linesOf(message: HottestStackMessage, { time, thread }: StackPlace) {
  const { frames, samples, ofSamples, waitsFor, waitedNs } = message;
  const what = waitsFor
    ? l10n.t('Longest wait: {0}, {1}', visibleText(waitsFor, NAME_MAX), durationText(waitedNs))
    : l10n.t('Most frequent stack: {0}', samplesOfText(samples, ofSamples));
  const shown = frames.slice(-FRAMES_MAX);
  const left = frames.length - shown.length;
  const head = `${timeRangeText(time)} · ${thread}`;
  if (frames.length === 0) return html`<div class="tooltip-place">${head} · ${samplesText(ofSamples)}</div>`;
  return html`
    <div class="tooltip-place">${head}</div>
    <div class="tooltip-place">${what}</div>
    <div class="timeline-stack">
      ${left > 0 ? html`<div class="timeline-frame quiet">${l10n.t('… {0} more callers', countText(left))}</div>` : nothing}
      ${shown.map(({ name }) => html`<div class="timeline-frame">${visibleText(name, NAME_MAX)}</div>`)}
    </div>`;
}
