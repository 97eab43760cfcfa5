// The flame graph on the page: a canvas of the viewport's size inside a scroller, what is selected and zoomed, and the
// keys. It holds view state only; figures come from the content, places to open are the host's business.
import * as l10n from '@vscode/l10n';
import { html } from 'lit';
import type { MeasureFamily } from '../../core/measureText.ts';
import type { FlameGraph } from '../content/flameGraph.ts';
import { rendered } from '../page/rendered.ts';
import { onThemeChange, readTheme, reducedMotion, type Theme } from '../page/theme.ts';
import type { Matches } from '../search/search.ts';
import { type FunctionAction, functionAction } from '../selection/transformKeys.ts';
import { mirrorSelection } from './ariaTree.ts';
import { type Description, describeNode, describeRun } from './describe.ts';
import { type ColourMode, differenceColours } from './difference.ts';
import { type FramePaint, frameColours, paintFrom } from './frameColours.ts';
import { followGestures } from './gestures.ts';
import { type GraphAction, graphAction } from './graphKeys.ts';
import { type Layout, layoutOf, type WidthMode } from './layout.ts';
import { endOfHeaviestPath, heaviestChild, nextSibling, previousSibling } from './navigation.ts';
import { type Brushes, makeBrushes, paint } from './painter.ts';
import { ROW_HEIGHT } from './scene.ts';
import { between, panned, revealing, type Span, sameSpan, spanOf, WHOLE, zoomed } from './span.ts';
import { Tooltip } from './tooltip.ts';
import { boxAt, emptyBoxes, findVisibleBoxes } from './visibleBoxes.ts';

const ANIMATION_MS = 160;
const HISTORY_MAX = 100;
const DOUBLE_CLICK_MS = 220; // a click waits so long before it opens the source: a double click fits instead
const NOTHING = -1;

export interface GraphEvents {
  selected(node: number): void;
  described(description: Description | undefined): void;
  open(node: number, aside: boolean): void;
  copy(node: number): void;
  copyStack(node: number): void;
  hide(node: number): void;
  callers(node: number): void;
  /** Undefined: stacks cannot be changed here. */
  readonly transform: ((node: number, action: FunctionAction) => void) | undefined;
  /** A menu was asked for, at a place of the window. */
  menu(node: number, place: { readonly x: number; readonly y: number }): void;
  viewChanged(): void;
  help(): void;
}

