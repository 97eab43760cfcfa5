// What names a run: everything that opens, shows or remembers one holds such a reference, and never a path. What a kind of run can
// do, and what it is called in texts, is decided here only.
import type { RequestBody, RunSummary } from '../../../core/wire.ts';

/** A saved run, or a profile of any pprof writer. */
export interface FileRun {
  readonly kind: 'file';
  readonly path: string;
}

export type RunRef = FileRun;

export const fileRun = (path: string): FileRun => ({ kind: 'file', path });

/** The run of a row in the list of saved runs. */
export const listedRun = ({ path }: Pick<RunSummary, 'path'>): FileRun => fileRun(path);

const FILE = 'file:';

/**
 * The same text for the same run only: for maps, workspace state and ids of panels. The key of an absolute path is the path itself,
 * as versions before references saved it.
 */
export function runKey(run: RunRef): string {
  return run.path.startsWith('/') ? run.path : `${FILE}${run.path}`;
}

/** The inverse of `runKey`; undefined for anything else. */
export function runOfKey(key: unknown): RunRef | undefined {
  if (typeof key !== 'string') return undefined;
  if (key.startsWith('/')) return fileRun(key);
  return key.startsWith(FILE) ? fileRun(key.slice(FILE.length)) : undefined;
}

export const sameRun = (one: RunRef, other: RunRef): boolean => runKey(one) === runKey(other);

/** The file that the run is in: for what works on files, such as the command line and the file explorer. */
export const fileOf = (run: RunRef): string => run.path;

/** As the engine reads it (protocol/runs.proto). */
export const wireRun = (run: RunRef): NonNullable<NonNullable<RequestBody['openRun']>['run']> => ({ file: run.path });
