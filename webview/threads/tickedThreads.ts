// Ticks of the table of threads: which threads a selection has, and which selection a set of ticked threads is.
import { ALL_THREADS, NAMES_LIMIT, type ShownSelection } from '../../core/selectionMessages.ts';
import { threadMatcher } from '../timeline/selectedThreads.ts';
import type { Thread } from './threadRows.ts';

/** The ticked threads of a selection; a selection that names no thread has all of them. */
export function tickedThreads(threads: readonly Thread[], selection: ShownSelection): Set<Thread> {
  const isSelected = threadMatcher(selection);
  return new Set(threads.filter(isSelected));
}

/** Ticks these threads, or takes the ticks away when all of them have one. */
export function toggled(ticked: ReadonlySet<Thread>, members: readonly Thread[]): Set<Thread> {
  const all = members.every((thread) => ticked.has(thread));
  const next = new Set(ticked);
  for (const thread of members)
    if (all) next.delete(thread);
    else next.add(thread);
  return next;
}

/**
 * The selection of the ticked threads: no thread named when all are ticked, their numbers, or those of whole processes when there
 * are too many. Undefined: none is ticked, or a selection cannot hold so many.
 */
export function withTicked(
  selection: ShownSelection,
  threads: readonly Thread[],
  ticked: ReadonlySet<Thread>,
): ShownSelection | undefined {
  if (ticked.size === 0) return undefined;
  if (ticked.size === threads.length) return { ...selection, ...ALL_THREADS };
  if (ticked.size <= NAMES_LIMIT)
    return { ...selection, ...ALL_THREADS, threads: [...ticked].map(({ tid }) => String(tid)) };
  const chosen = new Set([...ticked].map(({ pid }) => pid));
  const whole = threads.every((thread) => ticked.has(thread) === chosen.has(thread.pid));
  if (!whole || chosen.size > NAMES_LIMIT) return undefined;
  return { ...selection, ...ALL_THREADS, processes: [...chosen].map(String) };
}