export class FlameGraphView {
  readonly #canvas: HTMLCanvasElement = rendered(html`<canvas aria-hidden="true"></canvas>`);
  readonly #spacer = rendered(html`<div class="graph-spacer">${this.#canvas}</div>`);
  readonly #scroller = rendered(html`<div class="graph-scroller" tabindex="-1">${this.#spacer}</div>`);
  readonly #tree = rendered(
    html`<div class="graph-tree" role="tree" tabindex="0" aria-label=${l10n.t('Flame graph')}></div>`,
  );
  readonly #tooltip = new Tooltip();
  readonly element = rendered(
    html`<div class="graph">${this.#scroller}${this.#tree}${this.#tooltip.element}${this.#tooltip.spoken}</div>`,
  );

  readonly #context: CanvasRenderingContext2D;
  readonly #events: GraphEvents;
  readonly #boxes = emptyBoxes();
  readonly #tellGestures: (span: Span) => void;
  #theme: Theme = readTheme();
  #brushes: Brushes;
  #graph: FlameGraph | undefined;
  #layout: Layout = {
    start: new Float64Array(),
    width: new Float64Array(),
    childrenEnd: new Float64Array(),
    heaviestFirst: true,
  };
  #mode: WidthMode = 'combined';
  #colourMode: ColourMode = 'significance';
  #family: MeasureFamily = 'cpu';
  #paintOf: (node: number) => FramePaint = () => paintFrom('#000000', '#ffffff');
  #span: Span = WHOLE;
  #history: Span[] = [];
  #selected = NOTHING;
  #hovered = NOTHING;
  #matches: Matches | undefined;
  #currentMatch = NOTHING;
  #width = 0;
  #height = 0;
  #frame = 0;
  #animation = 0;
  #click: ReturnType<typeof setTimeout> | undefined;

  constructor(events: GraphEvents) {
    this.#events = events;
    const context = this.#canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error(l10n.t('This editor gave no 2D canvas, so the flame graph cannot be drawn.'));
    this.#context = context;
    this.#brushes = makeBrushes(context, this.#theme);
    this.#tellGestures = followGestures({
      canvas: this.#canvas,
      scroller: this.#scroller,
      width: () => Math.max(1, this.#width),
      span: () => this.#span,
      moved: (span, lasting) => {
        this.#stopAnimation();
        if (lasting) this.#remember();
        this.#hide();
        this.#setSpan(span);
      },
    });
    this.#listen();
  }

  get span(): Span {
    return this.#span;
  }
  get selected(): number {
    return this.#selected;
  }
  get layout(): Layout {
    return this.#layout;
  }

  /** Shows a tree; zoom and selection start anew. */
  setGraph(graph: FlameGraph, mode: WidthMode) {
    this.#graph = graph;
    this.#mode = mode;
    this.#layout = layoutOf(graph, mode);
    this.#selected = NOTHING;
    this.#hovered = NOTHING;
    this.#matches = undefined;
    this.#currentMatch = NOTHING;
    this.#history = [];
    this.#span = WHOLE;
    this.#spacer.style.height = `${(graph.depthMax + 1) * ROW_HEIGHT + 8}px`;
    this.#applyTheme();
    mirrorSelection(this.#tree, graph, this.#layout, this.#selected);
    this.#measure();
    this.#drawNow();
  }

  setWidthMode(mode: WidthMode) {
    if (!this.#graph || this.#mode === mode) return;
    this.#mode = mode;
    this.#layout = layoutOf(this.#graph, mode);
    this.#history = [];
    this.#moveTo(this.#selected > 0 ? spanOf(this.#graph, this.#layout, this.#graph.parent[this.#selected]!) : WHOLE);
    mirrorSelection(this.#tree, this.#graph, this.#layout, this.#selected);
    this.draw();
  }

  setColourMode(mode: ColourMode) {
    if (this.#colourMode === mode) return;
    this.#colourMode = mode;
    this.#applyTheme();
  }

  /** Of what is measured: frames have its hues. */
  setFamily(family: MeasureFamily) {
    if (this.#family === family) return;
    this.#family = family;
    this.#applyTheme();
  }

  setMatches(matches: Matches | undefined, current: number) {
    this.#matches = matches;
    this.#currentMatch = current;
    this.draw();
  }

  /** Selects a node and brings it into view. */
  select(node: number) {
    if (!this.#graph || node >= this.#graph.count) return;
    this.#selected = node;
    if (node >= 0) this.reveal(node);
    mirrorSelection(this.#tree, this.#graph, this.#layout, node);
    this.draw();
  }

  /** Moves the view so that a node is seen, as little as possible. */
  reveal(node: number) {
    if (!this.#graph) return;
    this.#moveTo(revealing(this.#span, spanOf(this.#graph, this.#layout, node)));
    const top = this.#graph.depth[node]! * ROW_HEIGHT;
    const { scrollTop } = this.#scroller;
    if (top < scrollTop) this.#scroller.scrollTop = top - ROW_HEIGHT;
    else if (top + 2 * ROW_HEIGHT > scrollTop + this.#height) {
      this.#scroller.scrollTop = top + 2 * ROW_HEIGHT - this.#height;
    }
  }

  /** Makes a node as wide as the view. */
  fit(node: number) {
    if (!this.#graph) return;
    this.#remember();
    this.#moveTo(spanOf(this.#graph, this.#layout, node));
  }

  /** Sets the zoom at once, as saved before a reload. */
  restoreSpan(span: Span) {
    this.#setSpan(span);
    this.#tellGestures(this.#span);
  }

  focus() {
    this.#tree.focus({ preventScroll: true });
  }

  /** Draws at the next frame. */
  draw() {
    this.#frame ||= requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const graph = this.#graph;
    if (!graph || this.#width === 0) return;
    const { scrollTop } = this.#scroller;
    findVisibleBoxes(
      graph,
      this.#layout,
      {
        span: this.#span,
        pixels: this.#width,
        firstDepth: Math.floor(scrollTop / ROW_HEIGHT),
        lastDepth: Math.floor((scrollTop + this.#height) / ROW_HEIGHT),
      },
      this.#boxes,
    );
    paint(
      this.#context,
      {
        graph,
        boxes: this.#boxes,
        theme: this.#theme,
        paintOf: this.#paintOf,
        widthMode: this.#mode,
        colourMode: this.#colourMode,
        width: this.#width,
        height: this.#height,
        scrollTop,
        pixelRatio: window.devicePixelRatio,
        selected: this.#selected,
        hovered: this.#hovered,
        matching: this.#matches?.frames,
        currentMatch: this.#currentMatch,
      },
      this.#brushes,
    );
  }

  #applyTheme() {
    this.#theme = readTheme();
    this.#brushes = makeBrushes(this.#context, this.#theme);
    const graph = this.#graph;
    if (!graph) return;
    const ofFrame = frameColours(graph.frames, this.#theme.tone, graph.largestModules, this.#family);
    this.#paintOf = graph.newCosts ? differenceColours(graph, this.#colourMode) : (node) => ofFrame(graph.frame[node]!);
    this.draw();
  }

  /** Fits the canvas to the scroller, in device pixels. */
  #measure() {
    const { clientWidth, clientHeight } = this.#scroller;
    this.#width = clientWidth;
    this.#height = clientHeight;
    const ratio = window.devicePixelRatio;
    const width = Math.ceil(clientWidth * ratio);
    const height = Math.ceil(clientHeight * ratio);
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
      this.#canvas.style.width = `${clientWidth}px`;
      this.#canvas.style.height = `${clientHeight}px`;
    }
    this.#tellGestures(this.#span);
  }

  #setSpan(span: Span) {
    if (sameSpan(span, this.#span)) return;
    this.#span = span;
    this.#events.viewChanged();
    this.draw();
  }

  #moveTo(target: Span) {
    this.#stopAnimation();
    if (sameSpan(target, this.#span)) return;
    if (reducedMotion()) {
      this.restoreSpan(target);
      return;
    }
    const from = this.#span;
    const began = performance.now();
    const step = (now: number) => {
      const t = Math.min(1, Math.max(0, now - began) / ANIMATION_MS);
      this.restoreSpan(between(from, target, 1 - (1 - t) ** 3));
      this.#animation = t < 1 ? requestAnimationFrame(step) : 0;
    };
    this.#animation = requestAnimationFrame(step);
  }

  #stopAnimation() {
    cancelAnimationFrame(this.#animation);
    this.#animation = 0;
  }

  #remember() {
    this.#history.push(this.#span);
    if (this.#history.length > HISTORY_MAX) this.#history.shift();
  }

  #listen() {
    new ResizeObserver(() => {
      this.#measure();
      this.#drawNow();
    }).observe(this.#scroller);
    onThemeChange(() => this.#applyTheme());
    this.#scroller.addEventListener('scroll', () => {
      this.#hide();
      this.draw();
    });
    this.#canvas.addEventListener('mousemove', (event) => this.#hover(event));
    this.#canvas.addEventListener('mouseleave', () => this.#hide());
    this.#canvas.addEventListener('click', (event) => this.#clicked(event));
    this.#canvas.addEventListener('dblclick', () => {
      clearTimeout(this.#click);
      if (this.#selected >= 0) this.fit(this.#selected);
    });
    this.element.addEventListener('contextmenu', (event) => this.#menuUnder(event));
    this.#tree.addEventListener('keydown', (event) => {
      if (!this.#graph || this.#graph.count === 0) return;
      if (this.#transform(event)) return;
      const action = graphAction(event, this.#events.transform ? 'transform' : 'pan');
      if (!action) return;
      event.preventDefault();
      event.stopPropagation();
      this.#act(action);
    });
  }

  #transform(event: KeyboardEvent): boolean {
    const { transform } = this.#events;
    const action = transform && functionAction(event);
    if (!action || this.#selected <= 0) return false;
    event.preventDefault();
    event.stopPropagation();
    transform(this.#selected, action);
    return true;
  }

  #boxUnder(event: MouseEvent): number {
    const depth = Math.floor((event.offsetY + this.#scroller.scrollTop) / ROW_HEIGHT);
    return boxAt(this.#boxes, depth, event.offsetX);
  }

  #hover(event: MouseEvent) {
    if (event.buttons !== 0) return;
    const box = this.#boxUnder(event);
    if (box < 0 || !this.#graph) {
      this.#hide();
      return;
    }
    if (box !== this.#hovered) this.draw();
    this.#hovered = box;
    this.#canvas.classList.toggle('over-frame', true);
    const description = this.#describeBox(box);
    this.#tooltip.show(description, event.clientX, event.clientY);
    this.#events.described(description);
  }

  #describeBox(box: number): Description {
    const node = this.#boxes.node[box]!;
    const end = this.#boxes.end[box]!;
    return end === 0 ? describeNode(this.#graph!, node) : describeRun(this.#graph!, node, end);
  }

  #hide() {
    this.#tooltip.hide();
    this.#canvas.classList.toggle('over-frame', false);
    this.#events.described(undefined);
    if (this.#hovered < 0) return;
    this.#hovered = NOTHING;
    this.draw();
  }

  #clicked(event: MouseEvent) {
    this.focus();
    const box = this.#boxUnder(event);
    if (box < 0 || event.detail > 1) return;
    const node = this.#boxes.node[box]!;
    const end = this.#boxes.end[box]!;
    this.#hide();
    if (end !== 0) {
      this.#remember();
      this.#moveTo(this.#spanOfRun(node, end));
      return;
    }
    this.#choose(node);
    clearTimeout(this.#click);
    const aside = event.altKey;
    const { transform } = this.#events;
    const opens = transform && !aside && this.#graph!.frames.collapsed.has(this.#graph!.frame[node]!);
    this.#click = setTimeout(
      () => (opens ? transform(node, 'openCollapsed') : this.#events.open(node, aside)),
      DOUBLE_CLICK_MS,
    );
  }

  /** Beside the pointer; a run of narrow boxes has none, and the key's own event comes to the scroller only by a pointer. */
  #menuUnder(event: MouseEvent) {
    event.preventDefault();
    if (event.target !== this.#canvas) return;
    this.focus();
    const box = this.#boxUnder(event);
    this.#hide();
    if (box < 0 || this.#boxes.end[box] !== 0) return;
    const node = this.#boxes.node[box]!;
    this.#choose(node);
    this.#events.menu(node, { x: event.clientX, y: event.clientY });
  }

  /** Beside the selected frame, as far as it is in view. */
  #menuOfSelected() {
    if (!this.#graph || this.#selected < 0) return;
    this.#hide();
    const node = this.#selected;
    const { left, top } = this.#canvas.getBoundingClientRect();
    const begin = ((this.#layout.start[node]! - this.#span.left) / this.#span.width) * this.#width;
    const row = this.#graph.depth[node]! * ROW_HEIGHT - this.#scroller.scrollTop;
    const within = (at: number, size: number) => Math.max(0, Math.min(at, size - ROW_HEIGHT));
    const x = left + within(begin, this.#width) + ROW_HEIGHT / 2;
    this.#events.menu(node, { x, y: top + within(row, this.#height) + ROW_HEIGHT });
  }

  #spanOfRun(first: number, end: number): Span {
    const { start, width } = this.#layout;
    let last = first;
    while (this.#graph!.end[last]! < end) last = this.#graph!.end[last]!;
    return zoomed({ left: start[first]!, width: start[last]! + width[last]! - start[first]! }, 1, 0);
  }

  #choose(node: number) {
    if (node < 0) return;
    this.#selected = node;
    mirrorSelection(this.#tree, this.#graph!, this.#layout, node);
    this.draw();
    this.#events.selected(node);
  }

  #act(action: GraphAction) {
    const graph = this.#graph!;
    const layout = this.#layout;
    const from = Math.max(0, this.#selected);
    const go = (node: number) => {
      if (node < 0) return;
      this.#hide();
      this.#choose(node);
      this.reveal(node);
    };
    const actions: Record<GraphAction, () => void> = {
      up: () => go(graph.parent[from]!),
      down: () => go(this.#selected < 0 ? 0 : heaviestChild(graph, layout, from)),
      left: () => go(previousSibling(graph, layout, from)),
      right: () => go(nextSibling(graph, layout, from)),
      home: () => go(0),
      end: () => go(endOfHeaviestPath(graph, layout, from)),
      zoomIn: () => this.#zoomBy(1.6),
      zoomOut: () => this.#zoomBy(1 / 1.6),
      fit: () => this.fit(from),
      back: () => this.#moveTo(this.#history.pop() ?? WHOLE),
      reset: () => this.fit(0),
      panLeft: () => this.#moveTo(panned(this.#span, -0.2)),
      panRight: () => this.#moveTo(panned(this.#span, 0.2)),
      panUp: () => this.#scroller.scrollBy({ top: -4 * ROW_HEIGHT }),
      panDown: () => this.#scroller.scrollBy({ top: 4 * ROW_HEIGHT }),
      open: () => this.#events.open(from, false),
      openAside: () => this.#events.open(from, true),
      copy: () => this.#events.copy(from),
      copyStack: () => this.#events.copyStack(from),
      hide: () => this.#events.hide(from),
      callers: () => this.#events.callers(from),
      menu: () => this.#menuOfSelected(),
      help: () => this.#events.help(),
    };
    actions[action]();
  }

  /** Zooms around the selected node if it is in view, else around the middle. */
  #zoomBy(factor: number) {
    let at = 0.5;
    if (this.#selected > 0) {
      const { left, width } = spanOf(this.#graph!, this.#layout, this.#selected);
      const middle = (left + width / 2 - this.#span.left) / this.#span.width;
      if (middle >= 0 && middle <= 1) at = middle;
    }
    this.#moveTo(zoomed(this.#span, factor, at));
  }
}
