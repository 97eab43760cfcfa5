// The columns of the table of lines that allocate memory.
import * as l10n from '@vscode/l10n';
import { countText, percentText, share, valueText } from '../../core/numbersAsText.ts';
import type { AllocationTable, MemoryColumn } from '../content/allocationTable.ts';
import { frameFile, frameModule, frameName, isKernel } from '../content/frameTable.ts';
import { fillFunction, fillShare, fillText } from '../table/cells.ts';
import { compareNumbers, compareTexts } from '../table/functionColumns.ts';
import { rowNames } from '../table/rowNames.ts';
import type { Sort, TableColumn } from '../table/virtualTable.ts';

export const ALLOCATION_SORT: Sort = { column: 'allocated', descending: true };

export function allocationColumns(table: AllocationTable): TableColumn[] {
  const { frames, allocated, inUse, peak, temporary } = table;
  const memory = (id: string, title: string, hint: string, column: MemoryColumn | undefined): TableColumn[] =>
    column ? [memoryColumn({ id, title, hint }, column)] : [];
  const nameOf = rowNames(frames);
  const place = (row: number) => placeOf(frameFile(frames, row), frames.line[row]!);
  return [
    ...memory('allocated', l10n.t('Allocated'), l10n.t('All memory that the line allocated'), allocated),
    ...memory(
      'inUse',
      l10n.t('In use'),
      l10n.t('Memory of the line that was never freed, or not by the end of the selected time'),
      inUse,
    ),
    ...memory('peak', l10n.t('Peak'), l10n.t('Memory of the line at the moment when most memory was in use'), peak),
    ...memory(
      'temporary',
      l10n.t('Temporary'),
      l10n.t('Memory of the line that the same thread freed soon'),
      temporary,
    ),
    ...(allocated ? [objectsColumn(allocated), errorColumn(allocated)] : []),
    {
      id: 'line',
      title: l10n.t('Line'),
      hint: l10n.t('The line that allocated the memory, or the module where no line is known'),
      numeric: false,
      compare: (a, b) =>
        compareTexts(frameFile(frames, a), frameFile(frames, b)) || compareNumbers(frames.line[a]!, frames.line[b]!),
      fill: (cell, row) => {
        const { short, long } = place(row);
        fillText(cell, long || frameModule(frames, row));
        if (short) cell.textContent = short;
      },
    },
    {
      id: 'name',
      title: l10n.t('Function'),
      hint: l10n.t('The function'),
      numeric: false,
      compare: (a, b) => compareTexts(frameName(frames, a), frameName(frames, b)),
      fill: (cell, row) => {
        fillFunction(cell, { name: frameName(frames, row), short: nameOf(row), place: place(row).long });
        cell.classList.toggle('kernel', isKernel(frames.kind[row]!));
      },
    },
  ];
}

type Head = Pick<TableColumn, 'id' | 'title' | 'hint'>;

const memoryColumn = (head: Head, { space, error, totalSpace }: MemoryColumn): TableColumn => ({
  ...head,
  numeric: true,
  compare: (a, b) => compareNumbers(space[a]!, space[b]!),
  fill: (cell, row) => {
    const part = share(space[row]!, totalSpace);
    const value = valueText(space[row]!, 'bytes');
    fillShare(cell, part, percentText(part), space[row] === 0 ? '' : value);
    const off = errorText(error[row]!);
    cell.title = off ? l10n.t('{0} ({1}), {2}', value, off, percentText(part)) : `${value}, ${percentText(part)}`;
  },
});

const objectsColumn = ({ objects }: MemoryColumn): TableColumn => ({
  id: 'objects',
  title: l10n.t('Allocations'),
  hint: l10n.t('How many blocks of memory the line allocated'),
  numeric: true,
  compare: (a, b) => compareNumbers(objects[a]!, objects[b]!),
  fill: (cell, row) => fillText(cell, countText(objects[row]!)),
});

const errorColumn = ({ error }: MemoryColumn): TableColumn => {
  const known = (row: number) => (Number.isNaN(error[row]!) ? Number.POSITIVE_INFINITY : error[row]!);
  return {
    id: 'error',
    title: l10n.t('Error'),
    hint: l10n.t('Relative standard error of the allocated memory, which is sampled; empty: nothing is known of it'),
    numeric: true,
    compare: (a, b) => compareNumbers(known(a), known(b)),
    fill: (cell, row) => fillText(cell, errorText(error[row]!)),
  };
};

/** `± 4.5 %`; empty where nothing is known, or nothing is a matter of chance. */
const errorText = (error: number): string => (error > 0 ? l10n.t('± {0}', percentText(error)) : '');

/** The name of a file with the line, and its whole path with it; both empty where no file is known. */
function placeOf(file: string, line: number): { short: string; long: string } {
  if (file === '') return { short: '', long: '' };
  const behind = line > 0 ? `:${line}` : '';
  return { short: file.slice(file.lastIndexOf('/') + 1) + behind, long: file + behind };
}
