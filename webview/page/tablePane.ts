// The pane of tables: the functions of a run, or the functions and lines of a comparison and what explains it, on tabs.
import '@vscode-elements/elements/dist/vscode-tabs/index.js';
import '@vscode-elements/elements/dist/vscode-tab-header/index.js';
import '@vscode-elements/elements/dist/vscode-tab-panel/index.js';
import type { VscodeTabs } from '@vscode-elements/elements/dist/vscode-tabs/index.js';
import { visibleText } from '../../core/foreignText.ts';
import type { ViewKind } from '../../core/webviewMessages.ts';
import { type FrameTable, frameName } from '../content/frameTable.ts';
import type { ComparedTable, FunctionTable } from '../content/tables.ts';
import { type Matcher, matchingFrames } from '../search/search.ts';
import { COMPARED_SORT, comparedColumns, type Measure } from '../table/comparedColumns.ts';
import { FUNCTION_SORT, functionColumns } from '../table/functionColumns.ts';
import { rowsByFunction } from '../table/sameFunction.ts';
import { type Sort, type TableColumn, VirtualTable } from '../table/virtualTable.ts';
import { element } from './elements.ts';
import { failurePane, loadingPane } from './messagePane.ts';
import { Choices } from './toolbarButtons.ts';
import { type ComparedTab, comparedTabs } from './viewState.ts';

export type TableKind = 'functions' | 'comparedFunctions' | 'comparedLines';

export interface TablePaneEvents {
  selected(frames: FrameTable, row: number): void;
  open(view: TableKind, row: number, aside: boolean): void;
  copy(name: string): void;
  sorted(view: TableKind, sort: Sort): void;
  tabChosen(tab: ComparedTab): void;
  measureChosen(measure: Measure): void;
}

interface Shown {
  readonly table: VirtualTable;
  readonly frames: FrameTable;
  readonly rowOf: (frames: FrameTable, frame: number) => number;
}

export class TablePane {
  readonly element = element('section', { class: 'pane table-pane', 'aria-label': 'Tables' });
  readonly #events: TablePaneEvents;
  readonly #stages = new Map<TableKind, HTMLElement>();
  readonly #shown = new Map<TableKind, Shown>();
  readonly #compared = new Map<TableKind, ComparedTable>();
  readonly #sorts: Record<string, Sort>;
  #measure: Measure;
  #matcher: Matcher | undefined;

  constructor(
    subject: 'run' | 'comparison',
    state: { sorts: Readonly<Record<string, Sort>>; measure: Measure; tab: ComparedTab },
    explanation: HTMLElement | undefined,
    events: TablePaneEvents,
  ) {
    this.#events = events;
    this.#sorts = { ...state.sorts };
    this.#measure = state.measure;
    if (subject === 'run') this.element.append(this.#stage('functions'));
    else this.element.append(this.#tabs(state.tab, explanation));
  }

  showLoading() {
    for (const stage of this.#stages.values()) stage.replaceChildren(loadingPane('Reading the table…'));
    this.#shown.clear();
  }

  showFailure(view: ViewKind, message: string, advice: string) {
    this.#stages.get(view as TableKind)?.replaceChildren(failurePane(message, advice));
  }

  showFunctions(table: FunctionTable) {
    this.#show('functions', table.frames, functionColumns(table), FUNCTION_SORT, 'Functions');
  }

  showCompared(view: 'comparedFunctions' | 'comparedLines', table: ComparedTable) {
    this.#compared.set(view, table);
    const lines = view === 'comparedLines';
    const columns = comparedColumns(table, this.#measure, lines ? 'lines' : 'functions');
    this.#show(view, table.frames, columns, COMPARED_SORT, lines ? 'Changed lines' : 'Changed functions');
    const said = this.#measure === 'self' ? table.selfEffects : table.totalEffects;
    this.#shown.get(view)?.table.element.classList.toggle('effects', said !== undefined);
  }

  /** Shows only the rows that a search finds; undefined shows all. */
  filter(matcher: Matcher | undefined) {
    this.#matcher = matcher;
    for (const { table, frames } of this.#shown.values()) table.setVisible(this.#visibleRows(frames));
  }

  /** Selects the row of a frame of another view. */
  select(frames: FrameTable, frame: number) {
    for (const { table, rowOf } of this.#shown.values()) table.select(frame < 0 ? -1 : rowOf(frames, frame));
  }

  selectRow(row: number) {
    for (const { table } of this.#shown.values()) table.select(row);
  }

  framesOf(view: TableKind): FrameTable | undefined {
    return this.#shown.get(view)?.frames;
  }

  #show(view: TableKind, frames: FrameTable, columns: TableColumn[], sort: Sort, label: string) {
    const table = new VirtualTable({
      id: view,
      label,
      count: frames.count,
      columns,
      sort: this.#sorts[view] ?? sort,
      emptyText: frames.count === 0 ? 'Nothing was recorded here.' : 'No row matches the search.',
      events: {
        selected: (row) => this.#events.selected(frames, row),
        open: (row, aside) => this.#events.open(view, row, aside),
        copy: (row) => this.#events.copy(visibleText(frameName(frames, row), 1 << 16)),
        sorted: (chosen) => {
          this.#sorts[view] = chosen;
          this.#events.sorted(view, chosen);
        },
      },
    });
    if (this.#matcher) table.setVisible(this.#visibleRows(frames));
    this.#shown.set(view, { table, frames, rowOf: rowsByFunction(frames) });
    this.#stages.get(view)?.replaceChildren(table.element);
  }

  #visibleRows(frames: FrameTable): Uint32Array {
    const all = Uint32Array.from({ length: frames.count }, (_, row) => row);
    if (!this.#matcher) return all;
    const marks = matchingFrames(frames, this.#matcher);
    return all.filter((row) => marks[row] === 1);
  }

  #stage(view: TableKind): HTMLElement {
    const stage = element('div', { class: 'table-stage' }, loadingPane('Reading the table…'));
    this.#stages.set(view, stage);
    return stage;
  }

  #tabs(chosen: ComparedTab, explanation: HTMLElement | undefined): HTMLElement {
    const tabs: VscodeTabs = document.createElement('vscode-tabs');
    const pages = [
      this.#stage('comparedFunctions'),
      this.#stage('comparedLines'),
      ...(explanation ? [explanation] : []),
    ];
    for (const title of ['Functions', 'Lines', 'Explain'].slice(0, pages.length)) {
      const header = document.createElement('vscode-tab-header');
      header.slot = 'header';
      header.textContent = title;
      tabs.append(header);
    }
    for (const page of pages) {
      const panel = document.createElement('vscode-tab-panel');
      panel.append(page);
      tabs.append(panel);
    }
    const measures = new Choices<Measure>(
      'What is compared',
      [
        { value: 'self', label: 'Compare self time', face: 'Self' },
        { value: 'total', label: 'Compare total time', face: 'Total' },
      ],
      (measure) => this.#setMeasure(measure),
    );
    measures.show(this.#measure);
    measures.element.slot = 'addons';
    tabs.append(measures.element);
    tabs.selectedIndex = comparedTabs.indexOf(chosen);
    tabs.addEventListener('vsc-tabs-select', (event) => {
      const { selectedIndex } = (event as CustomEvent<{ selectedIndex: number }>).detail;
      this.#events.tabChosen(comparedTabs[selectedIndex] ?? 'functions');
    });
    return tabs;
  }

  #setMeasure(measure: Measure) {
    this.#measure = measure;
    for (const [view, table] of this.#compared) this.showCompared(view as 'comparedFunctions' | 'comparedLines', table);
    this.#events.measureChosen(measure);
  }
}
