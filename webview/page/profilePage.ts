// One profile or comparison on the page: asks the host for the views, hands them to the panes, keeps graph, tables and
// search in step, and saves how it is looked at.
import * as l10n from '@vscode/l10n';
import { html } from 'lit';
import { visibleText } from '../../core/foreignText.ts';
import { countText, percentText } from '../../core/numbersAsText.ts';
import {
  type CallersMessage,
  HIDDEN_LIMIT,
  type HostMessage,
  type NamedFunction,
  type ShowMessage,
  type ShownView,
  sameFunctions,
  type ViewKind,
} from '../../core/webviewMessages.ts';
import { readFlameGraph } from '../content/flameGraph.ts';
import { type FrameTable, frameModule, frameName } from '../content/frameTable.ts';
import { readComparedTable, readFunctionTable } from '../content/tables.ts';
import { MalformedContent } from '../content/wireReader.ts';
import type { WidthMode } from '../graph/layout.ts';
import { foldedStack, nodeAt, pathOf } from '../graph/navigation.ts';
import { WHOLE } from '../graph/span.ts';
import { type Matches, matcherOf, matchesIn, type Query } from '../search/search.ts';
import { nodeByName, nodesByFunction } from '../table/sameFunction.ts';
import { openCallersDialog } from './callersDialog.ts';
import { type MenuPlace, openContextMenu } from './contextMenu.ts';
import { ExplainPane } from './explainPane.ts';
import { GraphPane } from './graphPane.ts';
import { headerOf } from './header.ts';
import { helpOverlay } from './helpOverlay.ts';
import type { Host } from './host.ts';
import { PaneSplit } from './paneSplit.ts';
import { rendered } from './rendered.ts';
import { type RowAction, TablePane } from './tablePane.ts';
import { makeToolbar, type Toolbar } from './toolbar.ts';
import { restoredState, type ViewMode, type ViewState } from './viewState.ts';

const SAVE_DELAY_MS = 150;
const SEARCH_DELAY_MS = 60;
const NAME_MAX = 1 << 16; // characters of a copied name

/** What a menu is of: a frame of the graph, or a row of a table with the heaviest frame of its function. */
interface Subject {
  readonly view: ViewKind;
  readonly index: number; // node or row
  readonly frames: FrameTable;
  readonly frame: number;
  readonly node: number; // -1: it has none
}

type ViewMessage = Extract<HostMessage, { type: 'view' }>;
type ExplanationMessage = Extract<HostMessage, { type: 'explanation' }>;
type MatchedMessage = Extract<HostMessage, { type: 'matched' }>;
type RevealMessage = Extract<HostMessage, { type: 'reveal' }>;

