// The parts of a run's page that are about the selection: the bar, the timeline and what both send. Graph and tables learn here when
// they have to be asked for again.
import * as l10n from '@vscode/l10n';
import { isSameFunction, type NamedFunction } from '../../core/namedFunction.ts';
import {
  ALL_THREADS,
  EMPTY_SELECTION,
  NAMES_LIMIT,
  type SelectedMessage,
  type SelectionHostMessage,
  type ShownTimelineRequest,
  type ShownTransform,
  sameSelection,
  TRANSFORMS_LIMIT,
} from '../../core/selectionMessages.ts';
import { type FilterPlace, filterAt, type TypedFilter, withFilter } from '../../core/typedFilter.ts';
import type { ShowMessage } from '../../core/webviewMessages.ts';
import { readTimeline, type Track } from '../content/timeline.ts';
import { MalformedContent } from '../content/wireReader.ts';
import { FilterForm } from '../selection/filterForm.ts';
import { SelectionBar } from '../selection/selectionBar.ts';
import { SelectionControl } from '../selection/selectionControl.ts';
import { isFilterKey, runtimeLabels, stackAction, stackActions } from '../selection/transformKeys.ts';
import type { Sort } from '../table/virtualTable.ts';
import { ThreadPane } from '../threads/threadPane.ts';
import { DEFAULT_MEASURE, valuePart } from '../timeline/measured.ts';
import { SecondsMap } from '../timeline/secondsMap.ts';
import { withExecution, withProcess, withThread, withThreadName } from '../timeline/stripSelection.ts';
import type { TimelineState } from '../timeline/timelineEvents.ts';
import { TimelineExchange } from '../timeline/timelineExchange.ts';
import { TimelineStrip } from '../timeline/timelineStrip.ts';
import { type MenuGroup, type MenuPlace, openContextMenu } from './contextMenu.ts';
import type { Host } from './host.ts';
import type { ViewState } from './viewState.ts';

const REST_MS = 100; // a selection that rests so long is drawn as a flame graph
const TINT_MS = 100; // a function that stays selected so long is coloured on the tracks

/** What needs no function. */
type StackChange = Extract<ShownTransform, { kind: 'hideKernel' | 'myCode' | 'hideRuntime' }>;

const isSameChange = (transform: ShownTransform, change: StackChange): boolean =>
  transform.kind === 'hideRuntime' && change.kind === 'hideRuntime'
    ? transform.runtime === change.runtime
    : transform.kind === change.kind;

export interface RunSelectionEvents {
  /** The figures of the selection changed: those of tables at once, the graph once the hand rests. */
  tablesOutdated(): void;
  graphOutdated(): void;
  stateChanged(state: TimelineState): void;
  /** The table of threads was sorted. */
  sorted(sort: Sort): void;
}

