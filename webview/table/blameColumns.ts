// The columns of the table of waits by what caused them.
import * as l10n from '@vscode/l10n';
import { countText, valueText } from '../../core/numbersAsText.ts';
import { type BlameTable, Evidence } from '../content/blameTable.ts';
import { frameName } from '../content/frameTable.ts';
import { fillNotedFunction, fillText } from './cells.ts';
import { compareTexts } from './functionColumns.ts';
import { numberColumn, placeColumn, placeText, shortPlace } from './placeColumns.ts';
import type { Sort, TableColumn } from './virtualTable.ts';
import { unknownPlace, waitedColumn } from './waitColumns.ts';

export const BLAME_SORT: Sort = { column: 'waited', descending: true };

const UNIT = 'nanoseconds';

export function blameColumns(table: BlameTable): TableColumn[] {
  const { causes, evidence } = table;
  const isIdle = (row: number) => evidence[row] === Evidence.idle;
  const reasonsOf = (row: number) => causes.strings[table.reasons[row]!]!;
  const unnamed = (row: number) => {
    if (isIdle(row)) return l10n.t('idle threads');
    return causes.strings[table.endedBy[row]!]! || l10n.t('not known ({0})', reasonsOf(row));
  };
  return [
    waitedColumn(table, isIdle),
    numberColumn('waits', l10n.t('Waits'), l10n.t('How often a thread waited'), table.waitCount, countText),
    numberColumn('threads', l10n.t('Threads'), l10n.t('How many threads waited'), table.threads, countText),
    causeColumn(table, unnamed),
    textColumn('how', l10n.t('How'), l10n.t('What is known of the cause'), (row) => howOf(table, row)),
    textColumn('reason', l10n.t('For'), l10n.t('What was waited for'), reasonsOf),
    waitingColumn(table),
  ];
}

/** A narrow page has no column for how the line is known: the tooltip has it, too. */
function causeColumn(table: BlameTable, unnamed: (row: number) => string): TableColumn {
  const { causes } = table;
  const hint = l10n.t('The line that held the lock or ended the wait, or what did');
  const column = placeColumn('cause', l10n.t('Caused at'), hint, causes, unnamed);
  const name = (row: number) => frameName(causes, row) || unnamed(row);
  return {
    ...column,
    compare: (a, b) => compareTexts(name(a), name(b)) || column.compare(a, b),
    fill: (cell, row) => {
      column.fill(cell, row);
      if (frameName(causes, row) !== '') cell.title = [cell.title, howOf(table, row)].join('\n');
    },
  };
}

function howOf({ evidence, endedBy, causes }: BlameTable, row: number): string {
  if (evidence[row] === Evidence.held) return l10n.t('held the lock');
  const isEnded = evidence[row] === Evidence.ended || causes.strings[endedBy[row]!] !== '';
  return isEnded ? l10n.t('ended the wait') : '';
}

const textColumn = (id: string, title: string, hint: string, text: (row: number) => string): TableColumn => ({
  ...{ id, title, hint, numeric: false },
  compare: (a, b) => compareTexts(text(a), text(b)),
  fill: (cell, row) => fillText(cell, text(row)),
});

/** The line that waited most and how many others did; the tooltip has these, too. */
function waitingColumn(table: BlameTable): TableColumn {
  const { waiting, causes } = table;
  const column = placeColumn('waiting', l10n.t('Waiting at'), l10n.t('The line that waited most'), waiting, (row) =>
    unknownPlace(causes.strings[table.reasons[row]!]!),
  );
  const topLines = linesByRow(table);
  return {
    ...column,
    isSecondPlace: true,
    fill: (cell, row) => {
      column.fill(cell, row);
      const others = table.lines[row]! - 1;
      const name = frameName(waiting, row);
      if (others < 1 || name === '') return;
      fillNotedFunction(cell, { name, short: name, note: `${shortPlace(waiting, row)} +${others}` });
      cell.title = topLines(row).join('\n');
    },
  };
}

/** Of each row, the lines that waited, as sentences. */
function linesByRow(table: BlameTable): (row: number) => string[] {
  const first = new Map<number, number[]>();
  for (const [at, row] of table.topRow.entries()) first.set(row, [...(first.get(row) ?? []), at]);
  return (row) => {
    const shown = first.get(row) ?? [];
    const lines = shown.map((at) => {
      const place = placeText(table.topLines, at).replace('\n', ' ') || l10n.t('stack not known');
      return l10n.t('{0} at {1}', valueText(table.topWaited[at]!, UNIT), place);
    });
    const rest = table.lines[row]! - shown.length;
    return rest > 0 ? [...lines, l10n.t('and {0} more lines', countText(rest))] : lines;
  };
}
