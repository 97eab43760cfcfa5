// Places the graph and the tables: beside each other where there is room, one above the other in a narrow panel, or one
// of them alone.
import '@vscode-elements/elements/dist/vscode-split-layout/index.js';
import type { VscodeSplitLayout } from '@vscode-elements/elements/dist/vscode-split-layout/index.js';
import { html } from 'lit';
import { rendered } from './rendered.ts';
import type { ViewMode } from './viewState.ts';

const BESIDE_MIN = 900; // CSS pixels of width from which the table stands beside the graph
const GRAPH_SHARE = { vertical: 60, horizontal: 58 }; // percent

export class PaneSplit {
  readonly element = rendered(html`<main class="panes"></main>`);
  readonly #split: VscodeSplitLayout = document.createElement('vscode-split-layout');
  readonly #graph: HTMLElement;
  readonly #table: HTMLElement;
  #mode: ViewMode | undefined;
  #share: number; // percent; 0: as we choose

  constructor(graph: HTMLElement, table: HTMLElement, share: number, moved: (share: number) => void) {
    this.#graph = graph;
    this.#table = table;
    this.#share = share;
    graph.slot = 'start';
    table.slot = 'end';
    this.#split.minStart = '80px';
    this.#split.minEnd = '80px';
    this.#split.className = 'split';
    this.#orient();
    this.#split.addEventListener('vsc-split-layout-change', (event) => {
      this.#share = (event as CustomEvent<{ positionInPercentage: number }>).detail.positionInPercentage;
      moved(this.#share);
    });
    new ResizeObserver(() => this.#orient()).observe(this.element);
  }

  show(mode: ViewMode) {
    if (mode === this.#mode) return;
    this.#mode = mode;
    if (mode === 'both') {
      this.#split.replaceChildren(this.#graph, this.#table);
      this.element.replaceChildren(this.#split);
      this.#orient();
    } else this.element.replaceChildren(mode === 'graph' ? this.#graph : this.#table);
  }

  #orient() {
    const direction = this.element.clientWidth >= BESIDE_MIN ? 'vertical' : 'horizontal';
    const share = `${this.#share || GRAPH_SHARE[direction]}%`;
    const turned = this.#split.split !== direction || this.#split.getAttribute('split') !== direction;
    if (turned) {
      this.#split.initialHandlePosition = share;
      this.#split.split = direction;
      this.#split.setAttribute('split', direction);
    }
    if (turned || this.#split.handlePosition !== share) this.#split.handlePosition = share;
  }
}
