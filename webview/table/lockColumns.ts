// The columns of the table of waits for locks.
import * as l10n from '@vscode/l10n';
import { countText, percentText, share, valueText } from '../../core/numbersAsText.ts';
import { type FrameTable, frameFile, frameName } from '../content/frameTable.ts';
import { Held, type LockTable } from '../content/lockTable.ts';
import { fillNotedFunction, fillShare, fillText } from './cells.ts';
import { compareNumbers, compareTexts } from './functionColumns.ts';
import type { Sort, TableColumn } from './virtualTable.ts';

export const LOCK_SORT: Sort = { column: 'waited', descending: true };

const UNIT = 'nanoseconds';

export function lockColumns(table: LockTable): TableColumn[] {
  const number = (
    id: string,
    title: string,
    hint: string,
    values: ArrayLike<number>,
    text: (value: number) => string,
  ): TableColumn => ({
    ...{ id, title, hint, numeric: true },
    compare: (a, b) => compareNumbers(values[a]!, values[b]!),
    fill: (cell, row) => fillText(cell, text(values[row]!)),
  });
  const place = (id: string, title: string, hint: string, frames: FrameTable, unknown: (row: number) => string) => ({
    ...{ id, title, hint, numeric: false },
    compare: (a: number, b: number) => compareTexts(placeText(frames, a), placeText(frames, b)),
    fill: (cell: HTMLElement, row: number) => {
      const name = frameName(frames, row);
      if (name === '') return fillUnknown(cell, unknown(row));
      fillNotedFunction(cell, { name, short: name, note: shortPlace(frames, row) });
      cell.title = placeText(frames, row);
      cell.classList.remove('unknown');
    },
  });
  const threadOf = (row: number) => table.holder.strings[table.thread[row]!]!;
  return [
    {
      ...number('waited', l10n.t('Waited'), l10n.t('Time in which threads waited for the lock'), table.waited, String),
      fill: (cell, row) => {
        const part = share(table.waited[row]!, table.total);
        fillShare(cell, part, percentText(part), valueText(table.waited[row]!, UNIT));
      },
    },
    number('waits', l10n.t('Waits'), l10n.t('How often a thread waited'), table.waitCount, countText),
    number('longest', l10n.t('Longest'), l10n.t('The longest wait'), table.longest, (ns) =>
      ns === 0 ? '' : valueText(ns, UNIT),
    ),
    number('threads', l10n.t('Threads'), l10n.t('How many threads waited'), table.threads, countText),
    place('waiting', l10n.t('Waiting at'), l10n.t('The line that waited for the lock'), table.waiting, () =>
      l10n.t('stack not known'),
    ),
    {
      ...place('held', l10n.t('Held at'), l10n.t('The line where the holder of the lock was'), table.holder, (row) =>
        table.held[row] === Held.by ? l10n.t('not seen') : l10n.t('not known'),
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

function fillUnknown(cell: HTMLElement, words: string) {
  fillNotedFunction(cell, { name: words, short: '', note: words });
  cell.classList.add('unknown');
}

/** "turns.c:7". */
function shortPlace(frames: FrameTable, row: number): string {
  const name = frameFile(frames, row).split('/').at(-1)!;
  return name && frames.line[row]! > 0 ? `${name}:${frames.line[row]!}` : name;
}

function placeText(frames: FrameTable, row: number): string {
  const file = frameFile(frames, row);
  const line = frames.line[row]!;
  return `${frameName(frames, row)}\n${line > 0 ? `${file}:${line}` : file}`.trim();
}
