// The pane of the flame graph: the graph, or a sentence in its place, and below it one line on the frame in question.
import * as l10n from '@vscode/l10n';
import { html } from 'lit';
import { countedIn } from '../../core/measureText.ts';
import { countText } from '../../core/numbersAsText.ts';
import type { FlameGraph } from '../content/flameGraph.ts';
import type { FrameTable } from '../content/frameTable.ts';
import { describeNode, lineOf } from '../graph/describe.ts';
import { FlameGraphView, type GraphEvents } from '../graph/flameGraphView.ts';
import { graphSizeText } from '../graph/graphSize.ts';
import { elidedNodes, type WidthMode } from '../graph/layout.ts';
import { openElidedDialog } from './elidedDialog.ts';
import { failurePane, loadingPane } from './messagePane.ts';
import { rendered } from './rendered.ts';

interface GraphPaneEvents extends Omit<GraphEvents, 'described'> {
  /** A frame was chosen that these widths leave without a box. */
  widthModeWanted(mode: WidthMode): void;
  hiddenWanted(): void;
}

export class GraphPane {
  readonly view: FlameGraphView;
  readonly element: HTMLElement;
  readonly #stage = rendered(html`<div class="graph-stage"></div>`);
  readonly #details = rendered(html`<div class="details"></div>`);
  readonly #elided = rendered(
    html`<button type="button" class="elided-button" hidden @click=${() => this.#listElided()}></button>`,
  );
  readonly #notch = rendered(html`
    <span class="notch-legend" hidden title=${l10n.t('Where the base’s part of a box ends. Right of the middle: the new run costs less.')}
      ><span class="notch" aria-hidden="true"></span>${l10n.t('base ends here')}</span>`);
  readonly #hidden = rendered(
    html`<button type="button" class="hidden-button" hidden title=${l10n.t('Show the hidden functions again')}
      @click=${() => this.#events.hiddenWanted()}></button>`,
  );
  readonly #events: GraphPaneEvents;
  #graph: FlameGraph | undefined;

  constructor(events: GraphPaneEvents) {
    this.#events = events;
    this.view = new FlameGraphView({
      ...events,
      selected: (node) => {
        this.#describe(node);
        events.selected(node);
      },
      described: (description) => {
        if (description) this.#tell(lineOf(description));
        else this.#describe(this.view.selected);
      },
    });
    this.element = rendered(html`
      <section class="pane graph-pane" aria-label=${l10n.t('Flame graph')}>
        ${this.#stage}
        <div class="graph-foot">${this.#details}${this.#notch}${this.#hidden}${this.#elided}</div>
      </section>`);
    this.showLoading();
  }

  get graph(): FlameGraph | undefined {
    return this.#graph;
  }

  /** The function that is selected; undefined: none is. */
  get selectedFrame(): { readonly frames: FrameTable; readonly frame: number } | undefined {
    const { graph } = this;
    const { selected } = this.view;
    return graph && selected > 0 ? { frames: graph.frames, frame: graph.frame[selected]! } : undefined;
  }

  showLoading() {
    this.#graph = undefined;
    this.#stage.replaceChildren(loadingPane(l10n.t('Reading the flame graph…')));
  }

  showFailure(message: string, advice: string) {
    this.#graph = undefined;
    this.#stage.replaceChildren(failurePane(message, advice));
    this.#tell('');
  }

  showGraph(graph: FlameGraph, mode: WidthMode, of: 'run' | 'selection' = 'run') {
    if ((graph.costs.total[0] ?? 0) === 0 && (graph.newCosts?.total[0] ?? 0) === 0) {
      if (of === 'run' && graph.type !== '' && graph.type !== 'cpu' && graph.type !== 'samples')
        this.showFailure(l10n.t('There is nothing of this measure to draw.'), l10n.t('Choose another measure.'));
      else if (of === 'run')
        this.showFailure(
          l10n.t('There are no samples to draw.'),
          l10n.t('The program may have ended before it used any CPU time.'),
        );
      else
        this.showFailure(
          countedIn(graph.type) === 'waits'
            ? l10n.t('The selection has no waits.')
            : l10n.t('The selection has no samples.'),
          l10n.t('Undo the last step, or clear the selection.'),
        );
      return;
    }
    this.#graph = graph;
    if (this.view.element.parentElement !== this.#stage) this.#stage.replaceChildren(this.view.element);
    this.view.setGraph(graph, mode);
    this.#describe(-1);
    this.#notch.hidden = !graph.newCosts || mode === 'base';
    this.#countElided();
  }

  setWidthMode(mode: WidthMode) {
    this.view.setWidthMode(mode);
    this.#notch.hidden = !this.#graph?.newCosts || mode === 'base';
    this.#countElided();
  }

  /** Selects a node, brings it into view and tells it below the graph. */
  select(node: number) {
    this.view.select(node);
    this.#describe(node);
  }

  /** Tells how many functions are left out; a press on that shows them. */
  countHidden(count: number) {
    this.#hidden.hidden = count === 0;
    this.#hidden.textContent = l10n.t('{0} hidden, show', countText(count));
  }

  #countElided() {
    const graph = this.#graph;
    const count = graph?.newCosts ? elidedNodes(graph, this.view.layout).length : 0;
    this.#elided.hidden = count === 0;
    this.#elided.textContent = l10n.t('{0} without a box', countText(count));
    this.#elided.title = l10n.t('Frames that have no box with these widths');
  }

  #listElided() {
    const graph = this.#graph;
    if (!graph) return;
    openElidedDialog(graph, elidedNodes(graph, this.view.layout), (node) => {
      this.#events.widthModeWanted('combined');
      this.select(node);
      this.#events.selected(node);
    });
  }

  #describe(node: number) {
    const graph = this.#graph;
    if (!graph) return;
    if (node > 0) {
      this.#tell(lineOf(describeNode(graph, node)));
      return;
    }
    this.#tell(graphSizeText(graph.count - 1, graph.depthMax, graph.prunedNodes));
  }

  #tell(text: string) {
    this.#details.textContent = text;
    this.#details.title = text;
  }
}
