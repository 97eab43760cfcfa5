// The timeline above graph and tables: a track for all threads, then one a thread, on which time and threads are selected. It holds
// view state only; what is selected is the host's business, and every count is the engine's.
import * as l10n from '@vscode/l10n';
import { html } from 'lit';
import {
  EMPTY_SELECTION,
  type HottestStackMessage,
  type ShownSelection,
  type ShownTimelineRequest,
  type ShownTimeRange,
  sameSelection,
} from '../../core/selectionMessages.ts';
import type { NamedFunction } from '../../core/webviewMessages.ts';
import { hasWaits, type Timeline, type Track } from '../content/timeline.ts';
import type { MenuPlace } from '../page/contextMenu.ts';
import { heightHandle } from '../page/heightHandle.ts';
import { rendered } from '../page/rendered.ts';
import { onThemeChange } from '../page/theme.ts';
import { BitmapsAhead } from './bitmapsAhead.ts';
import { cursorText } from './cursorText.ts';
import { DEFAULT_MEASURE, type Measured } from './measured.ts';
import { beginDrag, draggedTo, endAt, type RangeDrag } from './rangeDrag.ts';
import { placesInView, rowsInView, scrollToRow } from './rowsInView.ts';
import type { SecondsMap } from './secondsMap.ts';
import { StackTooltip } from './stackTooltip.ts';
import { readStripColours } from './stripColours.ts';
import { type Cursor, type CursorStep, firstCursor, placesBetween, stepped } from './stripCursor.ts';
import { followPointer, type Place } from './stripGestures.ts';
import { StripHead } from './stripHead.ts';
import { barsHeight } from './stripPainter.ts';
import { onTracks, withExecution, withRange, withThread } from './stripSelection.ts';
import { TimeAxis } from './timeAxis.ts';
import type { TimelineEvents, TimelineState } from './timelineEvents.ts';
import type { TimelineAsker } from './timelineExchange.ts';
import { type TimelineAction, timelineAction } from './timelineKeys.ts';
import { requestFor, TimelineRequests } from './timelineRequests.ts';
import { gapsOf, selectedTimes } from './timeRanges.ts';
import { pannedView, pixelOf, type TimePlot, timeAt, viewWith, wholeView, zoomedView } from './timeView.ts';
import { ALL_HEIGHT, MEMORY_HEIGHT, TRACK_HEIGHT, TrackCanvases } from './trackCanvases.ts';
import { ALL_TRACKS, rowId, TrackRows, trackName, trackUnder } from './trackRows.ts';
import { type LoadedTrack, TrackStore } from './trackStore.ts';

const MARGIN = 24; // tracks asked for above and below those in view
const ROWS_AT_FIRST = 4;
const ZOOM = 1.6;

