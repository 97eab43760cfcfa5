// What the extension host and the webview page say to each other: one closed union each way, checked on arrival.
//
// The page is dist/webview/panel.js with panel.css (webview/panel.ts). It says `ready`, gets `show`, and asks with
// `request` for the views that it wants to draw; each answer is a `view` (bytes of the engine, unopened) or a
// `viewFailed`. It keeps only view state, and puts `panel` of `show` into it (`setState({ panel, … })`): the host
// knows by it what to load after a window reload. Places are named by (view, row): the page never sends a path.

import type { ShownComparison, ShownExplanation } from './comparisonMessages.ts';
import type { ShownSweep } from './sweepMessages.ts';

/** The engine's views. `content` of the answer: FlameGraph, FunctionTable, FlameGraph, ComparedTable, ComparedTable. */
export const viewKinds = [
  'flameGraph',
  'functions',
  'comparedFlameGraph',
  'comparedFunctions',
  'comparedLines',
] as const;
export type ViewKind = (typeof viewKinds)[number];

/** One saved run, told in short texts that the host made; foreign names are already escaped. */
export interface ShownRun {
  readonly name: string;
  /** When, how long, how many samples, commit: short texts to stand beside each other. */
  readonly facts: readonly string[];
}

/** One run of the command, as the cells of a row. */
export interface ShownRepeat {
  readonly cells: readonly string[]; // as in repeatHeads
  readonly warmUp: boolean;
  readonly outlier: boolean;
}
export const repeatHeads = ['run', 'wall', 'user', 'system', 'work', 'samples'] as const;

export interface ShowMessage {
  readonly type: 'show';
  /** Names this panel to the host; belongs into the page's saved state. */
  readonly panel: string;
  readonly subject: 'run' | 'comparison';
  readonly title: string;
  /** One run, or the base and the new run of a comparison. */
  readonly runs: readonly ShownRun[];
  /** Sentences for the user: lost samples, missing debug information, what differs between two runs. */
  readonly problems: readonly string[];
  /** What was measured; `value` of a request is an index into it. A comparison has one: CPU time. */
  readonly values: readonly { readonly type: string; readonly unit: string }[];
  readonly defaultValue: number;
  /** Of a comparison. */
  readonly comparison?: ShownComparison;
  /** Of a run: each run of the command in it, warm-up runs first; empty when the run knows none. */
  readonly executions?: readonly ShownRepeat[];
}

/** In place of `show`: a sweep has one table and one chart, and no views. */
export interface ShowSweepMessage {
  readonly type: 'showSweep';
  readonly panel: string;
  readonly title: string;
  readonly sweep: ShownSweep;
}

export type HostMessage =
  | ShowMessage
  | ShowSweepMessage
  | { readonly type: 'loading'; readonly message: string }
  /** Nothing can be shown. */
  | { readonly type: 'failed'; readonly message: string; readonly advice: string }
  | { readonly type: 'view'; readonly view: ViewKind; readonly value: number; readonly content: ArrayBuffer }
  | {
      readonly type: 'viewFailed';
      readonly view: ViewKind;
      readonly value: number;
      readonly message: string;
      readonly advice: string;
    }
  /** Answers `measureMatches`; `newShare` of a comparison only. */
  | { readonly type: 'matched'; readonly search: number; readonly share: number; readonly newShare: number }
  | { readonly type: 'explanation'; readonly explanation: ShownExplanation }
  | { readonly type: 'explanationFailed'; readonly message: string; readonly advice: string }
  /** Select a function in the flame graph and the table. `row`: of the functions view; -1: look for the name. */
  | { readonly type: 'reveal'; readonly row: number; readonly name: string };

export type PageMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'request'; readonly view: ViewKind; readonly value: number }
  /** Open the source of a node (flame graphs) or row (tables); `aside`: in the column beside. */
  | {
      readonly type: 'navigate';
      readonly view: ViewKind;
      readonly value: number;
      readonly index: number;
      readonly aside: boolean;
    }
  /** How much is spent below these frames of a flame graph; `search` comes back with the answer. */
  | {
      readonly type: 'measureMatches';
      readonly view: ViewKind;
      readonly value: number;
      readonly search: number;
      readonly frames: readonly number[];
    }
  | { readonly type: 'copy'; readonly text: string }
  /** Of a comparison: what explains the difference. */
  | { readonly type: 'explain' }
  /** Open a line of the explanation: the function, and a line of its new text; 0: its definition. */
  | { readonly type: 'openExplained'; readonly index: number; readonly line: number; readonly aside: boolean }
  /** Compare anew, with values per something else. */
  | { readonly type: 'normalise'; readonly normalisation: number }
  /** Of a sweep: open the run of a cell, or compare two cells; rows of the table. */
  | { readonly type: 'openCell'; readonly index: number }
  | { readonly type: 'compareCells'; readonly base: number; readonly new: number }
  /** After `failed`: try again. */
  | { readonly type: 'retry' };

const COPY_LIMIT = 1 << 20; // characters
const INDEX_LIMIT = 0xffff_ffff;
const NORMALISATION_LIMIT = 4; // as many as protocol/comparison.proto names
const FRAMES_LIMIT = 1 << 20; // more than a message of the engine has room for
const VALUE_LIMIT = 64; // sample types; pprof files have a handful

/** The message that `unknown` is, or undefined when it is anything else: a page can be made to send what it likes. */
export function parsePageMessage(message: unknown): PageMessage | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const {
    type,
    view,
    value,
    index,
    aside,
    text,
    line,
    normalisation,
    search,
    frames,
    base,
    new: later,
  } = message as Record<string, unknown>;
  switch (type) {
    case 'ready':
    case 'retry':
    case 'explain':
      return { type };
    case 'openExplained':
      if (!isWhole(index, INDEX_LIMIT) || !isWhole(line, INDEX_LIMIT) || typeof aside !== 'boolean') return undefined;
      return { type, index, line, aside };
    case 'openCell':
      if (!isWhole(index, INDEX_LIMIT)) return undefined;
      return { type, index };
    case 'compareCells':
      if (!isWhole(base, INDEX_LIMIT) || !isWhole(later, INDEX_LIMIT) || base === later) return undefined;
      return { type, base, new: later };
    case 'normalise':
      if (!isWhole(normalisation, NORMALISATION_LIMIT)) return undefined;
      return { type, normalisation };
    case 'request':
      if (!isViewKind(view) || !isWhole(value, VALUE_LIMIT)) return undefined;
      return { type, view, value };
    case 'navigate':
      if (!isViewKind(view) || !isWhole(value, VALUE_LIMIT) || !isWhole(index, INDEX_LIMIT)) return undefined;
      if (typeof aside !== 'boolean') return undefined;
      return { type, view, value, index, aside };
    case 'measureMatches':
      if (!isViewKind(view) || !isWhole(value, VALUE_LIMIT) || !isWhole(search, INDEX_LIMIT)) return undefined;
      if (!Array.isArray(frames) || frames.length > FRAMES_LIMIT) return undefined;
      if (!frames.every((frame) => isWhole(frame, INDEX_LIMIT))) return undefined;
      return { type, view, value, search, frames };
    case 'copy':
      if (typeof text !== 'string' || text.length > COPY_LIMIT) return undefined;
      return { type, text };
    default:
      return undefined;
  }
}

function isViewKind(view: unknown): view is ViewKind {
  return viewKinds.some((kind) => kind === view);
}

function isWhole(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= limit;
}
