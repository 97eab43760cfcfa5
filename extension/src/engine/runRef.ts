// What names a run: everything that opens, shows or remembers one holds such a reference, and never a path. What a kind of run can
// do is decided here only.
import * as l10n from '@vscode/l10n';
import { parsePart, type RunPart } from '../../../core/partsOfRun.ts';
import type { RunSummary } from '../../../core/wire.ts';
import { EngineFailure } from './failure.ts';

/** A saved run, or a profile of any pprof writer. */
export interface FileRun {
  readonly kind: 'file';
  readonly path: string;
  /** Only this part of it, as a side of a comparison of two parts. */
  readonly part?: RunPart;
}

/** What a recording in progress has so far. The number is given by `RunEngines`, and no other recording of this window has it. */
export interface RecordingRun {
  readonly kind: 'recording';
  readonly recording: number;
}

export type RunRef = FileRun | RecordingRun;

/** What menus and commands ask a run for. */
export interface RunAbilities {
  /** Its figures stay: it can be compared, remembered by the window, and what is selected of it can be saved. */
  readonly isFinal: boolean;
}

const ABILITIES: Readonly<Record<RunRef['kind'], RunAbilities>> = {
  file: { isFinal: true },
  recording: { isFinal: false },
};

export const abilitiesOf = ({ kind }: RunRef): RunAbilities => ABILITIES[kind];

export const fileRun = (path: string): FileRun => ({ kind: 'file', path });

/** The run that it is a part of; itself where it is whole. */
export const wholeRun = (run: RunRef): RunRef => (run.kind === 'file' && run.part ? fileRun(run.path) : run);

/** The run of a row in the list of saved runs. */
export const listedRun = ({ path }: Pick<RunSummary, 'path'>): FileRun => fileRun(path);

const FILE = 'file:';
const PART = 'part:';
const RECORDING = 'recording:';

/**
 * The same text for the same run only: for maps, workspace state and ids of panels. The key of an absolute path is the path itself,
 * as versions before references saved it.
 */
export function runKey(run: RunRef): string {
  if (run.kind === 'recording') return `${RECORDING}${run.recording}`;
  if (run.part) return `${PART}${JSON.stringify([run.path, run.part])}`;
  return run.path.startsWith('/') ? run.path : `${FILE}${run.path}`;
}

/** The inverse of `runKey`; undefined for anything else. */
export function runOfKey(key: unknown): RunRef | undefined {
  if (typeof key !== 'string') return undefined;
  if (key.startsWith('/')) return fileRun(key);
  if (key.startsWith(FILE)) return fileRun(key.slice(FILE.length));
  if (key.startsWith(PART)) return partOfKey(key.slice(PART.length));
  const recording = /^recording:([1-9]\d{0,8})$/.exec(key)?.[1];
  return recording === undefined ? undefined : { kind: 'recording', recording: Number(recording) };
}

function partOfKey(text: string): FileRun | undefined {
  let saved: unknown;
  try {
    saved = JSON.parse(text);
  } catch {
    return undefined;
  }
  const [path, unknown] = Array.isArray(saved) ? saved : [];
  const part = parsePart(unknown);
  return typeof path === 'string' && part ? { kind: 'file', path, part } : undefined;
}

export const sameRun = (one: RunRef, other: RunRef): boolean => runKey(one) === runKey(other);

/**
 * The file that the run is in: for what works on files, such as the command line and the file explorer. Throws EngineFailure
 * `being-recorded` where there is none yet.
 */
export function fileOf(run: RunRef): string {
  if (run.kind === 'file') return run.path;
  throw new EngineFailure(
    'being-recorded',
    l10n.t('This run is still being recorded, so it can only be looked at.'),
    l10n.t('Stop the recording first.'),
  );
}
