// The columns of the table of functions of one run.
import * as l10n from '@vscode/l10n';
import { countedIn } from '../../core/measureText.ts';
import { countText, percentText, share, valueText } from '../../core/numbersAsText.ts';
import type { Counted } from '../../core/sampleCount.ts';
import { frameFile, frameModule, frameName, isKernel } from '../content/frameTable.ts';
import type { FunctionTable } from '../content/tables.ts';
import { callColumns } from './callColumns.ts';
import { fillFunction, fillShare, fillText } from './cells.ts';
import { rowNames } from './rowNames.ts';
import type { Sort, TableColumn } from './virtualTable.ts';

export const FUNCTION_SORT: Sort = { column: 'self', descending: true };

export function functionColumns(table: FunctionTable): TableColumn[] {
  const { frames, unit, totalValue } = table;
  const valued = (id: string, title: string, hint: string, values: Float64Array): TableColumn => ({
    id,
    title,
    hint,
    numeric: true,
    compare: (a, b) => compareNumbers(values[a]!, values[b]!),
    fill: (cell, row) => {
      const part = share(values[row]!, totalValue);
      fillShare(cell, part, percentText(part), valueText(values[row]!, unit));
    },
  });
  const { selfSamples, totalSamplesOfRow, type } = table;
  const nameOf = rowNames(frames);
  return [
    valued('self', l10n.t('Self'), l10n.t('Spent in the function itself, without inlined calls'), table.selfValue),
    valued('total', l10n.t('Total'), l10n.t('Spent in the function and everything it called'), table.totalValueOfRow),
    ...(selfSamples && totalSamplesOfRow ? [countColumn(countedIn(type), selfSamples, totalSamplesOfRow)] : []),
    ...(table.calls ? callColumns(table.calls) : []),
    {
      id: 'name',
      title: l10n.t('Function'),
      hint: l10n.t('The function'),
      numeric: false,
      compare: (a, b) => compareTexts(frameName(frames, a), frameName(frames, b)),
      fill: (cell, row) => {
        const file = frameFile(frames, row);
        const line = frames.line[row]!;
        const place = file && line > 0 ? `${file}:${line}` : file;
        fillFunction(cell, { name: frameName(frames, row), short: nameOf(row), place });
        cell.classList.toggle('kernel', isKernel(frames.kind[row]!));
      },
    },
    {
      id: 'module',
      title: l10n.t('Module'),
      hint: l10n.t('The program or library that holds the function'),
      numeric: false,
      compare: (a, b) => compareTexts(frameModule(frames, a), frameModule(frames, b)),
      fill: (cell, row) => fillText(cell, frameModule(frames, row)),
    },
  ];
}

const countColumn = (counted: Counted, self: Uint32Array, total: Uint32Array): TableColumn => ({
  id: 'samples',
  title: counted === 'waits' ? l10n.t('Self waits') : l10n.t('Self samples'),
  hint:
    counted === 'waits'
      ? l10n.t('Waits in the function itself; the tooltip has those with it anywhere on the stack')
      : l10n.t('Samples in the function itself; the tooltip has those with it anywhere on the stack'),
  numeric: true,
  compare: (a, b) => compareNumbers(self[a]!, self[b]!),
  fill: (cell, row) => {
    cell.textContent = countText(self[row]!);
    cell.title = l10n.t('{0} self, {1} total', countText(self[row]!), countText(total[row]!));
  },
});

/** Plain code-unit order: the same everywhere, and quick for a hundred thousand names. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const compareNumbers = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
