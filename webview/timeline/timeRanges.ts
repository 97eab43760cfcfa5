// Ranges of time as a selection holds them: sorted, without overlap, and what of the recording they leave out.
import type { ShownTimeRange } from '../../core/selectionMessages.ts';
import type { ExecutionMark } from '../content/timeline.ts';

/** The same moments in as few ranges as possible, in order; empty ranges are left out. */
export function mergedRanges(ranges: readonly ShownTimeRange[]): ShownTimeRange[] {
  const sorted = ranges.filter(({ fromNs, toNs }) => fromNs < toNs).sort((a, b) => a.fromNs - b.fromNs);
  const merged: ShownTimeRange[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (!last || range.fromNs > last.toNs) merged.push({ fromNs: range.fromNs, toNs: range.toNs });
    else merged[merged.length - 1] = { fromNs: last.fromNs, toNs: Math.max(last.toNs, range.toNs) };
  }
  return merged;
}

/** What two lists of merged ranges have in common. */
export function commonRanges(a: readonly ShownTimeRange[], b: readonly ShownTimeRange[]): ShownTimeRange[] {
  const common: ShownTimeRange[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [one, other] = [a[i]!, b[j]!];
    const fromNs = Math.max(one.fromNs, other.fromNs);
    const toNs = Math.min(one.toNs, other.toNs);
    if (fromNs < toNs) common.push({ fromNs, toNs });
    if (one.toNs < other.toNs) i++;
    else j++;
  }
  return common;
}

/** What merged ranges leave out of `whole`. */
export function gapsOf(ranges: readonly ShownTimeRange[], whole: ShownTimeRange): ShownTimeRange[] {
  const gaps: ShownTimeRange[] = [];
  let at = whole.fromNs;
  for (const { fromNs, toNs } of ranges) {
    if (fromNs > at) gaps.push({ fromNs: at, toNs: Math.min(fromNs, whole.toNs) });
    at = Math.max(at, toNs);
  }
  if (at < whole.toNs) gaps.push({ fromNs: at, toNs: whole.toNs });
  return gaps.filter(({ fromNs, toNs }) => fromNs < toNs);
}

/** The moments of a selection: its ranges within its executions; undefined: all of them. */
export function selectedTimes(
  times: readonly ShownTimeRange[],
  executions: readonly number[],
  marks: readonly ExecutionMark[],
): ShownTimeRange[] | undefined {
  const ranges = times.length > 0 ? mergedRanges(times) : undefined;
  if (executions.length === 0 || marks.length === 0) return ranges;
  const chosen = mergedRanges(marks.filter(({ number }) => executions.includes(number)));
  return ranges ? commonRanges(ranges, chosen) : chosen;
}
