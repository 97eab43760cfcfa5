// One profile or comparison on the page: asks the host for the views, hands them to the panes, keeps graph, tables and
// search in step, and saves how it is looked at.
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { countedIn, type ShownMeasure } from '../../core/measureText.ts';
import type { SelectionHostMessage } from '../../core/selectionMessages.ts';
import {
  type CallersMessage,
  type HostMessage,
  hiddenWith,
  type NamedFunction,
  type PageMessage,
  type ShowMessage,
  type ShownView,
  sameFunctions,
  type ViewKind,
} from '../../core/webviewMessages.ts';
import { type FlameGraph, readFlameGraph } from '../content/flameGraph.ts';
import { type FrameTable, frameModule, frameName } from '../content/frameTable.ts';
import { MalformedContent } from '../content/wireReader.ts';
import type { WidthMode } from '../graph/layout.ts';
import { nodeAt, pathOf } from '../graph/navigation.ts';
import { sameSpan, spanOf, WHOLE } from '../graph/span.ts';
import { transformOf } from '../selection/transformKeys.ts';
import { frameNamed, namesOfPath, nodeAtNames, nodeNamed, nodesByFunction } from '../table/sameFunction.ts';
import { openCallersDialog } from './callersDialog.ts';
import type { MenuPlace } from './contextMenu.ts';
import { copiedText } from './copiedText.ts';
import { type ExplainPane, explainPaneOf } from './explainPane.ts';
import { GraphPane } from './graphPane.ts';
import { headerOf, MeasuredParts } from './header.ts';
import { helpOverlay } from './helpOverlay.ts';
import type { Host } from './host.ts';
import { isSearchKey, shownByKey } from './pageKeys.ts';
import { PageSearch } from './pageSearch.ts';
import { PaneSplit } from './paneSplit.ts';
import { rendered } from './rendered.ts';
import { RunSelection } from './runSelection.ts';
import { SavedState } from './savedState.ts';
import { namedBy, openSubjectMenu, type Subject } from './subjectMenu.ts';
import { type RowAction, TablePane } from './tablePane.ts';
import { TableViews, tablesOf } from './tableViews.ts';
import { makeToolbar, type Toolbar } from './toolbar.ts';
import { isTyping } from './typing.ts';
import { stateOf, type ViewMode, type ViewState, viewsOf } from './viewState.ts';

type Of<Type extends HostMessage['type']> = Extract<HostMessage, { type: Type }>;

export class ProfilePage {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #show: ShowMessage;
  readonly #graphView: 'flameGraph' | 'comparedFlameGraph';
  readonly #graphPane: GraphPane;
  readonly #tablePane: TablePane;
  readonly explainPane: ExplainPane | undefined; // of a comparison
  readonly #panes: PaneSplit;
  readonly #search: PageSearch;
  readonly #run: RunSelection | undefined; // of a run
  readonly #tables: TableViews;
  readonly #toolbar: Toolbar;
  readonly #measured: MeasuredParts;
  readonly #help: HTMLDialogElement;
  readonly #status = rendered(html`<div class="page-status" role="status"></div>`);
  readonly #saved: SavedState;
  #selected: readonly NamedFunction[] = []; // from the root to the selected frame, for the next graph has other numbers
  #graphShown = false; // since the value or the hidden functions were chosen
  #nodeOf: ((frames: FrameTable, frame: number) => number) | undefined;
  #reveal: Of<'reveal'> | undefined; // came before the views that it speaks of

