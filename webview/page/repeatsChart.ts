// The repeats of both sides as dots on one scale, a line at each side's median. Drawn in SVG; the figure says in words
// what it shows, and each dot has its own.
import { scaleLinear } from 'd3-scale';
import { perText } from '../../core/changeText.ts';
import type { ShownSide } from '../../core/comparisonMessages.ts';
import { durationText } from '../../core/numbersAsText.ts';
import { element, svgElement } from './elements.ts';

const WIDTH = 300;
const LEFT = 38;
const RIGHT = 10;
const ROW = 20;
const DOT = 3.5;

export interface Repeats {
  readonly base: ShownSide;
  readonly new: ShownSide;
  readonly per: string;
}

/** The figure; undefined where neither side was repeated. */
export function repeatsChart({ base, new: later, per }: Repeats): HTMLElement | undefined {
  if (base.executions.length < 2 && later.executions.length < 2) return undefined;
  const sides = [base, later].filter(({ executions }) => executions.length > 0);
  const low = Math.min(...sides.map(({ least }) => least));
  const high = Math.max(...sides.map(({ greatest }) => greatest));
  const x = scaleLinear()
    .domain(low < high ? [low, high] : [low - 1, high + 1])
    .range([LEFT + DOT, WIDTH - RIGHT]);
  const height = 2 * ROW + 16;
  const svg = svgElement('svg', {
    class: 'repeats',
    viewBox: `0 0 ${WIDTH} ${height}`,
    width: WIDTH,
    height,
    role: 'img',
    'aria-label': `${sentenceOf('base', base)} ${sentenceOf('new', later)}`,
  });
  svg.append(rowOf('base', base, 0, x), rowOf('new', later, ROW, x));
  const label = (at: number, anchor: string, value: number) => {
    const text = svgElement('text', { class: 'repeats-scale', x: at, y: height - 3, 'text-anchor': anchor });
    text.textContent = durationText(value);
    return text;
  };
  svg.append(label(x(low), 'start', low));
  if (high > low) svg.append(label(x(high), 'end', high));
  const caption = `${perText(per)}, each run a dot`;
  return element('figure', { class: 'repeats-figure' }, svg, element('figcaption', {}, caption));
}

function rowOf(
  side: 'base' | 'new',
  { executions, median }: ShownSide,
  top: number,
  x: (value: number) => number,
): SVGElement {
  const middle = top + ROW / 2;
  const name = svgElement('text', { class: 'repeats-side', x: 0, y: middle + 4 });
  name.textContent = side;
  const row = svgElement('g', { class: `repeats-${side}` });
  row.append(name, svgElement('line', { class: 'repeats-rail', x1: LEFT, x2: WIDTH - RIGHT, y1: middle, y2: middle }));
  for (const { value, outlier, text } of executions) {
    const dot = svgElement('circle', { cx: x(value), cy: middle, r: DOT, class: outlier ? 'dot outlier' : 'dot' });
    const title = svgElement('title', {});
    title.textContent = `${durationText(value)} · ${text}`;
    dot.append(title);
    row.append(dot);
  }
  if (executions.length > 1) {
    const at = x(median);
    row.append(svgElement('line', { class: 'repeats-median', x1: at, x2: at, y1: top + 2, y2: top + ROW - 2 }));
  }
  return row;
}

function sentenceOf(side: string, { executions, median, least, greatest }: ShownSide): string {
  if (executions.length === 0) return `The ${side} side says nothing of its runs.`;
  const count = `${executions.length} ${executions.length === 1 ? 'run' : 'runs'}`;
  const outliers = executions.filter(({ outlier }) => outlier).length;
  const range = `median ${durationText(median)}, ${durationText(least)} to ${durationText(greatest)}`;
  return `The ${side} side: ${count}, ${range}${outliers > 0 ? `, ${outliers} of them outliers` : ''}.`;
}
