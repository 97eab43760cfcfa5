// What the extension host and the webview page say to each other: one closed union each way, checked on arrival.
//
// The page is dist/webview/panel.js with panel.css (webview/panel.ts). It says `ready`, gets `show`, and asks with
// `request` for the views that it wants to draw; each answer is a `view` (bytes of the engine, unopened) or a
// `viewFailed`. It keeps only view state, and puts `panel` of `show` into it (`setState({ panel, … })`): the host
// knows by it what to load after a window reload. Places are named by (view, row): the page never sends a path.
// What is said about the selection and the timeline is in selectionMessages.ts; views are of what is selected when they are asked for.
import * as l10n from '@vscode/l10n';

import { type AdvisedCommand, advisedCommands } from './advisedCommands.ts';
import type { ShownComparison, ShownExplanation } from './comparisonMessages.ts';
import type { ShownMeasure } from './measureText.ts';
import type { NamedFunction } from './namedFunction.ts';
import { isRecordable, type RecordableMeasure } from './recordedKinds.ts';
import type { SampleCount } from './sampleCount.ts';
import {
  isNamedFunction,
  isWhole,
  parseSelectionMessage,
  type SelectionHostMessage,
  type SelectionPageMessage,
  VALUE_LIMIT,
} from './selectionMessages.ts';
import type { ShownSweep } from './sweepMessages.ts';

/** The engine's views. `content` of the answer: FlameGraph, FunctionTable, FlameGraph, ComparedTable, ComparedTable, LockTable, AllocationTable, WaitTable, BlameTable. */
export const viewKinds = [
  'flameGraph',
  'functions',
  'comparedFlameGraph',
  'comparedFunctions',
  'comparedLines',
  'locks',
  'allocations',
  'waits',
  'blame',
] as const;
export type ViewKind = (typeof viewKinds)[number];

export type { NamedFunction } from './namedFunction.ts';

/** Who calls a function, and what that costs when called from there; `new…` of a comparison only. Texts are foreign. */
export interface ShownCaller extends NamedFunction {
  readonly value: number;
  readonly samples: SampleCount;
  readonly newValue: number;
}

export interface CallersMessage {
  readonly type: 'callers';
  readonly function: string;
  readonly unit: string;
  readonly total: number; // of the run, or of the base
  readonly callers: readonly ShownCaller[];
}

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
export const repeatHeads = [
  l10n.t('run'),
  l10n.t('wall'),
  l10n.t('user'),
  l10n.t('system'),
  l10n.t('work'),
  l10n.t('samples'),
] as const;

export interface UnrecordedMeasure {
  readonly type: string; // as of a measure
  readonly sentence: string;
}

/** Sentences that concern only these measures, by index into `values`. */
export interface MeasureProblems {
  readonly values: readonly number[];
  readonly problems: readonly string[];
}