  constructor(host: Host, show: ShowMessage) {
    this.#host = host;
    this.#show = show;
    const isRun = show.subject === 'run';
    this.#graphView = isRun ? 'flameGraph' : 'comparedFlameGraph';
    this.#saved = new SavedState(host, stateOf(host.savedState(), show));
    if (isRun && show.value === undefined && this.#state.value !== show.defaultValue)
      host.send({ type: 'chooseMeasure', value: this.#state.value });
    this.#measured = new MeasuredParts(show, this.#state.value, {
      chosen: (measure) => this.#chooseMeasure(measure),
      recordWith: (measure) => host.send({ type: 'recordWith', measure }),
    });
    this.#help = helpOverlay(!isRun);
    this.#graphPane = new GraphPane({
      selected: (node) => this.#nodeSelected(node),
      open: (node, aside) => this.#open(this.#graphView, node, aside),
      copy: (node) => this.#act('copy', this.#ofNode(node)),
      copyStack: (node) => this.#act('copyStack', this.#ofNode(node)),
      hide: (node) => this.#act('hide', this.#ofNode(node)),
      callers: (node) => this.#act('callers', this.#ofNode(node)),
      transform: isRun ? (node, action) => this.#act(action, this.#ofNode(node)) : undefined,
      menu: (node, place) => this.#menu(this.#ofNode(node), place),
      hiddenWanted: () => this.#hide([]),
      viewChanged: () => this.#change({ span: this.#graphPane.view.span }),
      widthModeWanted: (mode) => {
        this.#toolbar.widthModes?.show(mode);
        this.#setWidthMode(mode);
      },
      help: () => this.#help.showModal(),
    });
    this.#run = isRun ? this.#makeRunSelection() : undefined;
    const [measure] = show.values;
    this.explainPane = explainPaneOf(show, host, {
      selected: (row, name) => this.reveal({ type: 'reveal', row, name, module: '' }),
      opened: () => this.#tellStatus(''),
    });
    const tables = tablesOf(show);
    this.#tablePane = new TablePane(
      show.subject,
      {
        ...{ sorts: this.#state.sorts, measure: this.#state.measure, of: measure },
        ...{ tab: this.#state.comparedTab, runTab: this.#state.runTab, waitsBy: this.#state.waitsBy },
      },
      { explanation: this.explainPane?.element, threads: this.#run?.threads, tables },
      {
        selected: (frames, row) => this.#rowSelected(frames, row),
        open: (view, row, aside) => this.#open(view, row, aside),
        act: (action, view, row, frames) => this.#act(action, this.#ofRow(view, row, frames)),
        menu: (view, row, frames, place) => this.#menu(this.#ofRow(view, row, frames), place),
        sorted: (view, sort) => this.#change({ sorts: { ...this.#state.sorts, [view]: sort } }),
        tabChosen: (comparedTab) => {
          this.#change({ comparedTab });
          this.#requestExplanation();
        },
        runTabChosen: (runTab) => {
          this.#change({ runTab });
          if (runTab === 'threads') this.#run?.showThreads();
          this.#tables.tabChosen();
        },
        waitsByChosen: (waitsBy) => {
          this.#change({ waitsBy });
          this.#tables.tabChosen();
        },
        measureChosen: (measure) => this.#change({ measure }),
      },
    );
    this.#tables = new TableViews(isRun ? tables : {}, host, {
      shown: (view) => this.#shown(view),
      state: () => this.#state,
    });
    this.#search = new PageSearch({
      ...{ host, compared: !isRun, graphPane: this.#graphPane, tablePane: this.#tablePane },
      bar: () => this.#toolbar.search,
      graphView: () => this.#shown(this.#graphView),
      selected: (node) => this.#nodeSelected(node),
    });
    this.#toolbar = makeToolbar(show, this.#state, {
      changed: (query) => {
        this.#change({ query });
        this.#search.searchSoon(query);
      },
      step: (direction) => this.#search.step(direction),
      left: () => this.#graphPane.view.focus(),
      widthModeChosen: (mode) => this.#setWidthMode(mode),
      colourModeChosen: (colourMode) => {
        this.#change({ colourMode });
        this.#graphPane.view.setColourMode(colourMode);
      },
      normalisationChosen: (normalisation) => this.#makeAnew({ type: 'normalise', normalisation }),
      viewModeChosen: (mode) => this.#setViewMode(mode),
      addFilter: () => this.#run?.addFilter(),
      reset: () => this.#graphPane.view.fit(0),
      help: () => this.#help.showModal(),
    });
    this.#panes = new PaneSplit(this.#graphPane.element, this.#tablePane.element, this.#state.split, (split) =>
      this.#change({ split }),
    );
    this.#panes.show(this.#state.viewMode);
    this.element = rendered(html`
      <div class="page">
        ${headerOf(show, this.#measured, { lockWanted: () => this.#showHeldLock() })}
        <nav aria-label=${l10n.t('View')}>${this.#toolbar.element}</nav>
        ${this.#run ? [this.#run.bar, this.#run.strip] : nothing}
        ${this.#panes.element}
        ${this.#status}
        ${this.#help}
      </div>`);
    this.#showFamily();
    this.#saved.save();
    this.#requestViews();
    this.#requestExplanation();
  }

  /** What is not a well-formed view becomes a sentence in its pane. */
  receiveView({ view, value, hidden, content }: Of<'view'>) {
    this.#tables.answered(view);
    if (value !== this.#state.value) return; // asked for before another value was chosen
    if (view === this.#graphView && !sameFunctions(hidden, this.#state.hidden)) return;
    try {
      const bytes = new Uint8Array(content);
      if (view === this.#graphView) this.#showGraph(bytes);
      else this.#showTable(view, bytes);
    } catch (error) {
      if (!(error instanceof MalformedContent)) throw error;
      this.receiveFailure(
        view,
        l10n.t('This view cannot be shown: {0}', error.message),
        l10n.t('Reload the window. If the error persists, the profile file may be damaged.'),
      );
      return;
    }
    if (this.#reveal) this.reveal(this.#reveal);
  }

  receiveFailure(view: ViewKind, message: string, advice: string) {
    this.#tables.answered(view);
    if (view === this.#graphView) this.#graphPane.showFailure(message, advice);
    else this.#tablePane.showFailure(view, message, advice);
  }

  receiveMatched(message: Of<'matched'>) {
    this.#search.receiveMatched(message);
  }

  receiveSelection(message: SelectionHostMessage) {
    this.#run?.receive(message);
  }

  /** A measure was chosen elsewhere, or here a moment ago. */
  receiveMeasure(value: number) {
    if (value !== this.#state.value) this.#setValue(value);
  }

  /** The page has come into the window. */
  start() {
    this.#run?.start(this.element.clientWidth);
    if (this.#state.runTab === 'threads') this.#run?.showThreads();
  }

  /** Why the last click led to no source; it stays until the next click or selection. */
  receiveNoSource(message: string) {
    this.#tellStatus(message);
  }

  receiveCallers(message: CallersMessage) {
    const of = { compared: this.#show.subject === 'comparison', counted: countedIn(this.#measure?.type ?? '') };
    openCallersDialog(message, of, ({ name }) => this.reveal({ type: 'reveal', row: -1, name, module: '' }));
  }

  /** Selects a function in graph and table; waits for the views when they are still on their way. */
  reveal(message: Of<'reveal'>) {
    this.#reveal = message;
    const { graph } = this.#graphPane;
    const compared = this.#show.subject === 'comparison';
    const table = this.#tablePane.framesOf(compared ? 'comparedFunctions' : 'functions');
    if (!graph || !table) return;
    const isRowKnown = message.row >= 0 && message.row < table.count;
    const row = isRowKnown ? message.row : frameNamed(table, message);
    const node = isRowKnown ? this.#nodeOf!(table, row) : nodeNamed(graph, message);
    this.#reveal = undefined;
    if (node >= 0) {
      this.#graphPane.view.fit(node);
      this.#graphPane.select(node);
      this.#nodeSelected(node);
    }
    if (row >= 0) this.#tablePane.select(table, row);
  }

  /** Keys that hold anywhere on the page. */
  key(event: KeyboardEvent): boolean {
    if (isSearchKey(event)) {
      this.#toolbar.search.focus();
      return true;
    }
    if (event.altKey || isTyping(event)) return false;
    if (this.#run?.key(event)) return true;
    const wanted = shownByKey(event);
    if (!wanted) return false;
    if (wanted === 'help') this.#help.showModal();
    else this.#setViewMode(wanted);
    return true;
  }

  #makeRunSelection(): RunSelection {
    return new RunSelection(this.#host, this.#state, {
      tablesOutdated: () => this.#tables.selectionChanged(),
      graphOutdated: () => this.#host.send({ type: 'request', ...this.#shown(this.#graphView) }),
      stateChanged: (timeline) => this.#change({ timeline }),
      sorted: (sort) => this.#change({ sorts: { ...this.#state.sorts, threads: sort } }),
    });
  }

  /** Asked for when it is looked at first: it takes the engine a moment. */
  #requestExplanation() {
    if (this.#state.comparedTab === 'explain') this.explainPane?.request();
  }

  #setWidthMode(widthMode: WidthMode) {
    this.#change({ widthMode });
    this.#graphPane.setWidthMode(widthMode);
  }

  #requestViews() {
    for (const view of viewsOf[this.#show.subject]) this.#host.send({ type: 'request', ...this.#shown(view) });
    this.#tables.outdated();
    this.#tablePane.hide(this.#state.hidden);
    this.#graphPane.countHidden(this.#state.hidden.length);
  }

  /** A view as it is asked for now. */
  #shown(view: ViewKind): ShownView {
    const { value, hidden } = this.#state;
    return view === this.#graphView && hidden.length > 0 ? { view, value, hidden } : { view, value };
  }

  /** Leaves these functions out of graph and tables; what they spent is their callers'. */
  #hide(hidden: readonly NamedFunction[]) {
    this.#graphShown = false;
    this.#change({ hidden, selectedPath: [], span: WHOLE });
    this.#tablePane.hide(hidden);
    this.#graphPane.countHidden(hidden.length);
    this.#graphPane.showLoading();
    this.#host.send({ type: 'request', ...this.#shown(this.#graphView) });
  }

  #showGraph(bytes: Uint8Array) {
    const graph = readFlameGraph(bytes);
    const { widthMode, colourMode, span, selectedPath } = this.#state;
    this.#nodeOf = undefined;
    this.#graphPane.view.setColourMode(colourMode);
    const again = this.#graphShown; // of another selection: spans and numbers of the graph before mean nothing in it
    this.#graphPane.showGraph(graph, widthMode, this.#run?.isEmpty === false ? 'selection' : 'run');
    if (!this.#graphPane.graph) return;
    let find: ReturnType<typeof nodesByFunction> | undefined;
    this.#nodeOf = (frames, frame) => {
      find ??= nodesByFunction(graph); // not before the first paint
      return find(frames, frame);
    };
    const { view } = this.#graphPane;
    const known = selectedPath.length > 1 ? nodeAt(graph, selectedPath) : -1;
    const node = again ? nodeAtNames(graph, this.#selected) : known;
    if (node > 0) this.#graphPane.select(node);
    if (!again) this.#select(graph, node);
    else this.#change({ selectedPath: node > 0 ? pathOf(graph, node) : [] });
    if (!again) view.restoreSpan(span);
    else if (node > 0 && !sameSpan(span, WHOLE)) view.restoreSpan(spanOf(graph, view.layout, node));
    else this.#change({ span: WHOLE });
    this.#graphShown = true;
    if (this.#state.query.text !== '') this.#search.search(this.#state.query);
  }

  /** The rows of the selected functions stay selected. */
  #showTable(view: ViewKind, bytes: Uint8Array) {
    if (this.#tablePane.show(view, bytes)) return;
    const { selectedFrame: selected } = this.#graphPane;
    if (selected && this.#run) this.#tablePane.keepSelected(selected.frames, selected.frame);
  }

  #setValue(value: number) {
    this.#graphShown = false;
    this.#measured.show(value);
    this.#change({ value, selectedPath: [] });
    this.#showFamily();
    this.#graphPane.showLoading();
    this.#tablePane.showLoading();
    this.#requestViews();
  }

  /** Of a run: here and in the editor. Of a comparison: everything is made anew. */
  #chooseMeasure(chosen: number) {
    if (this.#show.subject === 'comparison') return this.#makeAnew({ type: 'compareMeasure', measure: chosen });
    if (chosen === this.#state.value) return;
    this.#setValue(chosen);
    this.#host.send({ type: 'chooseMeasure', value: chosen });
  }

  #makeAnew(how: PageMessage) {
    this.#saved.save();
    this.#host.send(how);
  }

  get #measure(): ShownMeasure | undefined {
    return this.#show.values[this.#show.subject === 'run' ? this.#state.value : 0];
  }

  /** Colours of graph, tables and head are those of what is measured. */
  #showFamily() {
    this.#run?.setMeasure(this.#show, this.#state.value);
    const family = this.#measure?.family ?? 'other';
    this.element.dataset.family = family;
    this.#graphPane.view.setFamily(family);
  }

  /** Its row is selected when the table has come. */
  #showHeldLock() {
    if (this.#state.viewMode === 'graph') this.#setViewMode('both');
    this.#tables.forget('blame');
    this.#tablePane.showHeldLock();
  }

  #setViewMode(viewMode: ViewMode) {
    this.#toolbar.viewModes.show(viewMode);
    this.#change({ viewMode });
    this.#panes.show(viewMode);
  }

  #open(view: ViewKind, index: number, aside: boolean) {
    if (view === this.#graphView && index === 0) return; // the root stands for the whole run: no place in a file
    this.#tellStatus('');
    this.#host.send({ type: 'navigate', ...this.#shown(view), index, aside });
  }

  #ofNode(node: number): Subject | undefined {
    const { graph } = this.#graphPane;
    if (!graph || node < 1) return undefined; // the root is no function
    return { view: this.#graphView, index: node, frames: graph.frames, frame: graph.frame[node]!, node };
  }

  /** The node is the heaviest of the function, as for a selected row. */
  #ofRow(view: ViewKind, row: number, frames: FrameTable): Subject {
    return { view, index: row, frames, frame: row, node: this.#nodeOf?.(frames, row) ?? -1 };
  }

  #menu(subject: Subject | undefined, place: MenuPlace) {
    if (!subject) return;
    const { view, index, node } = subject;
    openSubjectMenu(subject, place, {
      act: (action) => this.#act(action, subject),
      open: () => this.#open(view, index, false),
      zoom: () => {
        this.#graphPane.view.fit(node);
        this.#graphPane.select(node);
      },
      showHidden: this.#state.hidden.length > 0 ? () => this.#hide([]) : undefined,
      stackItems: this.#run?.stackItems,
      callPath: this.#callPath(subject),
      opened: this.#run?.opened ?? [],
      zoomKeys: view === this.#graphView ? 'Enter' : '',
    });
  }

  #act(action: RowAction, subject: Subject | undefined) {
    if (!subject) return;
    const { view, index, node } = subject;
    const { name, module } = namedBy(subject);
    switch (action) {
      case 'copy':
      case 'copyStack': {
        const text = copiedText(action, name, this.#graphPane.graph, node);
        if (text) this.#host.send({ type: 'copy', text });
        return;
      }
      case 'hide': {
        const hidden = hiddenWith(this.#state.hidden, { name, module });
        return hidden && this.#hide(hidden);
      }
      case 'callers':
        return this.#host.send({ type: 'callers', ...this.#shown(view), index });
      case 'openCollapsed':
        return this.#run?.toggleOpened({ name, module }, subject.frames.collapsed.has(subject.frame));
      default: {
        const transform = transformOf(action, { name, module }, this.#callPath(subject));
        if (transform) this.#run?.transform(transform);
      }
    }
  }

  #callPath({ view, node }: Subject) {
    const graph = view === this.#graphView ? this.#graphPane.graph : undefined;
    return graph && node > 0 ? { path: namesOfPath(graph, node), leftOut: this.#state.hidden } : undefined;
  }

  #nodeSelected(node: number) {
    this.#tellStatus('');
    const { graph } = this.#graphPane;
    if (!graph) return;
    this.#tablePane.select(graph.frames, node > 0 ? graph.frame[node]! : -1);
    this.#select(graph, node);
  }

  #rowSelected(frames: FrameTable, row: number) {
    this.#tellStatus('');
    this.#run?.tint({ name: frameName(frames, row), module: frameModule(frames, row) });
    const { graph } = this.#graphPane;
    const node = this.#nodeOf?.(frames, row) ?? -1;
    if (!graph || node < 0) return;
    this.#graphPane.select(node);
    this.#select(graph, node);
  }

  #select(graph: FlameGraph, node: number) {
    this.#selected = namesOfPath(graph, node);
    this.#run?.tint(this.#selected.at(-1));
    this.#change({ selectedPath: node > 0 ? pathOf(graph, node) : [] });
  }

  #tellStatus(text: string) {
    this.#status.textContent = text;
  }

  get #state(): ViewState {
    return this.#saved.now;
  }

  #change(part: Partial<ViewState>) {
    this.#saved.change(part);
  }
}
