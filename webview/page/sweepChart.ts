// The line chart of a sweep: mean wall time over the first parameter, a line for each combination of the others, with
// bars of one standard deviation. Lines differ by colour, dash and the shape of their points.
import * as l10n from '@vscode/l10n';
import { scaleLinear, scaleLog, scalePoint } from 'd3-scale';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { durationText } from '../../core/numbersAsText.ts';
import { cellText, type ShownSweep, type ShownSweepRow, spreadText } from '../../core/sweepMessages.ts';

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

export function sweepChart(sweep: ShownSweep, open: (index: number) => void): TemplateResult {
  const lines = linesOf(sweep);
  const x = xScale(sweep);
  const top = Math.max(...sweep.rows.map(({ meanWallNs, sdWallNs }) => meanWallNs + sdWallNs), 1);
  const y = scaleLinear()
    .domain([0, top])
    .nice(5)
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const [parameter] = sweep.parameters;
  const words =
    parameter === undefined
      ? l10n.t('Mean wall time by cell; the table below has every figure')
      : l10n.t('Mean wall time by {0}; the table below has every figure', parameter);
  return html`
    <figure class="sweep-figure">
      <svg class="sweep-chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label=${words}>
        ${axes(sweep, x, y)}
        ${lines.map((line, at) => lineOf(sweep, line, at, { x, y, open }))}
      </svg>
      ${lines.length > 1 ? legend(lines) : nothing}
    </figure>`;
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

function axes({ rows, parameters }: ShownSweep, x: Place, y: ReturnType<typeof scaleLinear<number, number>>) {
  const { left, right, bottom } = MARGIN;
  const firstOf = (row: ShownSweepRow) => row.values[0] ?? '';
  const distinct = rows.filter((row, at) => rows.findIndex((other) => firstOf(other) === firstOf(row)) === at);
  const tickOf = (tick: number) => svg`
    <line x1=${left} x2=${WIDTH - right} y1=${y(tick)} y2=${y(tick)}></line>
    <text x=${left - 8} y=${y(tick) + 4} text-anchor="end">${durationText(tick)}</text>`;
  const labelOf = (row: ShownSweepRow) =>
    svg`<text x=${x(row)} y=${HEIGHT - bottom + 18} text-anchor="middle">${firstOf(row)}</text>`;
  return svg`
    <g class="axes" aria-hidden="true">
      ${y.ticks(5).map(tickOf)}
      ${distinct.map(labelOf)}
      <text x=${(left + WIDTH - right) / 2} y=${HEIGHT - 6} text-anchor="middle" class="axis-title"
        >${parameters[0] ?? ''}</text>
    </g>`;
}

interface Drawing {
  readonly x: Place;
  readonly y: (value: number) => number;
  readonly open: (index: number) => void;
}

function lineOf(sweep: ShownSweep, line: Line, at: number, { x, y, open }: Drawing) {
  const rows = line.rows.map((index) => ({ index, row: sweep.rows[index]! })).sort((a, b) => x(a.row) - x(b.row));
  const points = rows.map(({ row }) => `${x(row)},${y(row.meanWallNs)}`).join(' ');
  return svg`
    <g class="sweep-line series-${at % COLOURS}">
      <polyline points=${points} stroke-dasharray=${dashesOf(at)}></polyline>
      ${rows.map(({ index, row }) => {
        const [left, middle] = [x(row), y(row.meanWallNs)];
        const [low, high] = [y(Math.max(0, row.meanWallNs - row.sdWallNs)), y(row.meanWallNs + row.sdWallNs)];
        const bar = `M${left - 4},${low}h8M${left - 4},${high}h8M${left},${low}V${high}`;
        const words = `${cellText(sweep, row)}: ${spreadText(row.meanWallNs, row.sdWallNs)}`;
        return svg`
          ${row.sdWallNs > 0 ? svg`<path class="bar-of-error" d=${bar}></path>` : nothing}
          ${pointOf(words, shapeAt(left, middle, at), () => open(index))}`;
      })}
    </g>`;
}

const dashesOf = (at: number): string => DASHES[at % DASHES.length]!;

function pointOf(words: string, shape: string, open: () => void) {
  const onKey = ({ key }: KeyboardEvent) => {
    if (key === 'Enter' || key === ' ') open();
  };
  return svg`<path class="sweep-point" d=${shape} tabindex="0" role="button" aria-label=${words}
    @click=${open} @keydown=${onKey}><title>${words}</title></path>`;
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

const legend = (lines: readonly Line[]) => html`
  <ul class="sweep-legend">${lines.map(
    ({ label }, at) => html`
      <li><svg width="34" height="14" class="sweep-line series-${at % COLOURS}" aria-hidden="true"
        ><polyline points="2,7 32,7" stroke-dasharray=${dashesOf(at)}></polyline
        ><path class="sweep-point" d=${shapeAt(17, 7, at)}></path></svg>${label}</li>`,
  )}</ul>`;