export class TimelineStrip implements TimelineAsker {
  readonly element: HTMLElement;
  readonly #events: TimelineEvents;
  readonly #store = new TrackStore();
  readonly #requests: TimelineRequests;
  readonly #head: StripHead;
  readonly #map: SecondsMap;
  readonly #axis: TimeAxis;
  readonly #allRows = new TrackRows();
  readonly #rows = new TrackRows();
  readonly #canvases = new TrackCanvases();
  readonly #ahead = new BitmapsAhead();
  readonly #spacer = rendered(html`<div class="timeline-spacer">${this.#rows.element}${this.#canvases.threads}</div>`);
  readonly #scroller = rendered(
    html`<div class="timeline-scroller" role="rowgroup" tabindex="-1">${this.#spacer}</div>`,
  );
  readonly #grid: HTMLElement;
  readonly #body: HTMLElement;
  readonly #handle: HTMLElement;
  readonly #spoken = rendered(html`<div class="unseen" role="status" aria-live="polite"></div>`);
  readonly #tooltip: StackTooltip;
  #colours = readStripColours();
  #state: TimelineState;
  #view: ShownTimeRange | undefined; // undefined: nothing has come yet
  #width = 0; // CSS pixels of the tracks
  #height = 0; // and of what is seen of the threads' tracks
  #selection: ShownSelection = EMPTY_SELECTION;
  #preview = false;
  #tinted: NamedFunction | undefined;
  #measured = DEFAULT_MEASURE;
  #drag: { readonly range: RangeDrag; readonly index: number; readonly adding: boolean } | undefined;
  #cursor: Cursor | undefined;
  #anchor: Cursor | undefined; // where the keyboard's range begins
  #frame = 0;

  constructor(state: TimelineState, events: TimelineEvents, map: SecondsMap) {
    this.#state = state;
    this.#events = events;
    this.#map = map;
    this.#requests = new TimelineRequests((request) => events.request(request));
    this.#tooltip = new StackTooltip((ask, place) => events.askStack(ask, place));
    this.#head = new StripHead(state, {
      layoutChosen: (layout) => this.#change({ layout }),
      openChosen: (open) => this.#change({ open }),
      orderChosen: (order) => {
        this.#store.forgetPlaces();
        this.#change({ order });
      },
      wholeWanted: () => this.#setView(wholeView(this.#store.endNs)),
    });
    this.#axis = new TimeAxis({
      commit: () => this.#commit(),
      executionChosen: (number) => events.commit(withExecution(this.#selection, number)),
    });
    this.#grid = rendered(html`
      <div class="timeline-grid" role="grid" tabindex="0" aria-label=${l10n.t('Timeline: threads over time')} aria-multiselectable="true">
        <div class="timeline-all" role="rowgroup">${this.#allRows.element}${this.#canvases.all}</div>
        ${this.#scroller}
      </div>`);
    this.#handle = heightHandle(l10n.t('Height of the timeline'), {
      height: () => this.#scroller.clientHeight,
      limits: () => ({
        least: TRACK_HEIGHT,
        most: Math.min(this.#store.count * TRACK_HEIGHT, window.innerHeight * 0.6),
      }),
      changed: (height) => this.#change({ height }),
    });
    this.#body = rendered(
      html`<div class="timeline-body">${this.#axis.element}${this.#grid}${this.#handle}${this.#tooltip.element}</div>`,
    );
    this.element = rendered(html`
      <section class="timeline" aria-label=${l10n.t('Timeline')} hidden>${this.#head.element}${this.#body}${map.element}${this.#spoken}</section>`);
    this.#body.hidden = !this.#showsTracks;
    this.#listen();
  }

  /** Asks for the first tracks; `width` is that of the page, for the strip is not seen before it has something to show. */
  start(width: number) {
    if (this.#view) return;
    this.#width = Math.max(100, width - 200);
    this.#request();
  }

  receive(request: ShownTimelineRequest, timeline: Timeline) {
    this.#requests.answered();
    if (request.order !== this.#state.order || request.value !== this.#measured.value)
      return this.#view ? this.draw() : this.#request();
    const first = this.#view === undefined;
    this.#store.receive(request, timeline);
    if (timeline.trackCount === 0 || (timeline.all.samples === 0 && !hasWaits(timeline) && !timeline.memory)) return; // a profile without times
    this.#view ??= wholeView(timeline.endNs);
    this.element.hidden = false;
    this.#head.tellContent(timeline, this.#measured.measure);
    const isMemory = timeline.memory !== undefined;
    const isNew = this.#grid.classList.contains('of-memory') !== isMemory;
    this.#grid.classList.toggle('of-memory', isMemory);
    this.#scroller.hidden = isMemory; // it is of all processes together
    this.#handle.hidden = isMemory;
    this.#spacer.style.height = `${timeline.trackCount * TRACK_HEIGHT}px`;
    this.#grid.setAttribute('aria-rowcount', String(isMemory ? 1 : timeline.trackCount + 1));
    if (!first && !isNew) return this.draw();
    this.#fit();
    this.#drawNow();
  }

  /** An empty message: this run has no timeline, and nothing is to be said about it. */
  receiveFailure(request: ShownTimelineRequest, message: string) {
    if (!this.#requests.failed(request)) return;
    this.#head.tellFailure(message);
    if (this.#view) return;
    this.#head.element.classList.add('failed');
    this.#body.hidden = true;
    this.element.hidden = message === '';
  }

  receiveStack(message: HottestStackMessage) {
    this.#tooltip.receive(message);
  }

  /** A thread that has come, by its number; its name is foreign. */
  threadNamed(tid: string): string | undefined {
    const track = this.#store.thread(tid);
    return track && trackName(track);
  }

  setSelection(selection: ShownSelection, preview: boolean) {
    if (preview === this.#preview && sameSelection(selection, this.#selection)) return;
    this.#selection = selection;
    this.#preview = preview;
    this.#map.setSelection(selection, preview);
    this.draw();
  }

  /** Colours the samples of a function on every track. */
  setTinted(named: NamedFunction | undefined) {
    if (named?.name === this.#tinted?.name && named?.module === this.#tinted?.module) return;
    this.#tinted = named;
    this.#head.tellTinted(named?.name ?? '');
    if (this.#view) this.draw();
  }

  /** Columns are of another measure from now on: the one of this number. */
  setMeasure(measured: Measured) {
    if (measured.value === this.#measured.value) return;
    this.#measured = measured;
    this.#store.setMeasure(measured.measure);
    this.#tooltip.hide();
    if (this.#view) this.draw();
  }

  draw() {
    this.#frame ||= requestAnimationFrame(() => this.#drawNow());
  }

  get #allHeight(): number {
    return this.#scroller.hidden ? MEMORY_HEIGHT : ALL_HEIGHT;
  }

  get #showsTracks(): boolean {
    return this.#state.open && this.#state.layout === 'tracks';
  }

  get #plot(): TimePlot {
    return { view: this.#view ?? wholeView(0), width: Math.max(1, this.#width) };
  }

  #drawNow() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!this.#view || !this.#showsTracks || this.#width <= 0) return;
    const { times, executions } = this.#selection;
    const { scrollTop } = this.#scroller; // read before anything is written: the frame computes no layout
    const height = this.#scroller.hidden ? 0 : this.#height;
    const [first, end] = placesInView(this.#store.count, scrollTop, height);
    const { all, rows } = rowsInView(this.#store, this.#selection, [first, end], this.#cursor?.index);
    const selected = selectedTimes(times, executions, this.#store.executions);
    this.#canvases.paint(
      {
        plot: this.#plot,
        pixelRatio: window.devicePixelRatio,
        colours: this.#colours,
        unselected: selected ? gapsOf(selected, wholeView(this.#store.endNs)) : [],
        edges: times,
        preview: this.#preview,
        executions: this.#store.executions,
        cursorNs: this.#cursor?.ns ?? -1,
      },
      all,
      rows,
      scrollTop,
    );
    this.#allRows.show([all]);
    this.#rows.show(rows);
    this.#axis.draw({ plot: this.#plot, ranges: times, preview: this.#preview, executions: this.#store.executions });
    const active =
      this.#cursor && (this.#cursor.index === ALL_TRACKS || (this.#cursor.index >= first && this.#cursor.index < end));
    if (active) this.#grid.setAttribute('aria-activedescendant', rowId(this.#cursor!.index));
    else this.#grid.removeAttribute('aria-activedescendant');
    this.#request([first, end]);
    this.#ahead.want({
      tracks: this.#store.between(first - MARGIN, end + MARGIN),
      height: barsHeight(TRACK_HEIGHT, window.devicePixelRatio),
      colours: this.#colours,
    });
  }

  /** Asks for what is in view and has not come; with a margin, so that scrolling finds it there. */
  #request([first, end]: readonly [number, number] = [0, ROWS_AT_FIRST]) {
    const request = requestFor({
      view: this.#view ?? { fromNs: 0, toNs: 0 },
      pixels: this.#width * window.devicePixelRatio,
      rate: this.#store.rate,
      places: [first - MARGIN, end + MARGIN],
      order: this.#state.order,
      tinted: this.#tinted,
      value: this.#measured.value,
    });
    if (this.#store.has(request, first, end)) this.#requests.satisfied();
    else this.#requests.want(request);
  }

  #change(part: Partial<TimelineState>) {
    this.#state = { ...this.#state, ...part };
    this.#events.stateChanged(this.#state);
    this.#body.hidden = !this.#showsTracks;
    this.#fit();
    this.draw();
  }

  #fit() {
    this.#map.show(this.#state.open && this.#state.layout === 'seconds', this.#store.endNs);
    const room = Math.max(1, Math.floor((window.innerHeight - 500) / TRACK_HEIGHT));
    const chosen = this.#state.height || Math.min(ROWS_AT_FIRST, room) * TRACK_HEIGHT;
    this.#scroller.style.height = `${Math.min(chosen, this.#store.count * TRACK_HEIGHT)}px`;
    this.#measure();
  }

  #measure() {
    const barWidth = this.#scroller.offsetWidth - this.#scroller.clientWidth;
    const width = this.#grid.clientWidth - this.#allRows.element.offsetWidth - barWidth;
    if (width <= 0) return;
    this.#width = width;
    this.#height = this.#scroller.clientHeight;
    this.#axis.element.style.width = `${width}px`;
    this.#canvases.fit(width, this.#height, this.#allHeight);
  }

  #setView(view: ShownTimeRange) {
    this.#view = view;
    this.#tooltip.hide();
    this.draw();
  }

  #commit() {
    if (this.#preview) this.#events.commit(this.#selection);
  }

  #listen() {
    new ResizeObserver(() => {
      this.#measure();
      this.#drawNow();
    }).observe(this.#scroller);
    onThemeChange(() => {
      this.#colours = readStripColours();
      this.#store.forgetPixels();
      this.draw();
    });
    this.#scroller.addEventListener('scroll', () => {
      this.#tooltip.hide();
      this.draw();
    });
    this.#follow(this.#axis.surface, () => ALL_TRACKS);
    this.#follow(this.#canvases.all, () => ALL_TRACKS);
    this.#follow(this.#canvases.threads, ({ y }) => Math.floor((y + this.#scroller.scrollTop) / TRACK_HEIGHT));
    for (const rows of [this.#allRows.element, this.#rows.element]) {
      rows.addEventListener('click', (event) => {
        const track = this.#trackAt(trackUnder(event));
        if (track) this.#events.commit(withThread(this.#selection, track, event.ctrlKey || event.metaKey));
      });
    }
    this.#grid.addEventListener('contextmenu', (event) => this.#menuUnder(event));
    this.#grid.addEventListener('keydown', (event) => {
      const action = timelineAction(event);
      if (!action || !this.#view || !this.#act(action)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  #follow(surface: HTMLElement, indexOf: (place: Place) => number) {
    const onAxis = surface === this.#axis.surface;
    followPointer(surface, {
      began: (place, adding) => {
        const range = beginDrag(this.#plot, this.#selection.times, place.x, adding);
        this.#drag = { range, index: indexOf(place), adding };
        this.#grid.focus({ preventScroll: true }); // Enter and Escape mean the preview
      },
      moved: (x) => this.#dragTo(x),
      ended: () => {
        this.#drag = undefined;
      },
      clicked: (place) => {
        this.#grid.focus({ preventScroll: true });
        if (!onAxis) this.#moveCursor({ index: indexOf(place), ns: timeAt(this.#plot, place.x) });
      },
      doubleClicked: () => {
        if (onAxis) this.#setView(wholeView(this.#store.endNs));
        else this.#commit();
      },
      hovered: (place) => {
        const end = place && endAt(this.#plot, this.#selection.times, place.x);
        surface.classList.toggle('on-edge', end !== undefined);
        if (place && !onAxis)
          this.#tooltip.restOn(
            this.#loadedAt(indexOf(place)),
            timeAt(this.#plot, place.x),
            place.clientX,
            place.clientY,
          );
        else this.#tooltip.hide();
      },
      zoomed: (factor, at) => {
        if (this.#view) this.#setView(zoomedView(this.#view, factor, at, this.#store.endNs));
      },
      panned: (by) => {
        if (this.#view) this.#setView(pannedView(this.#view, by, this.#store.endNs));
      },
    });
  }

  #loadedAt(index: number | undefined): LoadedTrack | undefined {
    return index === ALL_TRACKS ? this.#store.all : index === undefined ? undefined : this.#store.at(index);
  }

  #trackAt(index: number | undefined): Track | undefined {
    return this.#loadedAt(index)?.track;
  }

  #dragTo(x: number) {
    if (!this.#drag) return;
    const { range, index, adding } = this.#drag;
    const times = draggedTo(range, timeAt(this.#plot, x));
    const track = this.#trackAt(index);
    if (times.length === 0 || !track) return;
    if (range.moves) this.#events.preview({ ...this.#selection, times });
    else if (adding) this.#events.preview(withRange(this.#selection, times, track));
    else this.#events.preview(onTracks(this.#selection, times, [track]));
  }

  #menuUnder(event: MouseEvent) {
    event.preventDefault();
    const { top } = this.#canvases.threads.getBoundingClientRect();
    const onCanvas = event.target === this.#canvases.threads;
    const index = onCanvas
      ? Math.floor((event.clientY - top + this.#scroller.scrollTop) / TRACK_HEIGHT)
      : (trackUnder(event) ?? (event.target === this.#canvases.all ? ALL_TRACKS : undefined));
    const track = this.#trackAt(index);
    if (!track || event.button !== 2) return;
    const { left } = this.#canvases.all.getBoundingClientRect();
    const ns = event.clientX < left ? -1 : timeAt(this.#plot, event.clientX - left);
    this.#events.menu(track, this.#store.executionAt(ns), { x: event.clientX, y: event.clientY });
  }

  #moveCursor(cursor: Cursor) {
    this.#cursor = cursor;
    this.#anchor = undefined;
    this.draw();
  }

  /** False: the key is for the page. */
  #act(action: TimelineAction): boolean {
    const view = this.#view!;
    const { endNs } = this.#store;
    const zoom = (factor: number) => {
      const { ns } = this.#cursor ?? { ns: (view.fromNs + view.toNs) / 2 };
      this.#setView(zoomedView(view, factor, (ns - view.fromNs) / (view.toNs - view.fromNs), endNs));
    };
    switch (action.kind) {
      case 'time':
      case 'track':
      case 'edge':
        this.#step(action);
        return true;
      case 'commit':
        this.#commit();
        return true;
      case 'drop': {
        const hidden = this.#tooltip.hide();
        this.#drag = undefined;
        this.#anchor = undefined;
        return this.#events.dropPreview() || hidden;
      }
      case 'zoomIn':
        zoom(ZOOM);
        return true;
      case 'zoomOut':
        zoom(1 / ZOOM);
        return true;
      case 'whole':
        this.#setView(wholeView(endNs));
        return true;
      case 'thread': {
        const track = this.#trackAt(this.#cursor?.index);
        if (track) this.#events.commit(withThread(this.#selection, track, false));
        return true;
      }
      case 'menu': {
        const track = this.#trackAt(this.#cursor?.index);
        if (track) this.#events.menu(track, this.#store.executionAt(this.#cursor!.ns), this.#cursorPlace());
        return true;
      }
    }
  }

  #step(action: CursorStep) {
    const view = this.#view!;
    const before = this.#cursor ?? firstCursor(view);
    const cursor = stepped(before, action, view, this.#store);
    const anchor = action.extend ? (this.#anchor ?? before) : undefined;
    this.#moveCursor(cursor);
    this.#anchor = anchor;
    this.#view = viewWith(view, cursor.ns, this.#store.endNs);
    if (cursor.index !== ALL_TRACKS) scrollToRow(this.#scroller, cursor.index);
    this.#tell(cursor);
    if (anchor) this.#previewBetween(anchor, cursor);
  }

  /** The range and the tracks between two places of the cursor. */
  #previewBetween(anchor: Cursor, cursor: Cursor) {
    const times = draggedTo({ fixedNs: anchor.ns, kept: [], moves: false }, cursor.ns);
    const tracks = placesBetween(anchor, cursor).flatMap((index) => this.#trackAt(index) ?? []);
    this.#events.preview(onTracks(this.#selection, times.length > 0 ? times : this.#selection.times, tracks));
  }

  #tell({ index, ns }: Cursor) {
    const loaded = this.#loadedAt(index);
    this.#spoken.textContent = loaded ? cursorText(loaded, ns) : '';
    const { x, y } = this.#cursorPlace();
    this.#tooltip.restOn(loaded, ns, x, y);
  }

  /** Where the cursor is in the window. */
  #cursorPlace(): MenuPlace {
    const { index, ns } = this.#cursor ?? { index: ALL_TRACKS, ns: 0 };
    const all = index === ALL_TRACKS;
    const { left, top } = (all ? this.#canvases.all : this.#canvases.threads).getBoundingClientRect();
    const row = all ? this.#allHeight : (index + 1) * TRACK_HEIGHT - this.#scroller.scrollTop;
    return { x: left + Math.min(this.#width, Math.max(0, pixelOf(this.#plot, ns))), y: top + row };
  }
}
