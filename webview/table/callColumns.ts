// The columns of counted calls in the table of functions.
import * as l10n from '@vscode/l10n';
import { countText, valueText } from '../../core/numbersAsText.ts';
import type { CountedCalls } from '../content/tables.ts';
import { fillText } from './cells.ts';
import type { TableColumn } from './virtualTable.ts';

export function callColumns({ calls, perCall, low, high, unit }: CountedCalls): TableColumn[] {
  const text = (value: number) => (Number.isNaN(value) ? '' : valueText(value, unit));
  const known = (values: Float64Array, row: number) => (Number.isNaN(values[row]!) ? -1 : values[row]!);
  const column = (id: string, title: string, hint: string, values: Float64Array, fill: (row: number) => string) => ({
    id,
    title,
    hint,
    numeric: true,
    compare: (a: number, b: number) => {
      const [one, other] = [known(values, a), known(values, b)];
      return one < other ? -1 : one > other ? 1 : 0;
    },
    fill: (cell: HTMLElement, row: number) => fillText(cell, fill(row)),
  });
  return [
    column(
      'calls',
      l10n.t('Calls'),
      l10n.t('Calls of the function, counted exactly; empty: not counted'),
      calls,
      (row) => (Number.isNaN(calls[row]!) ? '' : countText(calls[row]!)),
    ),
    column(
      'perCall',
      l10n.t('Per call'),
      l10n.t('Total by calls, with the 95 % interval that the number of samples leaves open'),
      perCall,
      (row) => {
        const value = text(perCall[row]!);
        return value && l10n.t('{0} ({1} to {2})', value, text(low[row]!), text(high[row]!));
      },
    ),
  ];
}
