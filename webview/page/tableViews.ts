// Asks for the tables of a page, with each selection anew. Those that are not of functions are asked for once their tab is looked at.
import { isSampledMemory } from '../../core/measureText.ts';
import type { ShowMessage, ShownView, ViewKind } from '../../core/webviewMessages.ts';
import { LatestOnly } from '../selection/latestOnly.ts';
import type { Host } from './host.ts';
import type { RunTables } from './tablePane.ts';
import type { ViewState } from './viewState.ts';

export interface TableViewsEvents {
  /** A view as it is asked for now. */
  shown(view: ViewKind): ShownView;
  state(): Pick<ViewState, 'runTab' | 'waitsBy'>;
}

export const tablesOf = ({ values, hasLocks }: ShowMessage): RunTables => ({
  waits: values.some(({ type }) => type === 'wait'),
  locks: hasLocks,
  allocations: values.some(isSampledMemory),
});

export class TableViews {
  readonly #has: RunTables;
  readonly #events: TableViewsEvents;
  readonly #asked: ReadonlyMap<ViewKind, LatestOnly<ShownView>>;
  readonly #current = new Set<ViewKind>(); // asked for, of what is selected now

  constructor(has: RunTables, host: Host, events: TableViewsEvents) {
    this.#has = has;
    this.#events = events;
    const latest = () => new LatestOnly<ShownView>((view) => host.send({ type: 'request', ...view }));
    this.#asked = new Map([
      ['functions', latest()],
      ['waits', latest()],
      ['blame', latest()],
      ['locks', latest()],
      ['allocations', latest()],
    ]);
  }

  /** Other parts of the run are selected now. */
  selectionChanged() {
    this.#want('functions');
    this.outdated();
  }

  /** What is shown is asked for anew, functions apart. */
  outdated() {
    this.#current.clear();
    this.tabChosen();
  }

  /** Another tab is looked at, or another table of it. */
  tabChosen() {
    const { runTab, waitsBy } = this.#events.state();
    if (runTab === 'functions' || runTab === 'threads' || !this.#has[runTab]) return;
    const view = runTab === 'waits' && waitsBy === 'cause' ? 'blame' : runTab;
    if (this.#current.has(view)) return;
    this.#current.add(view);
    this.#want(view);
  }

  /** Is asked for when it is looked at, though nothing has changed. */
  forget(view: ViewKind) {
    this.#current.delete(view);
  }

  /** Whatever came, or that nothing did. */
  answered(view: ViewKind) {
    this.#asked.get(view)?.answered();
  }

  #want(view: ViewKind) {
    this.#asked.get(view)!.want(this.#events.shown(view));
  }
}
