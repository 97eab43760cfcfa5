// The repeats of both sides as dots on one scale, a line at each side's median. Drawn in SVG; the figure says in words
// what it shows, and each dot has its own.
import * as l10n from '@vscode/l10n';
import { scaleLinear } from 'd3-scale';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { perText } from '../../core/changeText.ts';
import type { ShownSide } from '../../core/comparisonMessages.ts';
import { measureName, type ShownMeasure } from '../../core/measureText.ts';
import { valueText } from '../../core/numbersAsText.ts';

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

/** The figure of what was measured; nothing where neither side was repeated. */
export function repeatsChart(
  { base, new: later, per }: Repeats,
  measure: ShownMeasure,
): TemplateResult | typeof nothing {
  if (base.executions.length < 2 && later.executions.length < 2) return nothing;
  const sides = [base, later].filter(({ executions }) => executions.length > 0);
  const low = Math.min(...sides.map(({ least }) => least));
  const high = Math.max(...sides.map(({ greatest }) => greatest));
  const x = scaleLinear()
    .domain(low < high ? [low, high] : [low - 1, high + 1])
    .range([LEFT + DOT, WIDTH - RIGHT]);
  const height = 2 * ROW + 16;
  const text = (value: number) => valueText(value, measure.unit);
  const label = (anchor: string, value: number) =>
    svg`<text class="repeats-scale" x=${x(value)} y=${height - 3} text-anchor=${anchor}>${text(value)}</text>`;
  const words = `${sentenceOf('base', base, text)} ${sentenceOf('new', later, text)}`;
  return html`
    <figure class="repeats-figure">
      <svg class="repeats" viewBox="0 0 ${WIDTH} ${height}" width=${WIDTH} height=${height} role="img" aria-label=${words}>
        ${rowOf('base', base, 0, { x, text })}
        ${rowOf('new', later, ROW, { x, text })}
        ${label('start', low)}
        ${high > low ? label('end', high) : nothing}
      </svg>
      <figcaption>${l10n.t('{0}, each run a dot', perText(per, measureName(measure)))}</figcaption>
    </figure>`;
}

interface Scale {
  x(value: number): number;
  text(value: number): string;
}

function rowOf(side: 'base' | 'new', { executions, median }: ShownSide, top: number, { x, text }: Scale) {
  const middle = top + ROW / 2;
  const dots = executions.map(
    ({ value, outlier, text: facts }) =>
      svg`<circle cx=${x(value)} cy=${middle} r=${DOT} class=${outlier ? 'dot outlier' : 'dot'}
        ><title>${text(value)} · ${facts}</title></circle>`,
  );
  const line = svg`<line class="repeats-median" x1=${x(median)} x2=${x(median)} y1=${top + 2} y2=${top + ROW - 2}></line>`;
  return svg`
    <g class="repeats-${side}">
      <text class="repeats-side" x="0" y=${middle + 4}>${side === 'base' ? l10n.t('base') : l10n.t('new')}</text>
      <line class="repeats-rail" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${middle} y2=${middle}></line>
      ${dots}
      ${executions.length > 1 ? line : nothing}
    </g>`;
}

function sentenceOf(
  side: 'base' | 'new',
  { executions, median, least, greatest }: ShownSide,
  text: Scale['text'],
): string {
  const isBase = side === 'base';
  if (executions.length === 0)
    return isBase
      ? l10n.t('The base run has no figures for single executions.')
      : l10n.t('The new run has no figures for single executions.');
  const count = executions.length === 1 ? l10n.t('{0} run', executions.length) : l10n.t('{0} runs', executions.length);
  const outliers = executions.filter(({ outlier }) => outlier).length;
  const range = l10n.t('median {0}, {1} to {2}', text(median), text(least), text(greatest));
  if (outliers === 0)
    return isBase ? l10n.t('The base side: {0}, {1}.', count, range) : l10n.t('The new side: {0}, {1}.', count, range);
  return isBase
    ? l10n.t('The base side: {0}, {1}, {2} of them outliers.', count, range, outliers)
    : l10n.t('The new side: {0}, {1}, {2} of them outliers.', count, range, outliers);
}
