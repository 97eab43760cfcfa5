// The columns of the table of functions of one run.
import { countText, percentText, share, valueText } from '../../core/numbersAsText.ts';
import { FrameKind, frameFile, frameModule, frameName } from '../content/frameTable.ts';
import type { FunctionTable } from '../content/tables.ts';
import { fillFunction, fillShare, fillText } from './cells.ts';
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
  const { selfSamples, totalSamplesOfRow } = table;
  return [
    valued('self', 'Self', 'Spent in the function itself, inlined calls apart', table.selfValue),
    valued('total', 'Total', 'Spent in the function and in all that it called', table.totalValueOfRow),
    {
      id: 'samples',
      title: 'Samples',
      hint: 'Samples in the function itself; the tooltip has those with it anywhere on the stack',
      numeric: true,
      compare: (a, b) => compareNumbers(selfSamples[a]!, selfSamples[b]!),
      fill: (cell, row) => {
        cell.textContent = countText(selfSamples[row]!);
        cell.title = `${countText(selfSamples[row]!)} self, ${countText(totalSamplesOfRow[row]!)} total`;
      },
    },
    {
      id: 'name',
      title: 'Function',
      hint: 'The function',
      numeric: false,
      compare: (a, b) => compareTexts(frameName(frames, a), frameName(frames, b)),
      fill: (cell, row) => {
        const file = frameFile(frames, row);
        const line = frames.line[row]!;
        fillFunction(cell, frameName(frames, row), file && line > 0 ? `${file}:${line}` : file);
        cell.classList.toggle('kernel', frames.kind[row] === FrameKind.kernel);
      },
    },
    {
      id: 'module',
      title: 'Module',
      hint: 'The program or library that holds the function',
      numeric: false,
      compare: (a, b) => compareTexts(frameModule(frames, a), frameModule(frames, b)),
      fill: (cell, row) => fillText(cell, frameModule(frames, row)),
    },
  ];
}

/** Plain code-unit order: the same everywhere, and quick for a hundred thousand names. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const compareNumbers = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