export interface ShowMessage {
  readonly type: 'show';
  /** Names this panel to the host; belongs into the page's saved state. */
  readonly panel: string;
  readonly subject: 'run' | 'comparison';
  readonly title: string;
  /** One run, or the base and the new run of a comparison. */
  readonly runs: readonly ShownRun[];
  /** Where the wall time of a run went, the first in one line; or how to record it. */
  readonly wallTime?: readonly string[];
  /** Threads waited for locks, so a run has the view of them; and one sentence where they were held, if that is worth one. */
  readonly hasLocks?: boolean;
  readonly lockNote?: string;
  /** Sentences for the user: lost samples, missing debug information, what differs between two runs. */
  readonly problems: readonly string[];
  /** Those of them that are of no concern while a complete measure is shown. */
  readonly sampleProblems?: readonly string[];
  /** Those of them that are of no concern while other measures are shown. */
  readonly measureProblems?: readonly MeasureProblems[];
  /** What was measured; `value` of a request is an index into it. A comparison has one. */
  readonly values: readonly ShownMeasure[];
  readonly defaultValue: number;
  /** The one that was chosen in this window; else the page has its own of before, and says which. */
  readonly value?: number | undefined;
  /** What another recording of the same command can measure besides, each with a sentence on how. */
  readonly unrecorded?: readonly UnrecordedMeasure[];
  /** Of a run that is still being recorded: it is shown anew again and again. */
  readonly isGrowing?: boolean;
  /** Of a comparison. */
  readonly comparison?: ShownComparison;
  /** Of a comparison whose runs share several measures: all of them, and which one is compared; -1: none of these. */
  readonly comparedMeasures?: readonly ShownMeasure[];
  readonly comparedMeasure?: number;
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
  | SelectionHostMessage
  | ShowSweepMessage
  /** Another measure of the run is shown now, whoever chose it. */
  | { readonly type: 'measureChosen'; readonly value: number }
  | { readonly type: 'loading'; readonly message: string }
  /** Nothing can be shown. */
  | { readonly type: 'failed'; readonly message: string; readonly advice: string }
  | {
      readonly type: 'view';
      readonly view: ViewKind;
      readonly value: number;
      readonly hidden?: readonly NamedFunction[] | undefined; // as asked for
      readonly content: ArrayBuffer;
    }
  | CallersMessage
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
  /** Answers `navigate` and `openExplained` when there is no source to open: why, and how to get it. */
  | { readonly type: 'noSource'; readonly message: string }
  /** Select a function in the flame graph and the table; an empty module is any. `row`: of the compared functions; -1: look for the name. */
  | ({ readonly type: 'reveal'; readonly row: number } & NamedFunction);

/** A view of one value; a flame graph can be without the frames of some functions. */
export interface ShownView {
  readonly view: ViewKind;
  readonly value: number;
  readonly hidden?: readonly NamedFunction[] | undefined;
}

export type PageMessage =
  | SelectionPageMessage
  | { readonly type: 'ready' }
  | ({ readonly type: 'request' } & ShownView)
  /** Who calls the function of a node (flame graphs) or row (tables). */
  | ({ readonly type: 'callers'; readonly index: number } & ShownView)
  /** Open the source of a node (flame graphs) or row (tables); `aside`: in the column beside. */
  | ({ readonly type: 'navigate'; readonly index: number; readonly aside: boolean } & ShownView)
  /** How much is spent below these frames of a flame graph; `search` comes back with the answer. */
  | ({ readonly type: 'measureMatches'; readonly search: number; readonly frames: readonly number[] } & ShownView)
  | { readonly type: 'copy'; readonly text: string }
  /** Of a run: show this measure here and beside the lines. */
  | { readonly type: 'chooseMeasure'; readonly value: number }
  /** Of a comparison: what explains the difference. */
  | { readonly type: 'explain' }
  /** Open a line of the explanation: the function, and a line of its new text; 0: its definition. */
  | { readonly type: 'openExplained'; readonly index: number; readonly line: number; readonly aside: boolean }
  /** One of the editor's commands that a sentence names; each asks before it runs anything. */
  | { readonly type: 'command'; readonly command: AdvisedCommand }
  /** Record what this run ran again, with a measure that it lacks. */
  | { readonly type: 'recordWith'; readonly measure: RecordableMeasure }
  /** Compare anew, with values per something else. */
  | { readonly type: 'normalise'; readonly normalisation: number }
  /** Compare anew, by another of `comparedMeasures`. */
  | { readonly type: 'compareMeasure'; readonly measure: number }
  /** Of a sweep: open the run of a cell, or compare two cells; rows of the table. */
  | { readonly type: 'openCell'; readonly index: number }
  | { readonly type: 'compareCells'; readonly base: number; readonly new: number }
  /** After `failed`: try again. */
  | { readonly type: 'retry' };

const COPY_LIMIT = 1 << 20; // characters
const INDEX_LIMIT = 0xffff_ffff;
const NORMALISATION_LIMIT = 4; // as many as protocol/comparison.proto names
const FRAMES_LIMIT = 1 << 20; // more than a message of the engine has room for
export const HIDDEN_LIMIT = 256; // as many as protocol/views.proto allows

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
    measure,
    search,
    frames,
    hidden,
    base,
    new: later,
    command,
  } = message as Record<string, unknown>;
  switch (type) {
    case 'ready':
    case 'retry':
    case 'explain':
      return { type };
    case 'openExplained':
      if (!isWhole(index, INDEX_LIMIT) || !isWhole(line, INDEX_LIMIT) || typeof aside !== 'boolean') return undefined;
      return { type, index, line, aside };
    case 'command':
      if (!isAdvised(command)) return undefined;
      return { type, command };
    case 'recordWith':
      if (!isRecordable(measure)) return undefined;
      return { type, measure };
    case 'openCell':
      if (!isWhole(index, INDEX_LIMIT)) return undefined;
      return { type, index };
    case 'compareCells':
      if (!isWhole(base, INDEX_LIMIT) || !isWhole(later, INDEX_LIMIT) || base === later) return undefined;
      return { type, base, new: later };
    case 'normalise':
      if (!isWhole(normalisation, NORMALISATION_LIMIT)) return undefined;
      return { type, normalisation };
    case 'compareMeasure':
      if (!isWhole(measure, VALUE_LIMIT)) return undefined;
      return { type, measure };
    case 'request':
      if (!isViewKind(view) || !isWhole(value, VALUE_LIMIT) || !isHidden(hidden)) return undefined;
      return { type, view, value, ...hiddenPart(hidden) };
    case 'callers':
      if (!isViewKind(view) || !isWhole(value, VALUE_LIMIT) || !isHidden(hidden)) return undefined;
      if (!isWhole(index, INDEX_LIMIT)) return undefined;
      return { type, view, value, index, ...hiddenPart(hidden) };
    case 'navigate':
      if (!isViewKind(view) || !isWhole(value, VALUE_LIMIT) || !isWhole(index, INDEX_LIMIT)) return undefined;
      if (typeof aside !== 'boolean' || !isHidden(hidden)) return undefined;
      return { type, view, value, index, aside, ...hiddenPart(hidden) };
    case 'measureMatches':
      if (!isViewKind(view) || !isWhole(value, VALUE_LIMIT) || !isWhole(search, INDEX_LIMIT)) return undefined;
      if (!Array.isArray(frames) || frames.length > FRAMES_LIMIT) return undefined;
      if (!frames.every((frame) => isWhole(frame, INDEX_LIMIT))) return undefined;
      if (!isHidden(hidden)) return undefined;
      return { type, view, value, search, frames, ...hiddenPart(hidden) };
    case 'chooseMeasure':
      if (!isWhole(value, VALUE_LIMIT)) return undefined;
      return { type, value };
    case 'copy':
      if (typeof text !== 'string' || text.length > COPY_LIMIT) return undefined;
      return { type, text };
    default:
      return parseSelectionMessage(message as Record<string, unknown>);
  }
}

