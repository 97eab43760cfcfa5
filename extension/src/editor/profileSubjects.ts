// What a profile panel shows: a run or a comparison, with the engine behind it. Answers the page's requests.
import { visibleText } from '../../../core/foreignText.ts';
import { pointsText, relativeChangeText, valueText } from '../../../core/numbersAsText.ts';
import type { ShowMessage, ShownRun, ViewKind } from '../../../core/webviewMessages.ts';
import { type Location, type RequestBody, type RunSummary, wire } from '../../../core/wire.ts';
import type { EngineClient } from '../engine/engineClient.ts';
import { EngineFailure } from '../engine/failure.ts';
import { expected, OpenComparison, type OpenOptions, OpenRun } from '../engine/openProfiles.ts';
import { runFacts, runName } from '../heat/runText.ts';

export interface ViewPlace {
  readonly view: ViewKind;
  readonly value: number;
  readonly index: number;
}

export interface ProfileSubject {
  show(panel: string): Promise<ShowMessage>;
  content(view: ViewKind, value: number): Promise<Uint8Array>;
  locate(place: ViewPlace): Promise<Location>;
  /** The source text that was saved with the run. */
  savedText(recordedPath: string): Promise<string | undefined>;
  close(): void;
}

const { Kind: View } = wire.ViewRequest;
const { Kind: Locate } = wire.LocateRequest;
const runViews: Partial<Record<ViewKind, { view: number; locate: number }>> = {
  flameGraph: { view: View.FLAME_GRAPH, locate: Locate.NODE },
  functions: { view: View.FUNCTIONS, locate: Locate.FUNCTION },
};
const comparisonViews: Partial<Record<ViewKind, { view: number; locate: number }>> = {
  comparedFlameGraph: { view: View.COMPARED_FLAME_GRAPH, locate: Locate.NODE },
  comparedFunctions: { view: View.COMPARED_FUNCTIONS, locate: Locate.ROW },
  comparedLines: { view: View.COMPARED_LINES, locate: Locate.ROW },
};

export function runSubject(client: EngineClient, path: string, options: OpenOptions): ProfileSubject {
  const run = new OpenRun(client, path, options);
  const view = (kind: ViewKind, value: number) => ({ kind: numbersOf(runViews, kind).view, value });
  return {
    show: async (panel) => {
      const { summary, values, defaultValue, problems } = await run.opened();
      return {
        type: 'show',
        panel,
        subject: 'run',
        title: summary ? runName(summary) : '',
        runs: summary ? [shownRun(summary)] : [],
        problems: problems.map((problem) => visibleText(problem, 1000)),
        values: values.map(({ type, unit }) => ({ type: visibleText(type), unit: visibleText(unit) })),
        defaultValue,
      };
    },
    content: async (kind, value) => contentOf(await run.request((id) => ({ view: { ...view(kind, value), run: id } }))),
    locate: async ({ view: kind, value, index }) => {
      const body = (id: number): RequestBody => ({
        locate: { kind: numbersOf(runViews, kind).locate, view: { ...view(kind, value), run: id }, index },
      });
      return expected((await run.request(body)).location, 'Location');
    },
    savedText: (recordedPath) => savedText(run, recordedPath),
    close: () => run.close(),
  };
}

export function comparisonSubject(
  client: EngineClient,
  paths: { readonly base: string; readonly new: string },
  options: OpenOptions,
): ProfileSubject {
  const open = (path: string) => new OpenRun(client, path, options);
  const comparison = new OpenComparison(client, open(paths.base), open(paths.new));
  const view = (kind: ViewKind) => ({ kind: numbersOf(comparisonViews, kind).view });
  return {
    show: async (panel) => {
      const opened = await comparison.opened();
      const runs = [opened.base, opened.new].filter((run) => run !== null);
      const change = relativeChangeText(opened.baseTotal, opened.newTotal);
      return {
        type: 'show',
        panel,
        subject: 'comparison',
        title: `${runs.map(runName).join(' → ')}  ${change}`,
        runs: runs.map(shownRun),
        problems: [...matchSentence(opened.matchedShare), ...opened.warnings.map((text) => visibleText(text, 1000))],
        values: [{ type: 'cpu', unit: 'nanoseconds' }],
        defaultValue: 0,
      };
    },
    content: async (kind) => contentOf(await comparison.request((id) => ({ view: { ...view(kind), comparison: id } }))),
    locate: async ({ view: kind, index }) => {
      const body = (id: number): RequestBody => ({
        locate: { kind: numbersOf(comparisonViews, kind).locate, view: { ...view(kind), comparison: id }, index },
      });
      return expected((await comparison.request(body)).location, 'Location');
    },
    savedText: (recordedPath) => savedText(comparison.current, recordedPath),
    close: () => comparison.close(),
  };
}

function numbersOf(views: typeof runViews, kind: ViewKind) {
  const numbers = views[kind];
  if (numbers) return numbers;
  throw new EngineFailure('protocol', `This panel has no view ${kind}.`);
}

function shownRun(run: RunSummary): ShownRun {
  const cpu = run.cpuNs > 0 ? [`${valueText(run.cpuNs, 'nanoseconds')} CPU`] : [];
  return {
    name: runName(run),
    facts: [...runFacts(run, new Date()), ...cpu, ...(run.end ? [visibleText(run.end)] : [])],
  };
}

/** Functions that exist in one run only are no fault, but little in common makes every difference a guess. */
function matchSentence(matchedShare: number): string[] {
  if (matchedShare <= 0 || matchedShare >= 0.9) return [];
  const unmatched = pointsText(1 - matchedShare).replace(/^\+(.*) pp$/, '$1 %');
  return [`${unmatched} of the CPU time is in functions that only one of the runs has.`];
}

function contentOf(reply: { readonly view: { readonly content: Uint8Array } | null }): Uint8Array {
  return expected(reply.view, 'View').content;
}

async function savedText(run: OpenRun, recordedPath: string): Promise<string | undefined> {
  const reply = await run.request((id) => ({ source: { run: id, recordedPath } }));
  const source = expected(reply.source, 'Source');
  return source.found ? source.text : undefined;
}
