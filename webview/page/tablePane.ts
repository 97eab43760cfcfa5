// The pane of tables: the functions of a run, or the functions and lines of a comparison and what explains it, on tabs.
import * as l10n from '@vscode/l10n';
import '@vscode-elements/elements/dist/vscode-tabs/index.js';
import '@vscode-elements/elements/dist/vscode-tab-header/index.js';
import '@vscode-elements/elements/dist/vscode-tab-panel/index.js';
import { html, nothing, type TemplateResult } from 'lit';
import { countedIn, measureName, type ShownMeasure } from '../../core/measureText.ts';
import type { NamedFunction, ViewKind } from '../../core/webviewMessages.ts';
import { ALLOCATION_SORT, allocationColumns } from '../allocations/allocationColumns.ts';
import { readAllocationTable } from '../content/allocationTable.ts';
import { type BlameTable, Evidence, readBlameTable } from '../content/blameTable.ts';
import { type FrameTable, frameModule, frameName } from '../content/frameTable.ts';
import { readLockTable } from '../content/lockTable.ts';
import { type ComparedTable, readComparedTable, readFunctionTable } from '../content/tables.ts';
import { readWaitTable } from '../content/waitTable.ts';
import { type Matcher, matchingFrames } from '../search/search.ts';
import type { FunctionAction } from '../selection/transformKeys.ts';
import { BLAME_SORT, blameColumns } from '../table/blameColumns.ts';
import { COMPARED_SORT, comparedColumns, type Measure } from '../table/comparedColumns.ts';
import { FUNCTION_SORT, functionColumns } from '../table/functionColumns.ts';
import { LOCK_SORT, lockColumns } from '../table/lockColumns.ts';
import { rowsByFunction } from '../table/sameFunction.ts';
import { type Sort, type TableColumn, VirtualTable } from '../table/virtualTable.ts';
import { WAIT_SORT, waitColumns } from '../table/waitColumns.ts';
import type { MenuPlace } from './contextMenu.ts';
import { failurePane, loadingPane } from './messagePane.ts';
import { rendered } from './rendered.ts';
import { Choices } from './toolbarButtons.ts';
import { type ComparedTab, comparedTabs, type RunTab, type WaitsBy } from './viewState.ts';
import { WaitsTab } from './waitsTab.ts';

export type TableKind =
  | 'functions'
  | 'waits'
  | 'blame'
  | 'locks'
  | 'allocations'
  | 'comparedFunctions'
  | 'comparedLines';

export type RowAction = 'copy' | 'copyStack' | 'hide' | 'callers' | FunctionAction;

export interface TablePaneEvents {
  selected(frames: FrameTable, row: number): void;
  open(view: TableKind, row: number, aside: boolean): void;
  act(action: RowAction, view: TableKind, row: number, frames: FrameTable): void;
  menu(view: TableKind, row: number, frames: FrameTable, place: MenuPlace): void;
  sorted(view: TableKind, sort: Sort): void;
  tabChosen(tab: ComparedTab): void;
  runTabChosen(tab: RunTab): void;
  waitsByChosen(by: WaitsBy): void;
  measureChosen(measure: Measure): void;
}

/** Which tables a run has beside that of its functions. */
export interface RunTables {
  readonly waits?: boolean | undefined;
  readonly locks?: boolean | undefined;
  readonly allocations?: boolean | undefined;
}

interface Shown {
  readonly table: VirtualTable;
  readonly frames: FrameTable;
  readonly second: FrameTable | undefined; // of the same rows: they are found by it, too
  readonly rowOf: (frames: FrameTable, frame: number) => number;
}

export class TablePane {
  readonly element: HTMLElement;
  readonly #events: TablePaneEvents;
  readonly #stages = new Map<TableKind, HTMLElement>();
  readonly #shown = new Map<TableKind, Shown>();
  readonly #compared = new Map<TableKind, ComparedTable>();
  readonly #sorts: Record<string, Sort>;
  readonly #of: ShownMeasure | undefined; // is compared
  #measure: Measure;
  #matcher: Matcher | undefined;
  #hidden: readonly NamedFunction[] = [];
  #waitsTab: WaitsTab | undefined;
  #runTabs: readonly RunTab[] = []; // in their order
  #heldLockWanted = false; // before the table came that has it

