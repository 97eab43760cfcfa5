// The columns of the table of waits.
import * as l10n from '@vscode/l10n';
import { countText, percentText, share, valueText } from '../../core/numbersAsText.ts';
import type { WaitTable } from '../content/waitTable.ts';
import { fillShare, fillText } from './cells.ts';
import { compareTexts } from './functionColumns.ts';
import { numberColumn, placeColumn } from './placeColumns.ts';
import type { Sort, TableColumn } from './virtualTable.ts';

export const WAIT_SORT: Sort = { column: 'waited', descending: true };

const UNIT = 'nanoseconds';
const RUN_QUEUE = 'run queue'; // as the engine has it

interface Waited {
  readonly waited: WaitTable['waited'];
  /** Of all rows that are not idle. */
  readonly total: number;
}

/** Time, and its share where threads had work; idle threads last. */
export function waitedColumn({ waited, total }: Waited, isIdle: (row: number) => boolean): TableColumn {
  const hint = l10n.t('Time in which threads waited; of idle threads, in no share');
  const column = numberColumn('waited', l10n.t('Waited'), hint, waited, String);
  return {
    ...column,
    compare: (a, b) => Number(isIdle(b)) - Number(isIdle(a)) || column.compare(a, b),
    fill: (cell, row) => {
      const part = isIdle(row) ? 0 : share(waited[row]!, total);
      fillShare(cell, part, isIdle(row) ? '' : percentText(part), valueText(waited[row]!, UNIT));
    },
  };
}

export function waitColumns(table: WaitTable): TableColumn[] {
  const { places, waitCount } = table;
  const isIdle = (row: number) => table.idle[row] === 1;
  const reasonOf = (row: number) => places.strings[table.reason[row]!]!;
  return [
    waitedColumn(table, isIdle),
    numberColumn('waits', l10n.t('Waits'), l10n.t('How often a thread waited'), waitCount, countText),
    numberColumn('mean', l10n.t('Mean'), l10n.t('How long a wait took on average'), table.mean, (ns) =>
      ns === 0 ? '' : valueText(ns, UNIT),
    ),
    numberColumn('threads', l10n.t('Threads'), l10n.t('How many threads waited'), table.threads, countText),
    {
      ...{ id: 'reason', title: l10n.t('For'), hint: l10n.t('What was waited for'), numeric: false },
      compare: (a, b) => compareTexts(reasonOf(a), reasonOf(b)),
      fill: (cell, row) => {
        fillText(cell, isIdle(row) ? l10n.t('{0} (idle)', reasonOf(row)) : reasonOf(row));
        cell.title = isIdle(row)
          ? l10n.t('These threads were parked nearly all the time, like workers without work')
          : '';
      },
    },
    placeColumn('waiting', l10n.t('Waiting at'), l10n.t('The line that waited'), places, (row) =>
      unknownPlace(reasonOf(row)),
    ),
  ];
}

/** Why there is no line where threads waited for this. */
export const unknownPlace = (reason: string): string =>
  reason === RUN_QUEUE ? l10n.t('ready, while others ran') : l10n.t('stack not known');
