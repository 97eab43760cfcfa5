// The line chart of a sweep: mean wall time over the first parameter, a line for each combination of the others, with
// bars of one standard deviation. Lines differ by colour, dash and the shape of their points.
import { scaleLinear, scaleLog, scalePoint } from 'd3-scale';
import { durationText } from '../../core/numbersAsText.ts';
import { cellText, type ShownSweep, type ShownSweepRow, spreadText } from '../../core/sweepMessages.ts';
import { element, svgElement } from './elements.ts';

const WIDTH = 720;
const HEIGHT = 300;
const MARGIN = { left: 74, right: 20, top: 14, bottom: 44 };
/** How many colours the style sheet has for lines, by theme. */
const COLOURS = 6;
const DASHES = ['', '6 3', '2 3', '8 3 2 3'];
const SHAPES = ['circle', 'square', 'diamond', 'triangle'] as const;
/** From this ratio of the largest to the smallest value on, the values of the first parameter stand logarithmically. */
const LOG_RATIO = 8;

interface Line {
  readonly label: string;
  readonly rows: readonly number[]; // into sweep.rows
}

export function sweepChart(sweep: ShownSweep, open: (index: number) => void): HTMLElement {
  const lines = linesOf(sweep);
  const x = xScale(sweep);
  const top = Math.max(...sweep.rows.map(({ meanWallNs, sdWallNs }) => meanWallNs + sdWallNs), 1);
  const y = scaleLinear()
    .domain([0, top])
    .nice(5)
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const svg = svgElement('svg', {
    class: 'sweep-chart',
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: 'group',
    'aria-label': `Mean wall time by ${sweep.parameters[0] ?? 'cell'}; the table below has every figure`,
  });
  svg.append(axes(sweep, x, y));
  for (const [at, line] of lines.entries()) svg.append(lineOf(sweep, line, at, { x, y, open }));
  const figure = element('figure', { class: 'sweep-figure' }, svg);
  if (lines.length > 1) figure.append(legend(lines));
  return figure;
}

/** A line for each combination of the values beyond the first. */
function linesOf({ rows, parameters }: ShownSweep): Line[] {
  const byLabel = new Map<string, number[]>();
  rows.forEach(({ values }, row) => {
    const label = parameters
      .slice(1)
      .map((name, at) => `${name}=${values[at + 1] ?? ''}`)
      .join(' ');
    const known = byLabel.get(label);
    if (known) known.push(row);
    else byLabel.set(label, [row]);
  });
  return [...byLabel].map(([label, members]) => ({ label, rows: members }));
}

type Place = (row: ShownSweepRow) => number;

function xScale({ rows }: ShownSweep): Place {
  const values = [...new Set(rows.map(({ values: [first = ''] }) => first))];
  const numbers = values.map(Number);
  const room: [number, number] = [MARGIN.left + 20, WIDTH - MARGIN.right - 20];
  if (values.every((value) => value.trim() !== '') && numbers.every(Number.isFinite)) {
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const scale = low > 0 && high / low >= LOG_RATIO ? scaleLog() : scaleLinear();
    scale.domain(low < high ? [low, high] : [low - 1, high + 1]).range(room);
    return ({ values: [first] }) => scale(Number(first));
  }
  const scale = scalePoint().domain(values).range(room);
  return ({ values: [first = ''] }) => scale(first) ?? room[0];
}

function axes(sweep: ShownSweep, x: Place, y: ReturnType<typeof scaleLinear<number, number>>): SVGElement {
  const group = svgElement('g', { class: 'axes', 'aria-hidden': 'true' });
  const words = (attributes: Record<string, string | number>, text: string) => {
    const made = svgElement('text', attributes);
    made.textContent = text;
    group.append(made);
  };
  for (const tick of y.ticks(5)) {
    group.append(svgElement('line', { x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(tick), y2: y(tick) }));
    words({ x: MARGIN.left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, durationText(tick));
  }
  const seen = new Set<string>();
  for (const row of sweep.rows) {
    const [first = ''] = row.values;
    if (seen.has(first)) continue;
    seen.add(first);
    words({ x: x(row), y: HEIGHT - MARGIN.bottom + 18, 'text-anchor': 'middle' }, first);
  }
  const middle = (MARGIN.left + WIDTH - MARGIN.right) / 2;
  words({ x: middle, y: HEIGHT - 6, 'text-anchor': 'middle', class: 'axis-title' }, sweep.parameters[0] ?? '');
  return group;
}

interface Drawing {
  readonly x: Place;
  readonly y: (value: number) => number;
  readonly open: (index: number) => void;
}

function lineOf(sweep: ShownSweep, line: Line, at: number, { x, y, open }: Drawing): SVGElement {
  const group = coloured(svgElement('g', { class: 'sweep-line' }), at);
  const sorted = [...line.rows].sort((a, b) => x(sweep.rows[a]!) - x(sweep.rows[b]!));
  const points = sorted.map((row) => `${x(sweep.rows[row]!)},${y(sweep.rows[row]!.meanWallNs)}`).join(' ');
  group.append(svgElement('polyline', { points, 'stroke-dasharray': DASHES[at % DASHES.length]! }));
  for (const index of sorted) {
    const row = sweep.rows[index]!;
    const [left, middle] = [x(row), y(row.meanWallNs)];
    if (row.sdWallNs > 0) {
      const [low, high] = [y(Math.max(0, row.meanWallNs - row.sdWallNs)), y(row.meanWallNs + row.sdWallNs)];
      group.append(
        svgElement('path', {
          class: 'bar-of-error',
          d: `M${left - 4},${low}h8M${left - 4},${high}h8M${left},${low}V${high}`,
        }),
      );
    }
    group.append(
      pointOf(`${cellText(sweep, row)}: ${spreadText(row.meanWallNs, row.sdWallNs)}`, left, middle, at, () =>
        open(index),
      ),
    );
  }
  return group;
}

function coloured(line: SVGElement, at: number): SVGElement {
  line.style.setProperty('--series', `var(--series-${at % COLOURS})`);
  return line;
}

function pointOf(words: string, x: number, y: number, series: number, open: () => void): SVGElement {
  const point = svgElement('path', {
    class: 'sweep-point',
    d: shapeAt(x, y, series),
    tabindex: 0,
    role: 'button',
    'aria-label': words,
  });
  const title = svgElement('title', {});
  title.textContent = words;
  point.append(title);
  point.addEventListener('click', open);
  point.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') open();
  });
  return point;
}

function shapeAt(x: number, y: number, series: number): string {
  switch (SHAPES[series % SHAPES.length]) {
    case 'square':
      return `M${x - 4},${y - 4}h8v8h-8z`;
    case 'diamond':
      return `M${x},${y - 6}l6,6l-6,6l-6,-6z`;
    case 'triangle':
      return `M${x},${y - 6}l6,10h-12z`;
    default:
      return `M${x - 4.5},${y}a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0`;
  }
}

function legend(lines: readonly Line[]): HTMLElement {
  const items = lines.map(({ label }, at) => {
    const sample = coloured(
      svgElement('svg', { width: 34, height: 14, class: 'sweep-line', 'aria-hidden': 'true' }),
      at,
    );
    sample.append(
      svgElement('polyline', { points: '2,7 32,7', 'stroke-dasharray': DASHES[at % DASHES.length]! }),
      svgElement('path', { class: 'sweep-point', d: shapeAt(17, 7, at) }),
    );
    return element('li', {}, sample, label);
  });
  return element('ul', { class: 'sweep-legend' }, ...items);
}