  constructor(
    subject: 'run' | 'comparison',
    state: {
      sorts: Readonly<Record<string, Sort>>;
      measure: Measure;
      tab: ComparedTab;
      runTab: RunTab;
      waitsBy: WaitsBy;
      of: ShownMeasure | undefined;
    },
    beside: {
      readonly explanation?: HTMLElement | undefined;
      readonly threads?: HTMLElement | undefined;
      readonly tables?: RunTables | undefined;
    },
    events: TablePaneEvents,
  ) {
    this.#events = events;
    this.#sorts = { ...state.sorts };
    this.#measure = state.measure;
    this.#of = state.of;
    const content =
      subject === 'run'
        ? this.#tabsOfRun(state, beside.threads!, beside.tables ?? {})
        : this.#tabs(state.tab, beside.explanation);
    this.element = rendered(html`<section class="pane table-pane" aria-label=${l10n.t('Tables')}>${content}</section>`);
  }

  showLoading() {
    for (const stage of this.#stages.values()) stage.replaceChildren(loadingPane(l10n.t('Reading the table…')));
    this.#shown.clear();
  }

  showFailure(view: ViewKind, message: string, advice: string) {
    this.#stages.get(view as TableKind)?.replaceChildren(failurePane(message, advice));
  }

  /** Throws `MalformedContent`. Whether it has selected a row that was wanted. */
  show(view: ViewKind, bytes: Uint8Array): boolean {
    if (view === 'functions') {
      const table = readFunctionTable(bytes);
      this.#show(view, table.frames, functionColumns(table), FUNCTION_SORT, l10n.t('Functions'));
    } else if (view === 'waits') {
      const table = readWaitTable(bytes);
      this.#show(view, table.places, waitColumns(table), WAIT_SORT, l10n.t('Waits'));
    } else if (view === 'blame') {
      const table = readBlameTable(bytes);
      this.#show(view, table.causes, blameColumns(table), BLAME_SORT, l10n.t('Waits by cause'), table.waiting);
      this.#waitsTab?.tellLack(table.lack);
      return this.#selectHeldLock(table);
    } else if (view === 'locks') {
      const table = readLockTable(bytes);
      this.#show(view, table.waiting, lockColumns(table), LOCK_SORT, l10n.t('Locks'), table.holder);
    } else if (view === 'allocations') {
      const table = readAllocationTable(bytes);
      this.#show(view, table.frames, allocationColumns(table), ALLOCATION_SORT, l10n.t('Allocations'));
    } else if (view === 'comparedFunctions' || view === 'comparedLines') {
      this.#showCompared(view, readComparedTable(bytes));
    }
    return false;
  }

  /** The one that was waited for longest, if it is wanted: rows come in this order. */
  #selectHeldLock({ causes, evidence }: BlameTable): boolean {
    const row = this.#heldLockWanted ? evidence.indexOf(Evidence.held) : -1;
    this.#heldLockWanted = false;
    if (row < 0) return false;
    const { table } = this.#shown.get('blame')!;
    table.select(row);
    table.element.focus();
    this.#events.selected(causes, row);
    return true;
  }

