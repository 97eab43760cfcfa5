// A cell with a relative change: the change with its interval in words, and the interval as a small bar round its dot.
import { scalePow } from 'd3-scale';
import { html, render } from 'lit';
import {
  type Compared,
  changeText,
  isSignificant,
  relativeText,
  UNTESTED,
  Verdict,
  verdictText,
} from '../../core/changeText.ts';
import type { Effects } from '../content/effects.ts';

/** Relative change → 0 … 1 of the bar's room; 0.5 is no change. What lies outside is cut. */
export type IntervalScale = (change: number) => number;

const LIMIT_MIN = 0.05;
const LIMIT_MAX = 1; // doubled, or gone

/**
 * One scale for all rows, wide enough for what is significant. The square root keeps small intervals visible beside
 * large ones.
 */
export function intervalScale({ low, high, verdict }: Effects): IntervalScale {
  let limit = LIMIT_MIN;
  for (let row = 0; row < verdict.length; row++) {
    if (!isSignificant(verdict[row]!)) continue;
    for (const bound of [low[row]!, high[row]!]) if (Number.isFinite(bound)) limit = Math.max(limit, Math.abs(bound));
  }
  const room = scalePow()
    .exponent(0.5)
    .domain([-Math.min(limit, LIMIT_MAX), Math.min(limit, LIMIT_MAX)])
    .range([0, 1])
    .clamp(true);
  return (change) => room(change);
}

export interface IntervalRow extends Compared {
  readonly row: number;
}

export function fillInterval(cell: HTMLElement, effects: Effects, { row, ...of }: IntervalRow, scale: IntervalScale) {
  const verdict = effects.verdict[row]!;
  const [change, low, high] = [effects.change[row]!, effects.low[row]!, effects.high[row]!];
  const few = verdict === Verdict.tooFew;
  const text = few
    ? [relativeText(change), UNTESTED].filter(Boolean).join(' ')
    : changeText({ change, low, high }) || wordsWithout(verdict, of);
  const known = !few && Number.isFinite(change) && Number.isFinite(low) && Number.isFinite(high);
  const [from, at, to] = known ? [scale(low), scale(change), scale(high)] : [0, 0, 0];
  const bar = `left: ${from * 100}%; width: ${Math.max(0, to - from) * 100}%`;
  const parts = html`<span class="interval-text">${text}</span><span class="interval-track" aria-hidden="true"
    ><span class="interval-bar" ?hidden=${!known} .style=${bar}></span
    ><span class="interval-dot" ?hidden=${!known} .style=${`left: ${at * 100}%`}></span></span>`;
  render(parts, cell);
  cell.dataset.verdict = String(verdict);
}

/** In place of a ratio that does not exist. */
const wordsWithout = (verdict: number, of: Compared): string =>
  verdict === Verdict.noise ? '' : verdictText(verdict, of);
