// The repeats of both sides as dots on one scale, a line at each side's median. Drawn in SVG; the figure says in words
// what it shows, and each dot has its own.
import { scaleLinear } from 'd3-scale';
import { perText } from '../../core/changeText.ts';
import type { ShownExecution } from '../../core/comparisonMessages.ts';
import { durationText } from '../../core/numbersAsText.ts';
import { element, svgElement } from './elements.ts';

const WIDTH = 300;
const LEFT = 38;
const RIGHT = 10;
const ROW = 20;
const DOT = 3.5;

export interface Repeats {
  readonly base: readonly ShownExecution[];
  readonly new: readonly ShownExecution[];
  readonly per: string;
}

/** The figure; undefined where neither side was repeated. */
export function repeatsChart({ base, new: later, per }: Repeats): HTMLElement | undefined {
  if (base.length < 2 && later.length < 2) return undefined;
  const values = [...base, ...later].map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
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
  executions: readonly ShownExecution[],
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
    const at = x(medianOf(executions));
    row.append(svgElement('line', { class: 'repeats-median', x1: at, x2: at, y1: top + 2, y2: top + ROW - 2 }));
  }
  return row;
}

function sentenceOf(side: string, executions: readonly ShownExecution[]): string {
  if (executions.length === 0) return `The ${side} side says nothing of its runs.`;
  const values = executions.map(({ value }) => value);
  const count = `${executions.length} ${executions.length === 1 ? 'run' : 'runs'}`;
  const outliers = executions.filter(({ outlier }) => outlier).length;
  const range = `median ${durationText(medianOf(executions))}, ${durationText(Math.min(...values))} to ${durationText(Math.max(...values))}`;
  return `The ${side} side: ${count}, ${range}${outliers > 0 ? `, ${outliers} of them outliers` : ''}.`;
}

/** Where the line of the drawing stands. */
function medianOf(executions: readonly ShownExecution[]): number {
  const sorted = executions.map(({ value }) => value).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
