// Whether a selection has a thread. It names threads and processes by number, by name, by a glob with * and ?, or by a regular
// expression between slashes.
import type { ShownSelection } from '../../core/selectionMessages.ts';
import type { Track } from '../content/timeline.ts';

type Named = Pick<Track, 'pid' | 'tid' | 'process' | 'thread'>;

/** What says of each track whether it is selected; the track of all threads always is. */
export function threadMatcher(selection: ShownSelection): (track: Named) => boolean {
  const { threads, processes, droppedThreads, droppedProcesses } = selection;
  const [isThread, isProcess] = [allOr(threads), allOr(processes)];
  const [isDroppedThread, isDroppedProcess] = [anyOf(droppedThreads), anyOf(droppedProcesses)];
  return ({ pid, tid, process, thread }) =>
    tid === 0 ||
    (isThread(thread, tid) &&
      isProcess(process, pid) &&
      !isDroppedThread(thread, tid) &&
      !isDroppedProcess(process, pid));
}

const allOr = (wanted: readonly string[]) => (wanted.length === 0 ? () => true : anyOf(wanted));

function anyOf(wanted: readonly string[]): (name: string, number: number) => boolean {
  const exact = new Set(wanted);
  const patterns = wanted.flatMap(patternOf);
  return (name, number) => exact.has(name) || exact.has(String(number)) || patterns.some((one) => one.test(name));
}

/** None where the text is a name, or an expression that only the engine can read. */
function patternOf(text: string): RegExp[] {
  if (text.length > 2 && text.startsWith('/') && text.endsWith('/')) {
    try {
      return [new RegExp(text.slice(1, -1), 'u')];
    } catch {
      return [];
    }
  }
  return /[*?]/.test(text) ? [globOf(text)] : [];
}

function globOf(glob: string): RegExp {
  const parts = glob.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'su');
}