export class ProfilePage {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #show: ShowMessage;
  readonly #graphView: 'flameGraph' | 'comparedFlameGraph';
  readonly #graphPane: GraphPane;
  readonly #tablePane: TablePane;
  readonly #explainPane: ExplainPane | undefined; // of a comparison
  readonly #panes: PaneSplit;
  readonly #toolbar: Toolbar;
  readonly #help: HTMLDialogElement;
  readonly #status = rendered(html`<div class="page-status" role="status"></div>`);
  #state: ViewState;
  #matches: Matches | undefined;
  #match = -1; // index into #matches.nodes
  #searches = 0; // how often was searched; the engine's share is that of the last
  #shares = ''; // of what matches: empty until the engine has said it
  #nodeOf: ((frames: FrameTable, frame: number) => number) | undefined;
  #explainRequested = false;
  #reveal: RevealMessage | undefined; // came before the views that it speaks of
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #searchTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host, show: ShowMessage) {
    this.#host = host;
    this.#show = show;
    this.#graphView = show.subject === 'run' ? 'flameGraph' : 'comparedFlameGraph';
    this.#state = restoredState(host.savedState(), show.panel, show.defaultValue);
    if (this.#state.value >= Math.max(1, show.values.length)) this.#change({ value: show.defaultValue });

    this.#help = helpOverlay(show.subject === 'comparison');
    this.#graphPane = new GraphPane({
      selected: (node) => this.#nodeSelected(node),
      open: (node, aside) => this.#open(this.#graphView, node, aside),
      copy: (node) => this.#act('copy', this.#ofNode(node)),
      copyStack: (node) => this.#act('copyStack', this.#ofNode(node)),
      hide: (node) => this.#act('hide', this.#ofNode(node)),
      callers: (node) => this.#act('callers', this.#ofNode(node)),
      menu: (node, place) => this.#menu(this.#ofNode(node), place),
      hiddenWanted: () => this.#hide([]),
      viewChanged: () => this.#change({ span: this.#graphPane.view.span }),
      widthModeWanted: (mode) => {
        this.#toolbar.widthModes?.show(mode);
        this.#setWidthMode(mode);
      },
      help: () => this.#help.showModal(),
    });
    this.#explainPane = show.comparison && this.#makeExplainPane(show.comparison.per);
    this.#tablePane = new TablePane(
      show.subject,
      { sorts: this.#state.sorts, measure: this.#state.measure, tab: this.#state.comparedTab },
      this.#explainPane?.element,
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
        measureChosen: (measure) => this.#change({ measure }),
      },
    );
    this.#toolbar = makeToolbar(show, this.#state, {
      changed: (query) => this.#searchSoon(query),
      step: (direction) => this.#step(direction),
      left: () => this.#graphPane.view.focus(),
      widthModeChosen: (mode) => this.#setWidthMode(mode),
      colourModeChosen: (colourMode) => {
        this.#change({ colourMode });
        this.#graphPane.view.setColourMode(colourMode);
      },
      normalisationChosen: (normalisation) => {
        this.#save();
        host.send({ type: 'normalise', normalisation });
      },
      viewModeChosen: (mode) => this.#setViewMode(mode),
      valueChosen: (value) => this.#setValue(value),
      reset: () => this.#graphPane.view.fit(0),
      help: () => this.#help.showModal(),
    });
    this.#panes = new PaneSplit(this.#graphPane.element, this.#tablePane.element, this.#state.split, (split) =>
      this.#change({ split }),
    );
    this.#panes.show(this.#state.viewMode);
    this.element = rendered(html`
      <div class="page">
        ${headerOf(show)}
        <nav aria-label=${l10n.t('View')}>${this.#toolbar.element}</nav>
        ${this.#panes.element}
        ${this.#status}
        ${this.#help}
      </div>`);
    this.#save();
    this.#requestViews();
    this.#requestExplanation();
  }

  /** Content of the engine; what is not a well-formed view becomes a sentence in its pane. */
  receiveView({ view, value, hidden, content }: ViewMessage) {
    if (value !== this.#state.value) return; // asked for before another value was chosen
    if (view === this.#graphView && !sameFunctions(hidden, this.#state.hidden)) return;
    try {
      const bytes = new Uint8Array(content);
      if (view === this.#graphView) this.#showGraph(bytes);
      else if (view === 'functions') this.#tablePane.showFunctions(readFunctionTable(bytes));
      else if (view === 'comparedFunctions' || view === 'comparedLines') {
        this.#tablePane.showCompared(view, readComparedTable(bytes));
      }
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
    if (view === this.#graphView) this.#graphPane.showFailure(message, advice);
    else this.#tablePane.showFailure(view, message, advice);
  }

  receiveExplanation({ explanation }: ExplanationMessage) {
    this.#explainPane?.show(explanation);
  }

  receiveExplanationFailure(message: string, advice: string) {
    this.#explainRequested = false;
    this.#explainPane?.showFailure(message, advice);
  }

  /** What the engine says of a search; of one that was replaced since nothing. */
  receiveMatched({ search, share, newShare }: MatchedMessage) {
    if (search !== this.#searches) return;
    const compared = this.#show.subject === 'comparison';
    this.#shares = compared ? `${percentText(share)} → ${percentText(newShare)}` : percentText(share);
    this.#tellMatches();
  }

  /** Why the last click led to no source; it stays until the next click or selection. */
  receiveNoSource(message: string) {
    this.#tellStatus(message);
  }

  receiveCallers(message: CallersMessage) {
    const compared = this.#show.subject === 'comparison';
    openCallersDialog(message, compared, ({ name }) => this.reveal({ type: 'reveal', row: -1, name }));
  }

  /** Selects a function in graph and table; waits for the views when they are still on their way. */
  reveal(message: RevealMessage) {
    this.#reveal = message;
    const { graph } = this.#graphPane;
    const compared = this.#show.subject === 'comparison';
    const table = this.#tablePane.framesOf(compared ? 'comparedFunctions' : 'functions');
    if (!graph || ((compared || message.row >= 0) && !table)) return;
    const known = table && message.row >= 0 && message.row < table.count;
    const node = known ? this.#nodeOf!(table, message.row) : nodeByName(graph, message.name);
    this.#reveal = undefined;
    if (node >= 0) {
      this.#graphPane.view.fit(node);
      this.#graphPane.select(node);
      this.#nodeSelected(node);
    }
    if (compared) this.#selectNamed(table!, known ? message.row : -1, message.name);
    else if (known) this.#tablePane.selectRow(message.row);
  }

  /** Keys that hold anywhere on the page. */
  key(event: KeyboardEvent): boolean {
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === 'f') {
      this.#toolbar.search.focus();
      return true;
    }
    if (command || event.altKey || event.composedPath()[0] instanceof HTMLInputElement) return false;
    const modes: Record<string, ViewMode> = { '1': 'graph', '2': 'both', '5': 'table' };
    const mode = modes[event.key];
    if (mode) {
      this.#toolbar.viewModes.show(mode);
      this.#setViewMode(mode);
    } else if (event.key === '?') this.#help.showModal();
    else return false;
    return true;
  }

  /** A row of the table of compared functions, or the first of that name; frames of graph and tables differ. */
  #selectNamed(frames: FrameTable, row: number, name: string) {
    let at = row;
    for (let frame = 0; at < 0 && frame < frames.count; frame++) if (frameName(frames, frame) === name) at = frame;
    if (at >= 0) this.#tablePane.select(frames, at);
  }

  #makeExplainPane(per: string): ExplainPane {
    return new ExplainPane(per, {
      selected: (row, name) => this.reveal({ type: 'reveal', row, name }),
      open: (index, line, aside) => {
        this.#tellStatus('');
        this.#host.send({ type: 'openExplained', index, line, aside });
      },
    });
  }

  /** Asked for when it is looked at first: it takes the engine a moment. */
  #requestExplanation() {
    if (!this.#explainPane || this.#explainRequested || this.#state.comparedTab !== 'explain') return;
    this.#explainRequested = true;
    this.#explainPane.showLoading();
    this.#host.send({ type: 'explain' });
  }

  #setWidthMode(widthMode: WidthMode) {
    this.#change({ widthMode });
    this.#graphPane.setWidthMode(widthMode);
  }

  #requestViews() {
    const views: ViewKind[] =
      this.#show.subject === 'run'
        ? ['flameGraph', 'functions']
        : ['comparedFlameGraph', 'comparedFunctions', 'comparedLines'];
    for (const view of views) this.#host.send({ type: 'request', ...this.#shown(view) });
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
    this.#graphPane.showGraph(graph, widthMode);
    if (!this.#graphPane.graph) return;
    let find: ReturnType<typeof nodesByFunction> | undefined;
    this.#nodeOf = (frames, frame) => {
      find ??= nodesByFunction(graph); // not before the first paint
      return find(frames, frame);
    };
    const { view } = this.#graphPane;
    const node = selectedPath.length > 1 ? nodeAt(graph, selectedPath) : -1;
    if (node > 0) this.#graphPane.select(node);
    view.restoreSpan(span);
    if (this.#state.query.text !== '') this.#search(this.#state.query);
  }

  #setValue(value: number) {
    this.#change({ value, selectedPath: [] });
    this.#graphPane.showLoading();
    this.#tablePane.showLoading();
    this.#requestViews();
  }

  #setViewMode(viewMode: ViewMode) {
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
    const { view, index, frames, frame, node } = subject;
    const { hidden } = this.#state;
    const act = (action: RowAction) => () => this.#act(action, subject);
    const focus = () => {
      this.#graphPane.view.fit(node);
      this.#graphPane.select(node);
    };
    openContextMenu(l10n.t('Menu of {0}', visibleText(frameName(frames, frame))), place, [
      [{ label: l10n.t('Go to Line'), keys: 'F12', act: () => this.#open(view, index, false) }],
      [
        { label: l10n.t('Copy Name'), keys: 'Ctrl+C', act: act('copy') },
        ...(node > 0 ? [{ label: l10n.t('Copy Stack'), keys: 'Ctrl+Shift+C', act: act('copyStack') }] : []),
      ],
      [
        ...(node > 0 ? [{ label: l10n.t('Focus'), keys: view === this.#graphView ? 'Enter' : '', act: focus }] : []),
        { label: l10n.t('Hide Function'), keys: 'H', act: act('hide') },
        ...(hidden.length > 0 ? [{ label: l10n.t('Show Hidden Functions'), keys: '', act: () => this.#hide([]) }] : []),
      ],
      [{ label: l10n.t('Open Callers'), keys: 'C', act: act('callers') }],
    ]);
  }

  #act(action: RowAction, subject: Subject | undefined) {
    if (!subject) return;
    const { view, index, frames, frame, node } = subject;
    const name = frameName(frames, frame);
    switch (action) {
      case 'copy':
        return this.#host.send({ type: 'copy', text: visibleText(name, NAME_MAX) });
      case 'copyStack': {
        const { graph } = this.#graphPane;
        if (graph && node > 0) this.#host.send({ type: 'copy', text: foldedStack(graph, node) });
        return;
      }
      case 'hide': {
        const { hidden } = this.#state;
        const isHidden = hidden.some((one) => one.name === name && one.module === frameModule(frames, frame));
        if (isHidden || hidden.length === HIDDEN_LIMIT) return;
        return this.#hide([...hidden, { name, module: frameModule(frames, frame) }]);
      }
      case 'callers':
        return this.#host.send({ type: 'callers', ...this.#shown(view), index });
    }
  }

  #nodeSelected(node: number) {
    this.#tellStatus('');
    const { graph } = this.#graphPane;
    if (!graph) return;
    this.#tablePane.select(graph.frames, node > 0 ? graph.frame[node]! : -1);
    this.#change({ selectedPath: node > 0 ? pathOf(graph, node) : [] });
  }

  #rowSelected(frames: FrameTable, row: number) {
    this.#tellStatus('');
    const { graph } = this.#graphPane;
    const node = this.#nodeOf?.(frames, row) ?? -1;
    if (!graph || node < 0) return;
    this.#graphPane.select(node);
    this.#change({ selectedPath: pathOf(graph, node) });
  }

  #searchSoon(query: Query) {
    this.#change({ query });
    clearTimeout(this.#searchTimer);
    this.#searchTimer = setTimeout(() => this.#search(query), SEARCH_DELAY_MS);
  }

  #search(query: Query) {
    const matcher = matcherOf(query);
    const { search } = this.#toolbar;
    this.#match = -1;
    if (typeof matcher === 'string') {
      search.tell(l10n.t('Not a valid regular expression'), true, false);
      return;
    }
    const { graph } = this.#graphPane;
    this.#matches = matcher && graph ? matchesIn(graph, matcher) : undefined;
    this.#measureMatches();
    this.#tablePane.filter(matcher);
    this.#graphPane.view.setMatches(this.#matches, -1);
    this.#tellMatches();
  }

  #measureMatches() {
    this.#searches++;
    this.#shares = '';
    if (!this.#matches || this.#matches.nodes.length === 0) return;
    const frames: number[] = [];
    this.#matches.frames.forEach((matches, frame) => {
      if (matches === 1) frames.push(frame);
    });
    this.#host.send({ type: 'measureMatches', ...this.#shown(this.#graphView), search: this.#searches, frames });
  }

  #step(direction: 1 | -1) {
    clearTimeout(this.#searchTimer);
    if (this.#toolbar.search.query.text !== '' && !this.#matches) this.#search(this.#toolbar.search.query);
    const nodes = this.#matches?.nodes ?? [];
    if (nodes.length === 0) return;
    this.#match =
      this.#match < 0 && direction < 0 ? nodes.length - 1 : (this.#match + direction + nodes.length) % nodes.length;
    const node = nodes[this.#match]!;
    this.#graphPane.select(node);
    this.#graphPane.view.setMatches(this.#matches, node);
    this.#nodeSelected(node);
    this.#tellMatches();
  }

  #tellMatches() {
    const { search } = this.#toolbar;
    if (!this.#matches) {
      search.tell('', false, false);
      return;
    }
    const { nodes } = this.#matches;
    if (nodes.length === 0) {
      search.tell(l10n.t('No matches'), false, false);
      return;
    }
    const place =
      this.#match < 0
        ? countText(nodes.length)
        : l10n.t('{0} of {1}', countText(this.#match + 1), countText(nodes.length));
    search.tell([place, this.#shares].filter(Boolean).join(' · '), false, true);
  }

  #tellStatus(text: string) {
    this.#status.textContent = text;
  }

  #change(part: Partial<ViewState>) {
    this.#state = { ...this.#state, ...part };
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.#save(), SAVE_DELAY_MS);
  }

  #save() {
    clearTimeout(this.#saveTimer);
    this.#host.save(this.#state);
  }
}
