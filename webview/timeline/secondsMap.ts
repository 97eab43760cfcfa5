// Another face of the timeline: a column a second, a row 20 ms of it, and the colour says how many samples fell there. What comes back
// every so often, or stops for a moment, is seen here although it is narrower than a pixel of the tracks.
import * as l10n from '@vscode/l10n';
import { interpolateLab } from 'd3-interpolate';
import { html } from 'lit';
import { measureName } from '../../core/measureText.ts';
import { countText, momentText, timeRangeText } from '../../core/numbersAsText.ts';
import {
  EMPTY_SELECTION,
  type ShownSelection,
  type ShownTimelineRequest,
  type ShownTimeRange,
  sameSelection,
} from '../../core/selectionMessages.ts';
import type { Timeline } from '../content/timeline.ts';
import { pixelOf } from '../graph/frameColours.ts';
import { placeBeside } from '../graph/tooltip.ts';
import { icon, icons } from '../page/icons.ts';
import { rendered } from '../page/rendered.ts';
import { onThemeChange, readTheme } from '../page/theme.ts';
import { toolbarButton } from '../page/toolbarButtons.ts';
import { type CellChoice, type Chosen, chooseCell, movedCursor, NO_CHOICE } from './cellChoice.ts';
import { DEFAULT_MEASURE, type Measured, valuePart } from './measured.ts';
import { type CellColours, SecondCells, SHADES } from './secondCells.ts';
import {
  cellAt,
  cellsOf,
  GRID_HEIGHT,
  type Grid,
  gridFor,
  gridWidth,
  nearestCell,
  type Piece,
  piecesOf,
  placeOf,
  ROW_HEIGHT,
  rangeOfCells,
  secondsInView,
  secondTicks,
} from './secondGrid.ts';
import { secondAction } from './secondKeys.ts';
import { onTracks } from './stripSelection.ts';
import type { TimelineAsker } from './timelineExchange.ts';
import { TimelineRequests } from './timelineRequests.ts';
import { selectedTimes } from './timeRanges.ts';

const AXIS_HEIGHT = 18; // CSS pixels
const ALL_THREADS = [{ pid: 0, tid: 0 }];
const SECOND_NS = 1e9;
const ROW_LABELS = [0, 5e8, SECOND_NS].map((ns) => html`<span>${momentText(ns, 1e8, 5e8)}</span>`);
const FAINTEST = 0.16; // of the way from the background to the full colour

export interface MapEvents {
  request(request: ShownTimelineRequest): void;
  preview(selection: ShownSelection): void;
  commit(selection: ShownSelection): void;
  /** False: there was no preview. */
  dropPreview(): boolean;
}

export class SecondsMap implements TimelineAsker {
  readonly element: HTMLElement;
  readonly #events: MapEvents;
  readonly #requests: TimelineRequests;
  #cells = new SecondCells();
  #measured = DEFAULT_MEASURE;
  readonly #canvas = rendered<HTMLCanvasElement>(html`<canvas class="seconds-canvas" aria-hidden="true"></canvas>`);
  readonly #spacer = rendered(html`<div class="seconds-spacer">${this.#canvas}</div>`);
  readonly #scroller: HTMLElement;
  readonly #keep: HTMLElement;
  readonly #spoken = rendered(html`<div class="unseen seconds-spoken" role="status"></div>`);
  readonly #tooltip = rendered(html`<div class="seconds-tooltip" role="tooltip" hidden></div>`);
  readonly #note = rendered(html`<span class="seconds-note" role="status"></span>`);
  readonly #asked = new Map<string, Piece>();
  readonly #image = document.createElement('canvas'); // a pixel a cell
  #colours: CellColours | undefined; // undefined: to be read from the theme
  #grid: Grid = gridFor(0, 0);
  #shown = false;
  #selection: ShownSelection = EMPTY_SELECTION;
  #preview = false;
  #executions: Timeline['executions'] = [];
  #choice: CellChoice = NO_CHOICE;
  #hovered: number | undefined;
  #pressed: { readonly cell: number; readonly dragged: boolean } | undefined;
  #frame = 0;

