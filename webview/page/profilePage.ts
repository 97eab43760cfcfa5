// One profile or comparison on the page: asks the host for the views, hands them to the panes, keeps graph, tables and
// search in step, and saves how it is looked at.
import { html } from 'lit';
import { visibleText } from '../../core/foreignText.ts';
import { countText, percentText } from '../../core/numbersAsText.ts';
import type { HostMessage, ShowMessage, ViewKind } from '../../core/webviewMessages.ts';
import { readFlameGraph } from '../content/flameGraph.ts';
import { type FrameTable, frameName } from '../content/frameTable.ts';
import { readComparedTable, readFunctionTable } from '../content/tables.ts';
import { MalformedContent } from '../content/wireReader.ts';
import type { WidthMode } from '../graph/layout.ts';
import { nodeAt, pathOf } from '../graph/navigation.ts';
import { type Matches, matcherOf, matchesIn, type Query } from '../search/search.ts';
import { nodeByName, nodesByFunction } from '../table/sameFunction.ts';
import { ExplainPane } from './explainPane.ts';
import { GraphPane } from './graphPane.ts';
import { headerOf } from './header.ts';
import { helpOverlay } from './helpOverlay.ts';
import type { Host } from './host.ts';
import { PaneSplit } from './paneSplit.ts';
import { rendered } from './rendered.ts';
import { TablePane } from './tablePane.ts';
import { makeToolbar, type Toolbar } from './toolbar.ts';
import { restoredState, type ViewMode, type ViewState } from './viewState.ts';

const SAVE_DELAY_MS = 150;
const SEARCH_DELAY_MS = 60;

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
      copy: (node) => this.#copyNode(node),
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
        copy: (text) => host.send({ type: 'copy', text }),
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
        <nav aria-label="View">${this.#toolbar.element}</nav>
        ${this.#panes.element}
        ${this.#help}
      </div>`);
    this.#save();
    this.#requestViews();
    this.#requestExplanation();
  }

  /** Content of the engine; what is not a well-formed view becomes a sentence in its pane. */
  receiveView({ view, value, content }: ViewMessage) {
    if (value !== this.#state.value) return; // asked for before another value was chosen
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
        `This view cannot be shown: ${error.message}`,
        'Reload the window; if it stays, the profile file may be damaged.',
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
      open: (index, line, aside) => this.#host.send({ type: 'openExplained', index, line, aside }),
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
    for (const view of views) this.#host.send({ type: 'request', view, value: this.#state.value });
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
    this.#host.send({ type: 'navigate', view, value: this.#state.value, index, aside });
  }

  #copyNode(node: number) {
    const { graph } = this.#graphPane;
    if (graph)
      this.#host.send({ type: 'copy', text: visibleText(frameName(graph.frames, graph.frame[node]!), 1 << 16) });
  }

  #nodeSelected(node: number) {
    const { graph } = this.#graphPane;
    if (!graph) return;
    this.#tablePane.select(graph.frames, node > 0 ? graph.frame[node]! : -1);
    this.#change({ selectedPath: node > 0 ? pathOf(graph, node) : [] });
  }

  #rowSelected(frames: FrameTable, row: number) {
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
      search.tell('Not a valid regular expression', true, false);
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
    const { value } = this.#state;
    this.#host.send({ type: 'measureMatches', view: this.#graphView, value, search: this.#searches, frames });
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
      search.tell('No matches', false, false);
      return;
    }
    const place =
      this.#match < 0 ? countText(nodes.length) : `${countText(this.#match + 1)} of ${countText(nodes.length)}`;
    search.tell([place, this.#shares].filter(Boolean).join(' · '), false, true);
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
