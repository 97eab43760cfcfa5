// A comparison of two runs as a profile panel shows it, with the engine behind it.
import * as l10n from '@vscode/l10n';
import { relativeText } from '../../../../core/changeText.ts';
import { visibleText } from '../../../../core/foreignText.ts';
import { measureName } from '../../../../core/measureText.ts';
import { percentText } from '../../../../core/numbersAsText.ts';
import type { ShownView } from '../../../../core/webviewMessages.ts';
import {
  type ComparisonOpened,
  type ExplainedFunction,
  type RequestBody,
  type ValueType,
  wire,
} from '../../../../core/wire.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { expected, OpenComparison, type OpenOptions, OpenRun } from '../../engine/openProfiles.ts';
import type { RunEngines } from '../../engine/runEngines.ts';
import type { RunRef } from '../../engine/runRef.ts';
import { type ComparedMeasure, sameMeasure, sharedMeasures } from '../../heat/comparedMeasures.ts';
import { runName } from '../../heat/runText.ts';
import { shownComparison, shownExplanation } from '../../heat/shownComparison.ts';
import { shownMeasure } from '../../heat/shownMeasure.ts';
import { savedText } from '../../sources/savedText.ts';
import { contentOf, hiddenOf, numbersOf, type ProfileSubject, shownRun, type ViewNumbers } from './profileSubjects.ts';

const { Kind: View } = wire.ViewRequest;
const { Kind: Locate } = wire.LocateRequest;
const views: ViewNumbers = {
  comparedFlameGraph: { view: View.COMPARED_FLAME_GRAPH, locate: Locate.NODE },
  comparedFunctions: { view: View.COMPARED_FUNCTIONS, locate: Locate.ROW },
  comparedLines: { view: View.COMPARED_LINES, locate: Locate.ROW },
};

/** What is compared where the engine does not say. */
const CPU = { type: 'cpu', unit: 'nanoseconds', family: 'cpu' } as const;

export interface ComparedRuns {
  readonly base: RunRef;
  readonly new: RunRef;
}

export interface ComparisonSubjectParts {
  readonly engines: RunEngines;
  readonly options: OpenOptions;
  /** What values are per, as last chosen. */
  readonly normalisation: number;
  /** Told when the user chose another. */
  readonly normalised: (normalisation: number) => void;
  /** What is compared, as last chosen; undefined: the usual measure. */
  readonly measure: ComparedMeasure | undefined;
  /** Told when the user chose another. */
  readonly measured: (measure: ComparedMeasure) => void;
}

export function comparisonSubject(runs: ComparedRuns, parts: ComparisonSubjectParts): ProfileSubject {
  const { engines, options } = parts;
  const open = (run: RunRef) => new OpenRun(engines, run, options);
  const compare = (normalisation: number, measure: ComparedMeasure | undefined) =>
    new OpenComparison(engines.viewing, open(runs.base), open(runs.new), normalisation, measure);
  let comparison = compare(parts.normalisation, parts.measure);
  let measures: readonly ValueType[] = [];
  let explained: readonly ExplainedFunction[] = [];
  const view = ({ view: kind, hidden }: ShownView) => ({
    kind: numbersOf(views, kind).view,
    hidden: hiddenOf(hidden),
  });
  return {
    show: async (panel) => {
      const opened = await comparison.opened();
      measures = sharedMeasures(await comparison.base.opened(), await comparison.current.opened());
      const compared = opened.value;
      const summaries = [opened.base, opened.new].filter((run) => run !== null);
      const shown = shownComparison(opened);
      return {
        type: 'show',
        panel,
        subject: 'comparison',
        // The sentence says the change with its interval; without one the bare change stands in the title.
        title: [titleOf(opened), shown.sentence ? '' : relativeText(opened.change)].filter(Boolean).join('  '),
        runs: summaries.map(shownRun),
        problems: [...matchSentence(opened), ...opened.warnings.map((text) => visibleText(text, 1000))],
        values: [opened.value ? shownMeasure(opened.value) : CPU],
        defaultValue: 0,
        comparison: shown,
        comparedMeasures: measures.map(shownMeasure),
        comparedMeasure: compared ? measures.findIndex((measure) => sameMeasure(measure, compared)) : -1,
      };
    },
    content: async (shown) =>
      contentOf(await comparison.request((id) => ({ view: { ...view(shown), comparison: id } }))),
    locate: async (place) => {
      const { locate: kind } = numbersOf(views, place.view);
      const body = (id: number): RequestBody => ({
        locate: { kind, view: { ...view(place), comparison: id }, index: place.index },
      });
      return expected((await comparison.request(body)).location, 'Location');
    },
    measureMatches: async (shown, frames) => {
      const body = (id: number): RequestBody => ({
        match: { view: { ...view(shown), comparison: id }, frames: [...frames] },
      });
      return expected((await comparison.request(body)).match, 'Match');
    },
    callers: async (place) => {
      const body = (id: number): RequestBody => ({
        callers: { view: { ...view(place), comparison: id }, index: place.index },
      });
      return expected((await comparison.request(body)).callers, 'Callers');
    },
    explain: async () => {
      const reply = await comparison.request((id) => ({ explain: { comparison: id } }));
      const explanation = expected(reply.explanation, 'Explanation');
      explained = explanation.functions;
      return shownExplanation(explanation);
    },
    explained: (index, line) => {
      const one = explained[index];
      if (!one) throw new EngineFailure('protocol', l10n.t('The explanation has no function {0}.', index));
      return { recordedPath: one.recordedPath, path: one.path, line: line || one.line, function: one.name };
    },
    normalise: (normalisation) => {
      comparison.close();
      comparison = compare(normalisation, comparison.measure);
      explained = [];
      parts.normalised(normalisation);
    },
    compareMeasure: (at) => {
      const measure = measures[at];
      if (!measure) throw new EngineFailure('protocol', l10n.t('The runs share no measure {0}.', at));
      comparison.close();
      // What values are per may mean nothing for another measure.
      comparison = compare(0, measure);
      explained = [];
      parts.measured(measure);
    },
    savedText: (recordedPath) => savedText(comparison.current, recordedPath),
    close: () => comparison.close(),
  };
}

/** The names of both runs, or of one run and its two parts. */
function titleOf({ base, new: current, partNames }: ComparisonOpened): string {
  const names = [base, current].filter((run) => run !== null).map(runName);
  const [first, second] = partNames.map((name) => visibleText(name, 60));
  return first && second ? l10n.t('{0}: {1} → {2}', names[0] ?? '', first, second) : names.join(' → ');
}

/** Functions that exist in one run only are no fault, but little in common makes every difference a guess. */
function matchSentence({ matchedShare, value }: ComparisonOpened): string[] {
  if (matchedShare <= 0 || matchedShare >= 0.9) return [];
  const [part, what] = [percentText(matchedShare), measureName(value ?? CPU)];
  return [l10n.t('Only {0} of {1} is in functions that both runs have.', part, what)];
}
