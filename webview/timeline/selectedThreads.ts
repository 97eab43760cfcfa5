// Whether a selection has a thread. It names threads and processes by number, by name, or by a glob with * and ?.
import type { ShownSelection } from '../../core/selectionMessages.ts';
import type { Track } from '../content/timeline.ts';

type Named = Pick<Track, 'pid' | 'tid' | 'process' | 'thread'>;

/** What says of each track whether it is selected; the track of all threads always is. */
export function threadMatcher({ threads, processes }: ShownSelection): (track: Named) => boolean {
  if (threads.length === 0 && processes.length === 0) return () => true;
  const isThread = anyOf(threads);
  const isProcess = anyOf(processes);
  return ({ pid, tid, process, thread }) => tid === 0 || (isThread(thread, tid) && isProcess(process, pid));
}

function anyOf(wanted: readonly string[]): (name: string, number: number) => boolean {
  if (wanted.length === 0) return () => true;
  const exact = new Set(wanted);
  const globs = wanted.filter((text) => /[*?]/.test(text)).map(globOf);
  return (name, number) => exact.has(name) || exact.has(String(number)) || globs.some((glob) => glob.test(name));
}

function globOf(glob: string): RegExp {
  const parts = glob.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'su');
}
