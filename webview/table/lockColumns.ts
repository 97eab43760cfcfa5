// The columns of the table of waits for locks.
import * as l10n from '@vscode/l10n';
import { countText, percentText, share, valueText } from '../../core/numbersAsText.ts';
import { Held, type LockTable } from '../content/lockTable.ts';
import { fillShare, fillText } from './cells.ts';
import { compareTexts } from './functionColumns.ts';
import { numberColumn, placeColumn } from './placeColumns.ts';
import type { Sort, TableColumn } from './virtualTable.ts';

export const LOCK_SORT: Sort = { column: 'waited', descending: true };

const UNIT = 'nanoseconds';

export function lockColumns(table: LockTable): TableColumn[] {
  const threadOf = (row: number) => table.holder.strings[table.thread[row]!]!;
  return [
    {
      ...numberColumn(
        'waited',
        l10n.t('Waited'),
        l10n.t('Time in which threads waited for the lock'),
        table.waited,
        String,
      ),
      fill: (cell, row) => {
        const part = share(table.waited[row]!, table.total);
        fillShare(cell, part, percentText(part), valueText(table.waited[row]!, UNIT));
      },
    },
    numberColumn('waits', l10n.t('Waits'), l10n.t('How often a thread waited'), table.waitCount, countText),
    numberColumn('longest', l10n.t('Longest'), l10n.t('The longest wait'), table.longest, (ns) =>
      ns === 0 ? '' : valueText(ns, UNIT),
    ),
    numberColumn('threads', l10n.t('Threads'), l10n.t('How many threads waited'), table.threads, countText),
    placeColumn('waiting', l10n.t('Waiting at'), l10n.t('The line that waited for the lock'), table.waiting, () =>
      l10n.t('stack not known'),
    ),
    {
      ...placeColumn(
        'held',
        l10n.t('Held at'),
        l10n.t('The line where the holder of the lock was'),
        table.holder,
        (row) => (table.held[row] === Held.by ? l10n.t('not seen') : l10n.t('not known')),
      ),
      isSecondPlace: true,
    },
    {
      ...{
        id: 'holder',
        title: l10n.t('Held by'),
        hint: l10n.t('Name of the thread that held the lock'),
        numeric: false,
      },
      compare: (a, b) => compareTexts(threadOf(a), threadOf(b)),
      fill: (cell, row) => fillText(cell, threadOf(row)),
    },
  ];
}