/** Whether it is a list of functions that can be hidden, or none. */
export function isHidden(hidden: unknown): hidden is readonly NamedFunction[] | undefined {
  if (hidden === undefined) return true;
  return Array.isArray(hidden) && hidden.length <= HIDDEN_LIMIT && hidden.every(isNamedFunction);
}

/** The same and one more; undefined: it is hidden already, or no more can be. */
export function hiddenWith(hidden: readonly NamedFunction[], one: NamedFunction): readonly NamedFunction[] | undefined {
  const isThere = hidden.some(({ name, module }) => name === one.name && module === one.module);
  return isThere || hidden.length === HIDDEN_LIMIT ? undefined : [...hidden, one];
}

/** Whether two lists hide the same, in the same order; none is an empty one. */
export const sameFunctions = (a: readonly NamedFunction[] = [], b: readonly NamedFunction[] = []): boolean =>
  a.length === b.length && a.every(({ name, module }, at) => name === b[at]!.name && module === b[at]!.module);

const hiddenPart = (hidden: readonly NamedFunction[] | undefined): Pick<ShownView, 'hidden'> =>
  hidden ? { hidden: hidden.map(({ name, module }) => ({ name, module })) } : {};

function isAdvised(command: unknown): command is AdvisedCommand {
  return advisedCommands.some((advised) => advised === command);
}

function isViewKind(view: unknown): view is ViewKind {
  return viewKinds.some((kind) => kind === view);
}
