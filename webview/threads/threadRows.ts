// The rows of the table of threads: one a thread. Of several processes, one with several threads has a row above them.
import type { Track } from '../content/timeline.ts';
import { type Sort, sortedRows, type TableColumn } from '../table/virtualTable.ts';

export type Thread = Pick<Track, 'pid' | 'tid' | 'process' | 'thread' | 'samples' | 'value'>;

/** A thread, or a process with its threads. */
export interface ThreadRow {
  readonly thread: Thread; // of a process its first
  readonly members: readonly Thread[]; // the thread alone, or all of the process
  readonly isProcess: boolean;
}

/** In the order in which they come; the rows of a process stand together. */
export function threadRows(threads: readonly Thread[]): ThreadRow[] {
  const processes = new Map<string, Thread[]>();
  for (const thread of threads) {
    const key = `${thread.pid}\0${thread.process}`;
    const members = processes.get(key);
    if (members) members.push(thread);
    else processes.set(key, [thread]);
  }
  const isOnlyOne = processes.size < 2;
  return [...processes.values()].flatMap((members) => [
    ...(isOnlyOne || members.length < 2 ? [] : [{ thread: members[0]!, members, isProcess: true }]),
    ...members.map((thread) => ({ thread, members: [thread], isProcess: false })),
  ]);
}

/** Sorts the threads of each process, and processes by the thread of each that then is the first. */
export function arrangedRows(rows: readonly ThreadRow[], columns: readonly TableColumn[], sort: Sort): Uint32Array {
  const head = Uint32Array.from(rows.keys()); // the row of the process; a thread without one is its own
  rows.forEach(({ isProcess, members }, row) => {
    if (isProcess) head.fill(row, row, row + 1 + members.length);
  });
  const threads = Uint32Array.from(rows.keys()).filter((row) => !rows[row]!.isProcess);
  const groups = new Map<number, number[]>(); // a map keeps the order of first threads
  for (const row of sortedRows(threads, columns, sort)) {
    const group = groups.get(head[row]!);
    if (group) group.push(row);
    else groups.set(head[row]!, head[row] === row ? [row] : [head[row]!, row]);
  }
  return Uint32Array.from([...groups.values()].flat());
}