export class RunSelection {
  readonly #events: RunSelectionEvents;
  readonly #control: SelectionControl;
  readonly #bar: SelectionBar;
  readonly #form: FilterForm;
  readonly #strip: TimelineStrip;
  readonly #map: SecondsMap;
  readonly #threads: ThreadPane;
  readonly #exchange: TimelineExchange;
  #measured = DEFAULT_MEASURE;
  #drawn = EMPTY_SELECTION; // what graph and tables are of
  #restTimer: ReturnType<typeof setTimeout> | undefined;
  #tintTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    host: Host,
    { timeline: state, sorts }: Pick<ViewState, 'timeline' | 'sorts'>,
    events: RunSelectionEvents,
  ) {
    this.#events = events;
    this.#control = new SelectionControl({ send: (message) => host.send(message), changed: () => this.#show() });
    this.#form = new FilterForm({
      ask: (ask, query) => host.send({ type: 'matchNames', ask, ...query }),
      add: (filter, edited) => this.#addTyped(filter, edited),
      changed: () => this.#show(),
    });
    this.#bar = new SelectionBar(
      {
        commit: (selection) => this.#control.commit(selection),
        undo: () => this.#control.undo(),
        redo: () => this.#control.redo(),
        compare: (parts) => host.send({ type: 'compareParts', parts }),
        threadNamed: (tid) => this.#strip.threadNamed(tid),
        addFilter: () => this.addFilter(),
        editFilter: (place) => this.#form.open(filterAt(this.#control.selection, place), place),
      },
      this.#form,
    );
    this.#map = new SecondsMap({
      request: (request) => this.#exchange.ask(this.#map, request),
      preview: (selection) => this.#control.preview(selection),
      commit: (selection) => this.#control.commit(selection),
      dropPreview: () => this.#control.dropPreview(),
    });
    this.#strip = new TimelineStrip(
      state,
      {
        request: (request) => this.#exchange.ask(this.#strip, request),
        preview: (selection) => this.#control.preview(selection),
        commit: (selection) => this.#control.commit(selection),
        dropPreview: () => this.#control.dropPreview(),
        askStack: (ask, { time, pid, tid }) =>
          host.send({ type: 'hottestStack', ask, time, pid, tid, ...valuePart(this.#measured) }),
        menu: (track, execution, place) => this.#menu(track, execution, place),
        stateChanged: (changed) => events.stateChanged(changed),
      },
      this.#map,
    );
    this.#threads = new ThreadPane(sorts.threads, {
      request: (request) => this.#exchange.ask(this.#threads, request),
      commit: (selection) => this.#control.commit(selection),
      sorted: (sort) => events.sorted(sort),
    });
    this.#exchange = new TimelineExchange(this.#strip, (request) => host.send({ type: 'timeline', request }));
  }

  get bar(): HTMLElement {
    return this.#bar.element;
  }
  get strip(): HTMLElement {
    return this.#strip.element;
  }
  get threads(): HTMLElement {
    return this.#threads.element;
  }
  get isEmpty(): boolean {
    return sameSelection(this.#drawn, EMPTY_SELECTION);
  }

  /** The timeline and the table of threads are of this measure from now on: an index into the run's values. */
  setMeasure({ values, defaultValue }: Pick<ShowMessage, 'values' | 'defaultValue'>, value: number) {
    this.#measured = value === defaultValue ? DEFAULT_MEASURE : { value, measure: values[value] };
    this.#strip.setMeasure(this.#measured);
    this.#map.setMeasure(this.#measured);
    this.#threads.setMeasure(this.#measured);
  }

  /** Asks for the timeline once the page has a width. */
  start(width: number) {
    this.#strip.start(width);
  }

  /** Asks for the threads when they are looked at first. */
  showThreads() {
    this.#threads.start();
  }

  receive(message: SelectionHostMessage) {
    switch (message.type) {
      case 'selected':
        return this.#receiveSelected(message);
      case 'selectionRefused':
        return this.#control.receivedRefusal(message.message);
      case 'namesMatched':
        return this.#form.told(message);
      case 'underCursor':
        return this.tint(message.function);
      case 'hottestStack':
        return this.#strip.receiveStack(message);
      case 'timelineFailed':
        return this.#exchange.failed(message.request)?.receiveFailure(message.request, message.message);
      case 'timeline':
        return this.#receiveTimeline(message.request, message.content);
    }
  }

  /** Colours the samples of the selected function on the timeline; undefined: none. */
  tint(named: NamedFunction | undefined) {
    clearTimeout(this.#tintTimer);
    this.#tintTimer = setTimeout(() => this.#strip.setTinted(named), TINT_MS);
  }

  /** One more change of the stacks, of what is seen now. */
  transform(transform: ShownTransform) {
    const { selection } = this.#control;
    if (selection.transforms.length >= TRANSFORMS_LIMIT) return;
    this.#control.commit({ ...selection, transforms: [...selection.transforms, transform] });
  }

  /** Library functions that are shown with what they call, though only own code is wanted. */
  get opened(): readonly NamedFunction[] {
    return this.#control.selection.transforms.flatMap((one) => (one.kind === 'myCode' ? (one.opened ?? []) : []));
  }

  /** Shows what a collapsed library function calls, or collapses it again. */
  toggleOpened(named: NamedFunction, isCollapsed: boolean) {
    const { selection } = this.#control;
    const others = this.opened.filter((one) => !isSameFunction(one, named));
    const opened = isCollapsed ? [...others, named].slice(-NAMES_LIMIT) : others;
    const transforms = selection.transforms.map((one) => (one.kind === 'myCode' ? { ...one, opened } : one));
    this.#control.commit({ ...selection, transforms });
  }

  /** Opens the form of a filter. */
  addFilter() {
    this.#form.open();
  }

  #addTyped(filter: TypedFilter, edited: FilterPlace | undefined): string | undefined {
    const selection = withFilter(this.#control.selection, filter, edited);
    if (typeof selection === 'string') return selection;
    this.#control.commit(selection);
    return undefined;
  }

  /** For menus: what changes the stacks without a function, with the runtimes that the run has. */
  get stackItems(): MenuGroup[] {
    const runtimes = this.#control.confirmed?.runtimes ?? [];
    return [
      stackActions.map(({ action, label, keys }) => ({ label, keys, act: () => this.#toggle({ kind: action }) })),
      runtimes.map((runtime) => ({
        ...{ label: runtimeLabels[runtime], keys: '' },
        act: () => this.#toggle({ kind: 'hideRuntime', runtime }),
      })),
    ];
  }

  /** Sets a change that needs no function, or takes it back. */
  #toggle(change: StackChange) {
    const { selection } = this.#control;
    const left = selection.transforms.filter((transform) => !isSameChange(transform, change));
    if (left.length === selection.transforms.length) this.transform(change);
    else this.#control.commit({ ...selection, transforms: left });
  }

  /** Keys that hold anywhere on the page outside of inputs. */
  key(event: KeyboardEvent): boolean {
    const command = event.ctrlKey || event.metaKey;
    const letter = event.key.toLowerCase();
    if (command && (letter === 'y' || (letter === 'z' && event.shiftKey))) {
      this.#control.redo();
      return true;
    }
    if (command && letter === 'z') {
      this.#control.undo();
      return true;
    }
    if (event.key === 'Escape') return this.#control.dropPreview();
    if (event.key === 'Enter' && this.#control.isPreview && event.target === document.body) {
      this.#control.commit();
      return true;
    }
    if (isFilterKey(event)) {
      this.addFilter();
      return true;
    }
    const action = stackAction(event);
    if (action) this.#toggle({ kind: action });
    return action !== undefined;
  }

  #receiveTimeline(request: ShownTimelineRequest, content: ArrayBuffer) {
    const asker = this.#exchange.answered(request);
    try {
      asker.receive(request, readTimeline(new Uint8Array(content)));
    } catch (error) {
      if (!(error instanceof MalformedContent)) throw error;
      asker.receiveFailure(request, l10n.t('The timeline cannot be shown: {0}', error.message));
    }
  }

  #receiveSelected(message: SelectedMessage) {
    this.#control.received(message);
    if (sameSelection(message.selection, this.#drawn)) return;
    this.#drawn = message.selection;
    this.#events.tablesOutdated();
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#events.graphOutdated(), message.preview ? REST_MS : 0);
  }

  #show() {
    const { selection, isPreview: preview, confirmed, refused } = this.#control;
    this.#bar.show({ selection, preview, confirmed, refused });
    this.#strip.setSelection(selection, preview);
    this.#threads.setSelection(selection);
  }

  #menu(track: Track, execution: number | undefined, place: MenuPlace) {
    const { selection } = this.#control;
    const commit = (chosen: typeof selection) => () => this.#control.commit(chosen);
    const all = { ...selection, ...ALL_THREADS };
    const isThread = track.tid !== 0;
    const groups = [
      isThread
        ? [
            { label: l10n.t('This Thread'), keys: 'Space', act: commit({ ...all, threads: [String(track.tid)] }) },
            { label: l10n.t('Add or Remove This Thread'), keys: '', act: commit(withThread(selection, track, true)) },
            ...(track.thread === ''
              ? []
              : [{ label: l10n.t('Same Name'), keys: '', act: commit(withThreadName(selection, track.thread)) }]),
            { label: l10n.t('This Process'), keys: '', act: commit(withProcess(selection, track.pid)) },
          ]
        : [],
      [
        { label: l10n.t('All Threads'), keys: '', act: commit(all) },
        ...(execution === undefined
          ? []
          : [
              { label: l10n.t('Execution {0}', execution), keys: '', act: commit(withExecution(selection, execution)) },
            ]),
      ],
    ];
    openContextMenu(isThread ? l10n.t('Menu of thread {0}', track.tid) : l10n.t('Menu of all threads'), place, groups);
  }
}
