// A saved run in words: for the Runs view, pickers, panels and messages.
import { visibleText } from '../../../core/foreignText.ts';
import { countText, durationText, percentText, samplesText } from '../../../core/numbersAsText.ts';
import type { RunSummary } from '../../../core/wire.ts';

export function runName(run: RunSummary): string {
  return visibleText(run.name || run.target || run.path.slice(run.path.lastIndexOf('/') + 1), 120);
}

/** `14:03`, `yesterday 14:03`, `12 Nov 14:03`: short, and exact enough to tell runs apart. */
export function runTime(run: RunSummary, now: Date): string {
  if (run.startedUnixMs === 0) return '';
  const started = new Date(run.startedUnixMs);
  const time = started.toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  });
  if (started.toDateString() === now.toDateString()) return time;
  const date: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
  if (started.getFullYear() !== now.getFullYear()) date.year = 'numeric';
  return `${started.toLocaleDateString(undefined, date)} ${time}`;
}

export function runCommit(run: RunSummary): string {
  return run.gitCommit ? `${visibleText(run.gitCommit.slice(0, 8))}${run.gitDirty ? '+' : ''}` : '';
}

/** Short facts that stand beside the name; the empty ones left out. */
export function runFacts(run: RunSummary, now: Date): string[] {
  const facts = [
    runTime(run, now),
    run.wallNs > 0 ? durationText(run.wallNs) : '',
    samplesText(run.samples),
    runCommit(run),
  ];
  if (run.partial) facts.push('partial');
  if (run.problem) return [runTime(run, now), 'unreadable'].filter(Boolean);
  return facts.filter(Boolean);
}

/** The newest run of each git branch but that of `run`, newest first; of the same program where it has one there. */
export function lastRunsOfBranches(runs: readonly RunSummary[], run: RunSummary): RunSummary[] {
  const last = new Map<string, RunSummary>();
  const newestFirst = [...runs].sort((a, b) => b.startedUnixMs - a.startedUnixMs);
  for (const other of newestFirst) {
    if (!other.gitBranch || other.gitBranch === run.gitBranch || other.path === run.path) continue;
    const known = last.get(other.gitBranch);
    if (!known || (known.target !== run.target && other.target === run.target)) last.set(other.gitBranch, other);
  }
  return [...last.values()].sort((a, b) => b.startedUnixMs - a.startedUnixMs);
}

/** How the target ended and what was kept: the message after a recording. */
export function endSentence(run: RunSummary): string {
  const end = run.end ? visibleText(run.end) : 'has ended';
  const kept = run.samples > 0 ? samplesText(run.samples) : 'no samples: it used too little CPU time to be sampled';
  const lost = run.lost > 0 ? `, ${countText(run.lost)} lost (${percentText(run.lostShare)})` : '';
  return `${runName(run)} ${end}: ${kept}${lost}.`;
}

/** Losses above this share are worth a warning. */
export const LOSS_WARNING_SHARE = 0.01;
