// The table of the threads and processes of a run, on whose ticks the selection is made. It asks for all threads, some at a time,
// when it is looked at first; what is ticked follows the selection.
import * as l10n from '@vscode/l10n';
import { html } from 'lit';
import {
  EMPTY_SELECTION,
  NAMES_LIMIT,
  type ShownSelection,
  type ShownTimelineRequest,
  sameSelection,
  TRACKS_LIMIT,
} from '../../core/selectionMessages.ts';
import type { Timeline } from '../content/timeline.ts';
import { failurePane, loadingPane } from '../page/messagePane.ts';
import { rendered } from '../page/rendered.ts';
import { type Sort, VirtualTable } from '../table/virtualTable.ts';
import { DEFAULT_MEASURE, type Measured, valuePart } from '../timeline/measured.ts';
import type { TimelineAsker } from '../timeline/timelineExchange.ts';
import { rowName, THREAD_SORT, threadColumns } from './threadColumns.ts';
import { arrangedRows, type Thread, type ThreadRow, threadRows } from './threadRows.ts';
import { tickedThreads, toggled, withTicked } from './tickedThreads.ts';

export interface ThreadPaneEvents {
  request(request: ShownTimelineRequest): void;
  commit(selection: ShownSelection): void;
  sorted(sort: Sort): void;
}

export class ThreadPane implements TimelineAsker {
  readonly element: HTMLElement;
  readonly #events: ThreadPaneEvents;
  readonly #stage = rendered(html`<div class="table-stage"></div>`);
  readonly #status = rendered(html`<div class="thread-status" role="status"></div>`);
  #sort: Sort;
  #started = false;
  #threads: Thread[] = [];
  #rows: readonly ThreadRow[] = [];
  #all: Pick<Thread, 'samples' | 'value'> = { samples: 0, value: 0 };
  #measured = DEFAULT_MEASURE;
  #ticked: ReadonlySet<Thread> = new Set();
  #selection: ShownSelection = EMPTY_SELECTION;
  #table: VirtualTable | undefined; // undefined: not all threads have come

  constructor(sort: Sort | undefined, events: ThreadPaneEvents) {
    this.#sort = sort ?? THREAD_SORT;
    this.#events = events;
    this.element = rendered(html`<div class="thread-pane">${this.#stage}${this.#status}</div>`);
  }

  /** Asks for the threads, once. */
  start() {
    if (this.#started) return;
    this.#started = true;
    this.#threads = [];
    this.#stage.replaceChildren(loadingPane(l10n.t('Reading the threads…')));
    this.#request();
  }

  /** The figures are of another measure from now on. */
  setMeasure(measured: Measured) {
    if (measured.value === this.#measured.value) return;
    this.#measured = measured;
    this.#table = undefined;
    if (!this.#started) return;
    this.#started = false;
    this.start();
  }

  receive(request: ShownTimelineRequest, timeline: Timeline) {
    if (request.value !== this.#measured.value || request.first !== this.#threads.length || this.#table) return;
    this.#threads.push(...timeline.tracks);
    this.#all = timeline.all;
    if (timeline.tracks.length > 0 && this.#threads.length < timeline.trackCount) return this.#request();
    this.#show();
  }

  receiveFailure(request: ShownTimelineRequest, message: string) {
    if (request.value !== this.#measured.value || request.first !== this.#threads.length || this.#table) return;
    const retry = () => {
      this.#started = false;
      this.start();
    };
    this.#stage.replaceChildren(failurePane(message || l10n.t('This run has no timeline.'), '', retry));
  }

  setSelection(selection: ShownSelection) {
    if (sameSelection(selection, this.#selection)) return;
    this.#selection = selection;
    this.#status.textContent = '';
    this.#tick();
  }

  #request() {
    const whole = { fromNs: 0, toNs: 0, columns: 1 }; // the figures that are shown are of the whole recording
    this.#events.request({
      ...whole,
      first: this.#threads.length,
      count: TRACKS_LIMIT,
      order: 'process',
      ...valuePart(this.#measured),
    });
  }

  #show() {
    this.#rows = threadRows(this.#threads);
    const columns = threadColumns(() => ({
      rows: this.#rows,
      all: this.#all,
      measure: this.#measured.measure,
      ticked: this.#ticked,
    }));
    this.#table = new VirtualTable({
      id: 'threads',
      label: l10n.t('Threads'),
      count: this.#rows.length,
      columns,
      sort: this.#sort,
      emptyText: l10n.t('This profile does not name its threads.'),
      arrange: (_, columnsNow, sort) => arrangedRows(this.#rows, columnsNow, sort),
      events: {
        selected: () => {},
        open: (row) => this.#only(row),
        toggled: (row) => this.#toggle(row),
        sorted: (sort) => this.#events.sorted(sort),
      },
    });
    this.#table.element.setAttribute('aria-multiselectable', 'true');
    this.#tick();
    this.#stage.replaceChildren(this.#table.element);
  }

  #tick() {
    if (!this.#table) return;
    this.#ticked = tickedThreads(this.#threads, this.#selection);
    this.#table.draw();
  }

  #toggle(row: number) {
    const { members } = this.#rows[row]!;
    this.#commit(toggled(this.#ticked, members), row);
  }

  /** Only this thread or process; all again when it was the only one. */
  #only(row: number) {
    const { members } = this.#rows[row]!;
    const only = this.#ticked.size === members.length && members.every((thread) => this.#ticked.has(thread));
    this.#commit(new Set(only ? this.#threads : members), row);
  }

  #commit(ticked: ReadonlySet<Thread>, row: number) {
    const selection = withTicked(this.#selection, this.#threads, ticked);
    if (!selection) {
      this.#status.textContent =
        ticked.size === 0
          ? l10n.t('At least one thread stays selected.')
          : l10n.t(
              'A selection can name at most {0} threads. Click the name of a thread to select it alone.',
              NAMES_LIMIT,
            );
      return;
    }
    this.#events.commit(selection);
    this.#status.textContent = this.#sentence(row);
  }

  /** What is heard after a step: the ticks are not under the focus. */
  #sentence(row: number): string {
    const shown = this.#rows[row]!;
    const count = shown.members.filter((thread) => this.#ticked.has(thread)).length;
    const name = rowName(shown);
    return count === shown.members.length ? l10n.t('{0}: selected', name) : l10n.t('{0}: not selected', name);
  }
}
