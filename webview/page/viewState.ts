// What the page remembers of how it was looked at. It comes back after a reload of the window; anything in it that is not
// what it should be is left out, for a saved state may be older than this code.
import { trackOrders } from '../../core/selectionMessages.ts';
import { isHidden, type NamedFunction, type ShowMessage, type ViewKind } from '../../core/webviewMessages.ts';
import { type ColourMode, colourModes } from '../graph/difference.ts';
import type { WidthMode } from '../graph/layout.ts';
import { widthModes } from '../graph/layout.ts';
import type { Span } from '../graph/span.ts';
import { WHOLE } from '../graph/span.ts';
import { NO_QUERY, type Query } from '../search/search.ts';
import type { Measure } from '../table/comparedColumns.ts';
import type { Sort } from '../table/virtualTable.ts';
import { TIMELINE_AT_FIRST, type TimelineState, timelineLayouts } from '../timeline/timelineEvents.ts';

const TIMELINE_HEIGHT_MAX = 10_000; // CSS pixels

/** The tabs beside the graph of a comparison. */
export const comparedTabs = ['functions', 'lines', 'explain'] as const;
export type ComparedTab = (typeof comparedTabs)[number];

/** The tabs beside the graph of a run. */
export const runTabs = ['functions', 'threads', 'waits', 'locks', 'allocations'] as const;
export type RunTab = (typeof runTabs)[number];

/** How the tab of waits is sorted into rows: by the line that waited, or by what caused the waits. */
export const waitsByAll = ['line', 'cause'] as const;
export type WaitsBy = (typeof waitsByAll)[number];

export type ViewMode = 'graph' | 'table' | 'both';

export interface ViewState {
  readonly panel: string; // the host's name of this panel; other panels' states do not count
  readonly value: number;
  readonly viewMode: ViewMode;
  readonly widthMode: WidthMode;
  readonly colourMode: ColourMode;
  readonly comparedTab: ComparedTab;
  readonly runTab: RunTab;
  readonly waitsBy: WaitsBy;
  readonly measure: Measure;
  readonly query: Query;
  readonly sorts: Readonly<Record<string, Sort>>; // by table
  readonly span: Span; // the part of the graph's width in view
  readonly hidden: readonly NamedFunction[]; // functions that graph and tables leave out
  readonly selectedPath: readonly number[]; // frames from the root to the selected node
  readonly split: number; // percent of the room that the graph has; 0: as we choose
  readonly timeline: TimelineState; // of a run
}

export const freshState = (panel: string, value: number): ViewState => ({
  panel,
  value,
  viewMode: 'both',
  widthMode: 'combined',
  colourMode: 'significance',
  comparedTab: 'functions',
  runTab: 'functions',
  waitsBy: 'line',
  measure: 'self',
  query: NO_QUERY,
  sorts: {},
  span: WHOLE,
  hidden: [],
  selectedPath: [],
  split: 0,
  timeline: TIMELINE_AT_FIRST,
});

/** The saved state of this panel with all that can be used of it; a fresh one for another panel. */
export function restoredState(saved: unknown, panel: string, value: number): ViewState {
  const fresh = freshState(panel, value);
  if (!isRecord(saved) || saved.panel !== panel) return fresh;
  const { query, span, sorts, selectedPath, split } = saved;
  return {
    panel,
    value: isWhole(saved.value) ? saved.value : value,
    viewMode: oneOf(saved.viewMode, ['graph', 'table', 'both'], fresh.viewMode),
    widthMode: oneOf(saved.widthMode, widthModes, fresh.widthMode),
    comparedTab: oneOf(saved.comparedTab, comparedTabs, fresh.comparedTab),
    runTab: oneOf(saved.runTab, runTabs, fresh.runTab),
    waitsBy: oneOf(saved.waitsBy, waitsByAll, fresh.waitsBy),
    colourMode: oneOf(saved.colourMode, colourModes, fresh.colourMode),
    measure: oneOf(saved.measure, ['self', 'total'], fresh.measure),
    query:
      isRecord(query) && typeof query.text === 'string'
        ? { text: query.text, regex: query.regex === true, matchCase: query.matchCase === true }
        : fresh.query,
    sorts: isRecord(sorts) ? Object.fromEntries(Object.entries(sorts).filter(isSortEntry)) : {},
    span: isSpan(span) ? { left: span.left, width: span.width } : fresh.span,
    hidden: saved.hidden !== undefined && isHidden(saved.hidden) ? (saved.hidden ?? []) : [],
    selectedPath: Array.isArray(selectedPath) && selectedPath.every(isWhole) ? selectedPath : [],
    split: typeof split === 'number' && split >= 5 && split <= 95 ? split : 0,
    timeline: restoredTimeline(saved.timeline),
  };
}

type Measured = Pick<ShowMessage, 'panel' | 'values' | 'defaultValue' | 'value'>;

/** How this panel was looked at, with the measure that was chosen in this window if there is one. */
export function stateOf(saved: unknown, { panel, values, defaultValue, value }: Measured): ViewState {
  const state = restoredState(saved, panel, defaultValue);
  const wanted = value ?? state.value;
  const shown = wanted < Math.max(1, values.length) ? wanted : defaultValue;
  // The selected frames are those of the graph of another measure.
  return shown === state.value ? state : { ...state, value: shown, selectedPath: [] };
}

function restoredTimeline(saved: unknown): TimelineState {
  if (!isRecord(saved)) return TIMELINE_AT_FIRST;
  const { open, height, order, layout } = saved;
  return {
    open: open !== false,
    height: isWhole(height) && height <= TIMELINE_HEIGHT_MAX ? height : 0,
    order: oneOf(order, trackOrders, TIMELINE_AT_FIRST.order),
    layout: oneOf(layout, timelineLayouts, TIMELINE_AT_FIRST.layout),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isWhole = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;
const oneOf = <T extends string>(value: unknown, allowed: readonly T[], otherwise: T): T =>
  allowed.includes(value as T) ? (value as T) : otherwise;
const isSortEntry = (entry: [string, unknown]): entry is [string, Sort] =>
  isRecord(entry[1]) && typeof entry[1].column === 'string' && typeof entry[1].descending === 'boolean';

const isSpan = (value: unknown): value is Span =>
  isRecord(value) && isShare(value.left) && isShare(value.width) && value.width > 0;

/** What a page asks for at first. */
export const viewsOf: Readonly<Record<ShowMessage['subject'], readonly ViewKind[]>> = {
  run: ['flameGraph', 'functions'],
  comparison: ['comparedFlameGraph', 'comparedFunctions', 'comparedLines'],
};
