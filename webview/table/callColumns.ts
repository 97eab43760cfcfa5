// The columns of counted calls in the table of functions.
import * as l10n from '@vscode/l10n';
import { html, render } from 'lit';
import { countText, valueText } from '../../core/numbersAsText.ts';
import type { CallTimes, CountedCalls } from '../content/tables.ts';
import { fillText } from './cells.ts';
import type { TableColumn } from './virtualTable.ts';

export function callColumns({ calls, perCall, low, high, unit, times }: CountedCalls): TableColumn[] {
  const text = (value: number) => (Number.isNaN(value) ? '' : valueText(value, unit));
  const known = (values: Float64Array, row: number) => (Number.isNaN(values[row]!) ? -1 : values[row]!);
  const column = (
    id: string,
    title: string,
    hint: string,
    values: Float64Array,
    fill: (cell: HTMLElement, row: number) => void,
  ) => ({
    ...{ id, title, hint, fill },
    numeric: true,
    compare: (a: number, b: number) => {
      const [one, other] = [known(values, a), known(values, b)];
      return one < other ? -1 : one > other ? 1 : 0;
    },
  });
  return [
    column(
      'calls',
      l10n.t('Calls'),
      l10n.t('Calls of the function, counted exactly; empty: not counted'),
      calls,
      (cell, row) => fillText(cell, Number.isNaN(calls[row]!) ? '' : countText(calls[row]!)),
    ),
    column(
      'perCall',
      l10n.t('Per call'),
      l10n.t('Total by calls, with the 95 % interval that the number of samples leaves open'),
      perCall,
      (cell, row) => {
        const value = text(perCall[row]!);
        const interval = value && l10n.t('({0} to {1})', text(low[row]!), text(high[row]!));
        cell.title = value && `${value} ${interval}`;
        render(html`${value} <span class="interval">${interval}</span>`, cell);
      },
    ),
    ...(times ? durationColumns(times) : []),
  ];

  function durationColumns({ p50, p90, p99, longest }: CallTimes): TableColumn[] {
    const duration = (id: string, title: string, hint: string, values: Float64Array) =>
      column(id, title, hint, values, (cell, row) =>
        fillText(cell, Number.isNaN(values[row]!) ? '' : valueText(values[row]!, 'nanoseconds')),
      );
    return [
      duration('callP50', 'p50', l10n.t('Half of the timed calls took at most this long, waiting included'), p50),
      duration(
        'callP90',
        'p90',
        l10n.t('{0} of the timed calls took at most this long, waiting included', '90 %'),
        p90,
      ),
      duration(
        'callP99',
        'p99',
        l10n.t('{0} of the timed calls took at most this long, waiting included', '99 %'),
        p99,
      ),
      duration('callLongest', l10n.t('Longest'), l10n.t('The longest of the timed calls, waiting included'), longest),
    ];
  }
}