  constructor(events: MapEvents) {
    this.#events = events;
    this.#requests = new TimelineRequests((request) => events.request(request));
    this.#scroller = rendered(html`
      <div class="seconds-scroller" role="application" tabindex="0"
        aria-label=${l10n.t('Map of seconds: a column is a second, a row 20 ms of it. Arrow keys move, Space begins and ends a range.')}
        >${this.#spacer}</div>`);
    this.#keep = rendered(
      html`<span hidden>${toolbarButton(l10n.t('Keep this selection (Enter)'), icon(icons.magnifier), () =>
        events.commit(this.#selection),
      )}</span>`,
    );
    this.element = rendered(html`
      <div class="seconds-map" hidden>
        <div class="seconds-rows" aria-hidden="true">${ROW_LABELS}</div>
        ${this.#scroller}
        <div class="seconds-foot">
          <span class="seconds-hint">${l10n.t('A column is a second, a row 20 ms of it; the stronger the colour, the more samples or waits. Click where a range begins and where it ends.')}</span>${this.#note}${this.#keep}
        </div>
        ${this.#tooltip}${this.#spoken}
      </div>`);
    this.#listen();
  }

  /** `endNs`: of the recording. */
  show(shown: boolean, endNs: number) {
    this.#shown = shown && endNs > 0;
    this.element.hidden = !this.#shown;
    this.#tooltip.hidden = true;
    if (!this.#shown) return;
    this.#grid = { ...this.#grid, endNs };
    this.#measure();
    this.draw();
  }

  /** Waits are shown where it is known when they were; of other measures, the map goes on to show samples and says so. */
  setMeasure(measured: Measured) {
    if (measured.value === this.#measured.value) return;
    this.#measured = measured;
    this.#cells = new SecondCells();
    this.#asked.clear();
    this.#colours = undefined;
    this.#note.textContent = measured.measure && !this.#showsWaits ? this.#samplesOnly : '';
    this.draw();
  }

  get #showsWaits(): boolean {
    return this.#measured.measure?.family === 'waiting';
  }

  get #samplesOnly(): string {
    const { measure } = this.#measured;
    return measure ? l10n.t('The map shows samples of CPU time: it cannot show {0}.', measureName(measure)) : '';
  }

