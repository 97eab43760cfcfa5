// Which parts of one run can be compared with each other, by what is selected of it.
import * as l10n from '@vscode/l10n';
import { EMPTY_SELECTION, isEmptySelection, parseSelection, type ShownSelection } from './selectionMessages.ts';

export const comparedParts = ['rest', 'ranges'] as const;
/** The selection against everything else, or its two ranges of time against each other. */
export type ComparedParts = (typeof comparedParts)[number];

/** A part of a run. */
export interface RunPart {
  readonly selection: ShownSelection;
  /** What the selection leaves out; its transforms stay. */
  readonly rest: boolean;
}

/** Why they cannot be compared, as a sentence; empty: they can. */
export function whyNotCompared(selection: ShownSelection, parts: ComparedParts): string {
  if (parts === 'ranges')
    return selection.times.length === 2 ? '' : l10n.t('Select exactly two ranges of time to compare them.');
  const narrows = !isEmptySelection({ ...selection, transforms: EMPTY_SELECTION.transforms });
  return narrows ? '' : l10n.t('Select times, threads, processes or executions to compare them with the rest.');
}

/** Undefined where `whyNotCompared` gives a reason. */
export function partsOf(
  selection: ShownSelection,
  parts: ComparedParts,
): { readonly base: RunPart; readonly new: RunPart } | undefined {
  if (whyNotCompared(selection, parts)) return undefined;
  if (parts === 'rest') return { base: { selection, rest: true }, new: { selection, rest: false } };
  const [first, second] = [...selection.times].sort((a, b) => a.fromNs - b.fromNs);
  if (!first || !second) return undefined;
  const at = (range: typeof first): RunPart => ({ selection: { ...selection, times: [range] }, rest: false });
  return { base: at(first), new: at(second) };
}

/** The part that `unknown` is; undefined when it is none. */
export function parsePart(unknown: unknown): RunPart | undefined {
  if (typeof unknown !== 'object' || unknown === null) return undefined;
  const { selection, rest } = unknown as Record<string, unknown>;
  const parsed = parseSelection(selection);
  return parsed && typeof rest === 'boolean' ? { selection: parsed, rest } : undefined;
}
