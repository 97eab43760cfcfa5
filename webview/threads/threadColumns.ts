// The columns of the table of threads. A row of a process has no figures: the engine counts threads.
import * as l10n from '@vscode/l10n';
import { html, render } from 'lit';
import { visibleText } from '../../core/foreignText.ts';
import { capitalized, measureName, type ShownMeasure } from '../../core/measureText.ts';
import { countText, percentText, share, valueText } from '../../core/numbersAsText.ts';
import { icon, icons } from '../page/icons.ts';
import { fillShare, fillText } from '../table/cells.ts';
import { compareNumbers, compareTexts } from '../table/functionColumns.ts';
import type { Sort, TableColumn } from '../table/virtualTable.ts';
import { trackName } from '../timeline/trackRows.ts';
import { amountOf } from '../timeline/trackStore.ts';
import type { Thread, ThreadRow } from './threadRows.ts';

export const THREAD_SORT: Sort = { column: 'samples', descending: true };

export interface ThreadTable {
  readonly rows: readonly ThreadRow[];
  readonly all: Pick<Thread, 'samples' | 'value'>; // of all threads
  readonly measure: ShownMeasure | undefined; // undefined: the usual one
  readonly ticked: ReadonlySet<Thread>;
}

/** `table` gives what is to be shown at the moment; its rows stay the same. */
export function threadColumns(table: () => ThreadTable): TableColumn[] {
  const rowAt = (row: number) => table().rows[row]!;
  const threadAt = (row: number) => rowAt(row).thread;
  const text = (id: string, title: string, hint: string, textOf: (row: ThreadRow) => string): TableColumn => ({
    ...{ id, title, hint, numeric: false },
    compare: (a, b) => compareTexts(textOf(rowAt(a)), textOf(rowAt(b))),
    fill: (cell, row) => fillText(cell, textOf(rowAt(row))),
  });
  const number = (id: string, title: string, hint: string, of: (thread: Thread) => number): TableColumn => ({
    ...{ id, title, hint, numeric: true },
    compare: (a, b) => compareNumbers(of(threadAt(a)), of(threadAt(b))),
    fill: (cell, row) => {
      cell.textContent = id !== 'pid' && rowAt(row).isProcess ? '' : String(of(threadAt(row)));
    },
  });
  const { measure } = table();
  const isCpu = !measure || measure.family === 'cpu';
  const amount = (thread: Pick<Thread, 'samples' | 'value'>) => amountOf(thread, measure);
  const [title, hint] = isCpu
    ? [l10n.t('Samples'), l10n.t('Samples in the whole recording')]
    : [capitalized(measureName(measure)), l10n.t('Total in the whole recording')];
  const tick: TableColumn = {
    id: 'tick',
    title: l10n.t('Selected'),
    hint: l10n.t('Whether the thread is part of the selection'),
    numeric: false,
    compare: (a, b) => Number(table().ticked.has(threadAt(b))) - Number(table().ticked.has(threadAt(a))),
    fill: (cell, row) => fillTick(cell, rowAt(row), table().ticked),
  };
  return [
    tick,
    {
      id: 'share',
      title: l10n.t('Share'),
      hint: isCpu
        ? l10n.t('Share of the samples of all threads in the whole recording')
        : l10n.t('Share of the total of all threads in the whole recording'),
      numeric: true,
      compare: (a, b) => compareNumbers(amount(threadAt(a)), amount(threadAt(b))),
      fill: (cell, row) => {
        const { thread, isProcess } = rowAt(row);
        const part = share(amount(thread), amount(table().all));
        if (isProcess) render('', cell);
        else fillShare(cell, part, percentText(part), '');
      },
    },
    {
      ...number('samples', title, hint, amount),
      fill: (cell, row) => {
        const { thread, isProcess } = rowAt(row);
        cell.textContent = isProcess ? '' : isCpu ? countText(thread.samples) : valueText(thread.value, measure!.unit);
      },
    },
    text('thread', l10n.t('Thread'), l10n.t('Name of the thread'), nameOf),
    number('tid', l10n.t('TID'), l10n.t('Number of the thread'), ({ tid }) => tid),
    text('process', l10n.t('Process'), l10n.t('Name of the process'), ({ thread: { process } }) => process),
    number('pid', l10n.t('PID'), l10n.t('Number of the process'), ({ pid }) => pid),
  ];
}

/** The name of a thread, or of a process how many threads it has. */
function nameOf({ thread, members, isProcess }: ThreadRow): string {
  if (!isProcess) return threadName(thread);
  return l10n.t('{0}: {1} threads', visibleText(thread.process, 200), countText(members.length));
}

const threadName = ({ tid, thread, process }: Thread): string => trackName({ tid, thread, process });

/** What a row is called, for its checkbox and when it is said. */
export function rowName({ thread, isProcess }: ThreadRow): string {
  if (isProcess) return l10n.t('Process {0} ({1})', visibleText(thread.process, 200), thread.pid);
  return l10n.t('Thread {0} ({1})', threadName(thread), thread.tid);
}

function fillTick(cell: HTMLElement, row: ThreadRow, ticked: ReadonlySet<Thread>) {
  const count = row.members.filter((thread) => ticked.has(thread)).length;
  const checked = count === 0 ? 'false' : count === row.members.length ? 'true' : 'mixed';
  const face = { false: '', true: icon(icons.tick), mixed: icon(icons.dash) }[checked];
  render(
    html`<span class="tick" role="checkbox" aria-checked=${checked} aria-label=${rowName(row)}>${face}</span>`,
    cell,
  );
  cell.parentElement?.classList.toggle('process', row.isProcess);
}
