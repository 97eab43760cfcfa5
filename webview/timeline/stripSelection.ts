// Selections that gestures on the timeline make: ranges on a track, threads by number or name, one process, an execution.
import { ALL_THREADS, NAMES_LIMIT, type ShownSelection, type ShownTimeRange } from '../../core/selectionMessages.ts';
import type { Track } from '../content/timeline.ts';

type Numbered = Pick<Track, 'pid' | 'tid'>;

/** New ranges on these tracks; none are all threads. */
export const onTracks = (
  selection: ShownSelection,
  times: readonly ShownTimeRange[],
  tracks: readonly Numbered[],
): ShownSelection => ({ ...selection, ...ALL_THREADS, times, threads: numbersOf(tracks) });

/** One more range: what else is selected stays, and the thread joins when threads are chosen. */
export function withRange(
  selection: ShownSelection,
  times: readonly ShownTimeRange[],
  { tid }: Numbered,
): ShownSelection {
  const { threads } = selection;
  const number = String(tid);
  const joins = tid !== 0 && threads.length > 0 && threads.length < NAMES_LIMIT && !threads.includes(number);
  return { ...selection, times, threads: joins ? [...threads, number] : threads };
}

/** Only this thread, or all again when it was the only one; `adding` changes the list by it. */
export function withThread(selection: ShownSelection, { tid }: Numbered, adding: boolean): ShownSelection {
  const { threads } = selection;
  if (tid === 0) return { ...selection, ...ALL_THREADS };
  const number = String(tid);
  const without = threads.filter((thread) => thread !== number);
  if (adding)
    return {
      ...selection,
      threads: without.length < threads.length ? without : [...threads, number].slice(-NAMES_LIMIT),
    };
  const only = threads.length === 1 && without.length === 0;
  return { ...selection, ...ALL_THREADS, threads: only ? [] : [number] };
}

export const withThreadName = (selection: ShownSelection, name: string): ShownSelection => ({
  ...selection,
  ...ALL_THREADS,
  threads: [name],
});

export const withProcess = (selection: ShownSelection, pid: number): ShownSelection => ({
  ...selection,
  ...ALL_THREADS,
  processes: [String(pid)],
});

/** Only this execution, or all again when it was the only one. */
export function withExecution(selection: ShownSelection, number: number): ShownSelection {
  const only = selection.executions.length === 1 && selection.executions[0] === number;
  return { ...selection, executions: only ? [] : [number] };
}

function numbersOf(tracks: readonly Numbered[]): string[] {
  if (tracks.some(({ tid }) => tid === 0)) return [];
  return tracks.map(({ tid }) => String(tid)).slice(0, NAMES_LIMIT);
}