  #showCompared(view: 'comparedFunctions' | 'comparedLines', table: ComparedTable) {
    this.#compared.set(view, table);
    const lines = view === 'comparedLines';
    const columns = comparedColumns(table, {
      rows: lines ? 'lines' : 'functions',
      measure: this.#measure,
      what: this.#of ? measureName(this.#of) : '',
      counted: countedIn(this.#of?.type ?? ''),
    });
    this.#show(
      view,
      table.frames,
      columns,
      COMPARED_SORT,
      lines ? l10n.t('Changed lines') : l10n.t('Changed functions'),
    );
    const said = this.#measure === 'self' ? table.selfEffects : table.totalEffects;
    this.#shown.get(view)?.table.element.classList.toggle('effects', said !== undefined);
  }

  /** Shows only the rows that a search finds; undefined shows all. */
  filter(matcher: Matcher | undefined) {
    this.#matcher = matcher;
    for (const shown of this.#shown.values()) shown.table.setVisible(this.#visibleRows(shown));
  }

  /** Leaves out the rows of these functions. */
  hide(functions: readonly NamedFunction[]) {
    this.#hidden = functions;
    for (const shown of this.#shown.values()) shown.table.setVisible(this.#visibleRows(shown));
  }

  /** Selects the row of a frame of another view. */
  select(frames: FrameTable, frame: number) {
    for (const { table, rowOf } of this.#shown.values()) table.select(frame < 0 ? -1 : rowOf(frames, frame));
  }

  /** The same without moving the rows: they were replaced under the eyes of the user. */
  keepSelected(frames: FrameTable, frame: number) {
    for (const { table, rowOf } of this.#shown.values()) table.keepSelected(rowOf(frames, frame));
  }

  /** Shows the table of what caused the waits, and when it comes, the lock that was waited for longest. */
  showHeldLock() {
    const tab = this.#runTabs.indexOf('waits');
    if (tab < 0) return;
    this.#heldLockWanted = true;
    this.element.querySelector('vscode-tabs')!.selectedIndex = tab;
    this.#waitsTab!.show('cause');
    this.#events.waitsByChosen('cause');
    this.#events.runTabChosen('waits');
  }

  framesOf(view: TableKind): FrameTable | undefined {
    return this.#shown.get(view)?.frames;
  }

  #show(view: TableKind, frames: FrameTable, columns: TableColumn[], sort: Sort, label: string, second?: FrameTable) {
    const table = new VirtualTable({
      id: view,
      label,
      count: frames.count,
      columns,
      sort: this.#sorts[view] ?? sort,
      emptyText: frames.count > 0 ? l10n.t('No row matches the search.') : nothingIn(view),
      events: {
        selected: (row) => this.#events.selected(frames, row),
        open: (row, aside, isSecond) => this.#events.open(view, second && isSecond ? row + frames.count : row, aside),
        functions: {
          copy: (row) => this.#events.act('copy', view, row, frames),
          copyStack: (row) => this.#events.act('copyStack', view, row, frames),
          hide: (row) => this.#events.act('hide', view, row, frames),
          callers: (row) => this.#events.act('callers', view, row, frames),
          transform: !view.startsWith('compared')
            ? (row, action) => this.#events.act(action, view, row, frames)
            : undefined,
        },
        menu: (row, place) => this.#events.menu(view, row, frames, place),
        sorted: (chosen) => {
          this.#sorts[view] = chosen;
          this.#events.sorted(view, chosen);
        },
      },
    });
    if (this.#matcher || this.#hidden.length > 0) table.setVisible(this.#visibleRows({ frames, second }));
    const before = this.#shown.get(view)?.table;
    this.#shown.set(view, { table, frames, second, rowOf: rowsByFunction(frames) });
    const focused = before?.element.contains(document.activeElement);
    const scrollTop = before?.scrollTop ?? 0;
    this.#stages.get(view)?.replaceChildren(table.element);
    table.scrollTop = scrollTop;
    if (focused) table.element.focus({ preventScroll: true });
  }

  #visibleRows({ frames, second }: Pick<Shown, 'frames' | 'second'>): Uint32Array {
    const all = Uint32Array.from({ length: frames.count }, (_, row) => row);
    if (!this.#matcher && this.#hidden.length === 0) return all;
    const [marks, others] = [frames, second].map((of) => of && this.#matcher && matchingFrames(of, this.#matcher));
    const hidden = new Set(this.#hidden.map(({ name, module }) => `${module}\0${name}`));
    const isHidden = (row: number) =>
      hidden.size > 0 && hidden.has(`${frameModule(frames, row)}\0${frameName(frames, row)}`);
    return all.filter((row) => (!marks || marks[row] === 1 || others?.[row] === 1) && !isHidden(row));
  }

  #stage(view: TableKind): HTMLElement {
    const stage = rendered(html`<div class="table-stage">${loadingPane(l10n.t('Reading the table…'))}</div>`);
    this.#stages.set(view, stage);
    return stage;
  }

  #tabs(chosen: ComparedTab, explanation: HTMLElement | undefined): TemplateResult {
    const pages = [
      [l10n.t('Functions'), this.#stage('comparedFunctions')],
      [l10n.t('Lines'), this.#stage('comparedLines')],
      ...(explanation ? [[l10n.t('Explain'), explanation] as const] : []),
    ] as const;
    const measures = new Choices<Measure>(
      l10n.t('Compared measure'),
      [
        { value: 'self', label: l10n.t('Compare what functions take themselves'), face: l10n.t('Self') },
        { value: 'total', label: l10n.t('Compare what functions take with all that they call'), face: l10n.t('Total') },
      ],
      (measure) => this.#setMeasure(measure),
    );
    measures.show(this.#measure);
    measures.element.slot = 'addons';
    return tabsOf(pages, comparedTabs.indexOf(chosen), measures.element, (index) =>
      this.#events.tabChosen(comparedTabs[index] ?? 'functions'),
    );
  }

  #tabsOfRun(
    { runTab: chosen, waitsBy }: { readonly runTab: RunTab; readonly waitsBy: WaitsBy },
    threads: HTMLElement,
    has: RunTables,
  ): TemplateResult {
    if (has.waits) {
      const stages = { line: this.#stage('waits'), cause: this.#stage('blame') };
      this.#waitsTab = new WaitsTab(stages, waitsBy, (by) => this.#events.waitsByChosen(by));
    }
    const pages: (readonly [RunTab, title: string, page: HTMLElement])[] = [
      ['functions', l10n.t('Functions'), this.#stage('functions')],
      ['threads', l10n.t('Threads'), threads],
      ...(this.#waitsTab ? [['waits', l10n.t('Waits'), this.#waitsTab.element] as const] : []),
      ...(has.locks ? [['locks', l10n.t('Locks'), this.#stage('locks')] as const] : []),
      ...(has.allocations ? [['allocations', l10n.t('Allocations'), this.#stage('allocations')] as const] : []),
    ];
    this.#runTabs = pages.map(([tab]) => tab);
    const tab = this.#runTabs.indexOf(chosen);
    const shown = pages.map(([, title, page]) => [title, page] as const);
    return tabsOf(shown, Math.max(tab, 0), undefined, (index) =>
      this.#events.runTabChosen(pages[index]?.[0] ?? 'functions'),
    );
  }

  #setMeasure(measure: Measure) {
    this.#measure = measure;
    for (const [view, table] of this.#compared)
      this.#showCompared(view as 'comparedFunctions' | 'comparedLines', table);
    this.#events.measureChosen(measure);
  }
}

function nothingIn(view: TableKind): string {
  if (view === 'waits' || view === 'blame') return l10n.t('No thread waited here.');
  return view === 'locks' ? l10n.t('No thread waited for a lock here.') : l10n.t('Nothing was recorded here.');
}

function tabsOf(
  pages: readonly (readonly [title: string, page: HTMLElement])[],
  chosen: number,
  addon: HTMLElement | undefined,
  selected: (index: number) => void,
): TemplateResult {
  const select = ({ detail }: CustomEvent<{ selectedIndex: number }>) => selected(detail.selectedIndex);
  return html`
    <vscode-tabs .selectedIndex=${chosen} @vsc-tabs-select=${select}>
      ${pages.map(([title]) => html`<vscode-tab-header slot="header">${title}</vscode-tab-header>`)}
      ${pages.map(([, page]) => html`<vscode-tab-panel>${page}</vscode-tab-panel>`)}
      ${addon ?? nothing}
    </vscode-tabs>`;
}
