// A saved run in words: for the Runs view, pickers, panels and messages.

import os from 'node:os';
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../core/foreignText.ts';
import { countText, durationText, percentText, samplesText } from '../../../core/numbersAsText.ts';
import { areSome, countOf, type SampleCount } from '../../../core/sampleCount.ts';
import type { RunSummary } from '../../../core/wire.ts';

export function runName(run: RunSummary): string {
  return visibleText(run.name || run.target || run.path.slice(run.path.lastIndexOf('/') + 1), 120);
}

/** `14:03`, `yesterday 14:03`, `12 Nov 14:03`: short, and exact enough to tell runs apart. */
export function runTime(run: RunSummary, now: Date): string {
  return run.startedUnixMs === 0 ? '' : timeText(run.startedUnixMs, now);
}

/** The same of any time. */
export function timeText(unixMs: number, now: Date): string {
  const started = new Date(unixMs);
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

/** Whether the program ended badly by itself: by a signal or with an exit code, but not because the recording was stopped. */
export const endedBadly = (run: RunSummary): boolean =>
  run.exited && !/^stopped/.test(run.end) && (run.exitSignal > 0 || run.exitCode > 0);

/** `SIGSEGV`, `exit 3`; empty when the program did not end badly. */
export function badEnd(run: RunSummary): string {
  if (!endedBadly(run)) return '';
  if (!(run.exitSignal > 0)) return l10n.t('exit {0}', run.exitCode);
  const known = Object.entries(os.constants.signals).find(([, number]) => number === run.exitSignal);
  return known?.[0] ?? l10n.t('signal {0}', run.exitSignal);
}

/** How many samples a run has; undefined where its file does not say. */
export const runSamples = (run: RunSummary): SampleCount => countOf(run.samples, run);

export const hasSamples = (run: RunSummary): boolean => areSome(runSamples(run));

/** `3,812 samples`, or that nobody knows how many. */
export const runSamplesText = (run: RunSummary): string => samplesText(runSamples(run)) || l10n.t('count unknown');

/** Short facts beside the name, what a narrow row needs most first; the empty ones are left out. */
export function runFacts(run: RunSummary, now: Date): string[] {
  const facts = [
    badEnd(run),
    run.cpuNs > 0 ? `${durationText(run.cpuNs)} CPU` : '',
    runCommit(run),
    runTime(run, now),
    runSamplesText(run),
  ];
  if (run.partial) facts.push(l10n.t('partial'));
  if (run.problem) return [runTime(run, now), l10n.t('unreadable')].filter(Boolean);
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
  const sentence = run.exitSignal > 0 ? run.end.replace(`signal ${run.exitSignal}`, badEnd(run)) : run.end;
  const end = sentence ? visibleText(sentence) : l10n.t('has ended');
  const kept = hasSamples(run) ? runSamplesText(run) : l10n.t('no samples: the program used too little CPU time');
  const parts = [runName(run), end, kept] as const;
  if (!(run.lost > 0)) return l10n.t('{0} {1}: {2}.', ...parts);
  return l10n.t('{0} {1}: {2}, {3} lost ({4}).', ...parts, countText(run.lost), percentText(run.lostShare));
}

/** Losses above this share are worth a warning. */
export const LOSS_WARNING_SHARE = 0.01;
