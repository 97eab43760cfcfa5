// What a profile panel shows, with the engine behind it, and the subject of one run. Answers the page's requests.
import * as l10n from '@vscode/l10n';

import type { ShownExplanation } from '../../../../core/comparisonMessages.ts';
import { visibleText } from '../../../../core/foreignText.ts';
import type {
  NamedFunction,
  ShowMessage,
  ShownRun,
  ShownView,
  ShowSweepMessage,
  ViewKind,
} from '../../../../core/webviewMessages.ts';
import {
  type Callers,
  type Location,
  type Match,
  type RequestBody,
  type RunSummary,
  wire,
} from '../../../../core/wire.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { expected, type OpenOptions, OpenRun } from '../../engine/openProfiles.ts';
import type { RunEngines } from '../../engine/runEngines.ts';
import { abilitiesOf, type RunRef } from '../../engine/runRef.ts';
import { runFacts, runName } from '../../heat/runText.ts';
import { shownMeasure } from '../../heat/shownMeasure.ts';
import { shownRepeats } from '../../heat/shownRepeats.ts';
import { savedText } from '../../sources/savedText.ts';

export interface ViewPlace extends ShownView {
  readonly index: number;
}

export interface ProfileSubject {
  /** Of a run only: parts of it can be selected. */
  readonly run?: OpenRun;
  show(panel: string): Promise<ShowMessage | ShowSweepMessage>;
  content(view: ShownView): Promise<Uint8Array>;
  locate(place: ViewPlace): Promise<Location>;
  /** How much is spent below frames of a flame graph. */
  measureMatches?(view: ShownView, frames: readonly number[]): Promise<Match>;
  /** Who calls the function of a node or row. */
  callers?(place: ViewPlace): Promise<Callers>;
  /** Of a comparison only: what explains it, and where a line of that is. */
  explain?(): Promise<ShownExplanation>;
  explained?(index: number, line: number): Location;
  /** Of a comparison only: values per something else from now on; `show` gives them. */
  normalise?(normalisation: number): void;
  /** Of a comparison only: another of its measures from now on; `show` gives it. */
  compareMeasure?(measure: number): void;
  /** Of a sweep only: the run of a cell. */
  cellRun?(index: number): RunRef;
  /** The source text that was saved with the run. */
  savedText(recordedPath: string): Promise<string | undefined>;
  close(): void;
}

const { Kind: View } = wire.ViewRequest;
const { Kind: Locate } = wire.LocateRequest;
export type ViewNumbers = Partial<Record<ViewKind, { view: number; locate: number }>>;
const runViews: ViewNumbers = {
  flameGraph: { view: View.FLAME_GRAPH, locate: Locate.NODE },
  functions: { view: View.FUNCTIONS, locate: Locate.FUNCTION },
  locks: { view: View.LOCKS, locate: Locate.FUNCTION },
  allocations: { view: View.ALLOCATIONS, locate: Locate.FUNCTION },
  waits: { view: View.WAITS, locate: Locate.FUNCTION },
  blame: { view: View.BLAME, locate: Locate.FUNCTION },
};

export function runSubject(engines: RunEngines, ref: RunRef, options: OpenOptions): ProfileSubject {
  const run = new OpenRun(engines, ref, options);
  const view = ({ view: kind, value, hidden }: ShownView) => ({
    kind: numbersOf(runViews, kind).view,
    value,
    hidden: hiddenOf(hidden),
  });
  return {
    run,
    show: async (panel) => {
      const opened = await run.opened();
      const { summary, values, defaultValue, problems, sampleProblems, wallTime, unrecorded } = opened;
      return {
        type: 'show',
        panel,
        subject: 'run',
        title: summary ? runName(summary) : '',
        runs: summary ? [shownRun(summary)] : [],
        wallTime: shownSentences(wallTime),
        hasLocks: opened.hasLocks,
        lockNote: visibleText(opened.lockNote, 1000),
        problems: shownSentences(problems),
        sampleProblems: shownSentences(sampleProblems),
        measureProblems: opened.measureProblems.map((of) => ({
          values: of.values,
          problems: shownSentences(of.problems),
        })),
        values: values.map(shownMeasure),
        defaultValue,
        unrecorded: unrecorded.map(({ type, sentence }) => ({ type, sentence: visibleText(sentence, 1000) })),
        isGrowing: !abilitiesOf(ref).isFinal,
        executions: summary ? shownRepeats(summary.executions) : [],
      };
    },
    content: async (shown) => contentOf(await run.request((id) => ({ view: { ...view(shown), run: id } }))),
    locate: async (place) => {
      const { locate: kind } = numbersOf(runViews, place.view);
      const body = (id: number): RequestBody => ({
        locate: { kind, view: { ...view(place), run: id }, index: place.index },
      });
      return expected((await run.request(body)).location, 'Location');
    },
    measureMatches: async (shown, frames) => {
      const body = (id: number): RequestBody => ({
        match: { view: { ...view(shown), run: id }, frames: [...frames] },
      });
      return expected((await run.request(body)).match, 'Match');
    },
    callers: async (place) => {
      const body = (id: number): RequestBody => ({
        callers: { view: { ...view(place), run: id }, index: place.index },
      });
      return expected((await run.request(body)).callers, 'Callers');
    },
    savedText: (recordedPath) => savedText(run, recordedPath),
    close: () => run.close(),
  };
}

export const hiddenOf = (hidden: readonly NamedFunction[] = []) => hidden.map(({ name, module }) => ({ name, module }));

/** The numbers of a view in the engine's requests. */
export function numbersOf(views: ViewNumbers, kind: ViewKind) {
  const numbers = views[kind];
  if (numbers) return numbers;
  throw new EngineFailure('protocol', l10n.t('This panel has no view {0}.', kind));
}

const shownSentences = (sentences: readonly string[]) => sentences.map((words) => visibleText(words, 1000));

export function shownRun(run: RunSummary): ShownRun {
  return {
    name: runName(run),
    facts: [...runFacts(run, new Date()), ...(run.end ? [visibleText(run.end)] : [])],
  };
}

export function contentOf(reply: { readonly view: { readonly content: Uint8Array } | null }): Uint8Array {
  return expected(reply.view, 'View').content;
}