  setSelection(selection: ShownSelection, preview: boolean) {
    if (preview === this.#preview && sameSelection(selection, this.#selection)) return;
    this.#selection = selection;
    this.#preview = preview;
    this.draw();
  }

  receive(request: ShownTimelineRequest, timeline: Timeline) {
    this.#requests.answered();
    if (request.value !== this.#value) return this.draw(); // of another measure
    if (timeline.shows === 'samplesForLackOfTimes') this.#note.textContent = this.#samplesOnly;
    const piece = this.#asked.get(rangeKey(request));
    if (piece && timeline.columns === piece.columns) this.#cells.receive(piece, timeline);
    this.#executions = timeline.executions;
    this.draw();
  }

  receiveFailure(request: ShownTimelineRequest, message: string) {
    if (this.#requests.failed(request)) this.#note.textContent = message;
  }

  draw() {
    this.#frame ||= requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    this.#frame = 0;
    const width = this.#canvas.clientWidth;
    if (!this.#shown || width <= 0) return;
    const left = this.#scroller.scrollLeft;
    const view = secondsInView(this.#grid, left, width);
    this.#paint(view, left, width);
    this.#keep.hidden = !this.#preview;
    const missing = piecesOf(this.#grid.endNs, view).find((piece) => !this.#cells.has(piece));
    if (!missing) return this.#requests.satisfied();
    this.#asked.set(rangeKey(missing), missing);
    const { fromNs, toNs, columns } = missing;
    this.#requests.want({ fromNs, toNs, columns, first: 0, count: 0, order: 'time', ...this.#valuePart });
  }

  get #value(): number | undefined {
    return this.#showsWaits ? this.#measured.value : undefined;
  }

  get #valuePart() {
    return this.#showsWaits ? valuePart(this.#measured) : {};
  }

  #paint([first, end]: readonly [number, number], left: number, width: number) {
    const ratio = window.devicePixelRatio;
    const context = this.#canvas.getContext('2d', { alpha: false })!;
    const { background, foreground, quietText, focus, fontFamily } = readTheme();
    this.#colours ??= readCellColours(this.#showsWaits ? '--timeline-waited' : '--timeline-own');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = background;
    context.fillRect(0, 0, width, GRID_HEIGHT + AXIS_HEIGHT);
    const columns = end - first;
    if (columns <= 0) return;
    const image = this.#image;
    if (image.width !== columns) image.width = columns;
    image.height = GRID_HEIGHT / ROW_HEIGHT;
    const cells = image.getContext('2d')!;
    const data = cells.createImageData(columns, image.height);
    this.#cells.fill(new Uint32Array(data.data.buffer), [first, end], this.#grid.endNs, this.#ranges(), this.#colours);
    cells.putImageData(data, 0, 0);
    const { secondWidth } = this.#grid;
    context.imageSmoothingEnabled = false;
    context.drawImage(image, first * secondWidth - left, 0, columns * secondWidth, GRID_HEIGHT);
    context.fillStyle = quietText;
    context.font = `11px ${fontFamily}`;
    context.textBaseline = 'middle';
    for (const second of secondTicks(this.#grid, [first, end])) {
      const x = Math.round(second * secondWidth - left);
      context.fillRect(x, GRID_HEIGHT, 1, 4);
      context.fillText(momentText(second * SECOND_NS, SECOND_NS, this.#grid.endNs), x + 4, GRID_HEIGHT + 10);
    }
    this.#outline(context, this.#hovered, left, quietText);
    this.#outline(context, this.#choice.cursor, left, foreground);
    this.#outline(context, this.#choice.start, left, focus);
  }

  #outline(context: CanvasRenderingContext2D, cell: number | undefined, left: number, colour: string) {
    if (cell === undefined) return;
    const { x, y } = placeOf(this.#grid, cell);
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.strokeRect(x - left - 1, y - 1, Math.max(ROW_HEIGHT, this.#grid.secondWidth) + 2, ROW_HEIGHT + 2);
  }

  /** What is drawn as selected: a range that is not finished before anything else; undefined: all of it. */
  #ranges(): readonly ShownTimeRange[] | undefined {
    const { start, cursor } = this.#choice;
    const to = this.#hovered ?? cursor;
    if (start !== undefined && to !== undefined) return [rangeOfCells(this.#grid.endNs, start, to)];
    return selectedTimes(this.#selection.times, this.#selection.executions, this.#executions);
  }

  #measure() {
    const { clientWidth: width } = this.#scroller;
    if (width <= 0) return;
    this.#grid = gridFor(this.#grid.endNs, width);
    this.#spacer.style.width = `${Math.max(width, gridWidth(this.#grid))}px`;
    this.#spacer.style.height = `${GRID_HEIGHT + AXIS_HEIGHT}px`;
    const ratio = window.devicePixelRatio;
    this.#canvas.width = Math.ceil(width * ratio);
    this.#canvas.height = Math.ceil((GRID_HEIGHT + AXIS_HEIGHT) * ratio);
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${GRID_HEIGHT + AXIS_HEIGHT}px`;
  }

  #listen() {
    new ResizeObserver(() => {
      if (!this.#shown) return;
      this.#measure();
      this.draw();
    }).observe(this.#scroller);
    onThemeChange(() => {
      this.#colours = undefined;
      this.draw();
    });
    this.#scroller.addEventListener('scroll', () => {
      this.#hover(undefined);
      this.draw();
    });
    const canvas = this.#canvas;
    canvas.addEventListener('pointerdown', (event) => {
      const cell = this.#cellUnder(event);
      if (event.button !== 0 || cell === undefined) return;
      canvas.setPointerCapture(event.pointerId);
      this.#pressed = { cell, dragged: false };
      this.#scroller.focus({ preventScroll: true }); // Enter and Escape mean the preview
    });
    canvas.addEventListener('pointermove', (event) => this.#moved(event));
    canvas.addEventListener('pointerup', () => {
      const { cell, dragged } = this.#pressed ?? { cell: undefined, dragged: true };
      this.#pressed = undefined;
      if (!dragged) this.#take(chooseCell(this.#choice, cell!));
    });
    canvas.addEventListener('pointercancel', () => {
      this.#pressed = undefined;
    });
    canvas.addEventListener('pointerleave', () => this.#hover(undefined));
    this.#scroller.addEventListener('keydown', (event) => {
      const action = secondAction(event, this.#preview && this.#choice.start === undefined);
      if (!action || !this.#act(action)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  #moved(event: PointerEvent) {
    const pressed = this.#pressed;
    if (!pressed) return this.#hover(this.#cellUnder(event), event);
    const { x, y } = this.#placeUnder(event);
    const cell = nearestCell(this.#grid, x, y);
    if (cell === pressed.cell && !pressed.dragged) return;
    this.#pressed = { ...pressed, dragged: true };
    this.#take({ choice: { cursor: cell, start: undefined }, range: [pressed.cell, cell] });
  }

  #take({ choice, range }: Chosen) {
    this.#choice = choice;
    this.draw();
    if (!range) return;
    const times = [rangeOfCells(this.#grid.endNs, ...range)];
    this.#events.preview(onTracks(this.#selection, times, ALL_THREADS));
  }

  /** False: the key is for the page. */
  #act(action: NonNullable<ReturnType<typeof secondAction>>): boolean {
    switch (action.kind) {
      case 'move':
        this.#choice = movedCursor(this.#choice, action.cells, cellsOf(this.#grid.endNs));
        this.#bringIntoView();
        this.#tell();
        break;
      case 'choose':
        this.#take(chooseCell(this.#choice, this.#choice.cursor ?? 0));
        this.#tell();
        break;
      case 'commit':
        this.#events.commit(this.#selection);
        break;
      case 'drop': {
        const begun = this.#choice.start !== undefined;
        this.#choice = { ...this.#choice, start: undefined };
        this.draw();
        return begun || this.#events.dropPreview();
      }
    }
    this.draw();
    return true;
  }

  #bringIntoView() {
    const { x } = placeOf(this.#grid, this.#choice.cursor ?? 0);
    const { scrollLeft, clientWidth } = this.#scroller;
    const { secondWidth } = this.#grid;
    if (x < scrollLeft) this.#scroller.scrollLeft = x;
    else if (x + secondWidth > scrollLeft + clientWidth) this.#scroller.scrollLeft = x + secondWidth - clientWidth;
  }

  /** What the cursor is on, for screen readers. */
  #tell() {
    const { cursor, start } = this.#choice;
    if (cursor === undefined) return;
    const text = this.#cellText(cursor);
    this.#spoken.textContent = start === cursor ? l10n.t('A range begins here. {0}', text) : text;
  }

  #hover(cell: number | undefined, event?: PointerEvent) {
    if (cell !== this.#hovered) {
      this.#hovered = cell;
      this.draw();
    }
    this.#tooltip.hidden = cell === undefined;
    if (cell === undefined || !event) return;
    this.#tooltip.textContent = this.#cellText(cell);
    placeBeside(this.#tooltip, event.clientX, event.clientY);
  }

  #cellText(cell: number): string {
    const time = timeRangeText(rangeOfCells(this.#grid.endNs, cell, cell));
    const counts = this.#cells.at(cell);
    if (!counts) return time;
    const { own, library, kernel, waits } = counts;
    if (waits !== undefined) return l10n.t('{0}: {1} threads waited on average', time, waits.toFixed(1));
    if (!own && !library && !kernel) return l10n.t('{0}: no samples', time);
    return l10n.t(
      '{0}: {1} samples in own code, {2} in libraries, {3} in the kernel',
      time,
      countText(own),
      countText(library),
      countText(kernel),
    );
  }

  #cellUnder(event: PointerEvent): number | undefined {
    const { x, y } = this.#placeUnder(event);
    return cellAt(this.#grid, x, y);
  }

  #placeUnder({ clientX, clientY }: PointerEvent) {
    const { left, top } = this.#canvas.getBoundingClientRect();
    return { x: clientX - left + this.#scroller.scrollLeft, y: clientY - top };
  }
}

const rangeKey = ({ fromNs, toNs }: ShownTimeRange): string => `${fromNs}-${toNs}`;

function readCellColours(name: string): CellColours {
  const { background, quietFill, quietText, highContrast } = readTheme();
  const full = getComputedStyle(document.body).getPropertyValue(name).trim() || '#888888';
  const towards = interpolateLab(background, full);
  const quiet = interpolateLab(background, quietText);
  const shades = (colour: (share: number) => string, most: number) =>
    Uint32Array.from({ length: SHADES }, (_, at) =>
      pixelOf(colour(FAINTEST + (most - FAINTEST) * (at / (SHADES - 1)))),
    );
  return {
    nothing: pixelOf(highContrast ? background : quietFill),
    empty: pixelOf(background),
    shades: shades(towards, 1),
    quiet: shades(quiet, 0.4),
  };
}
