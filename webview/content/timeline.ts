// Timeline of protocol/selection.proto as checked columns: what threads did in equal parts of a time range.
import * as l10n from '@vscode/l10n';
import { COLUMNS_LIMIT, TRACKS_LIMIT } from '../../core/selectionMessages.ts';
import { expectLength } from './frameTable.ts';
import {
  type Fields,
  MalformedContent,
  readDouble,
  readFields,
  readMessage,
  readMessages,
  readNumber,
  readString,
  readUint32Column,
  readUint64Column,
} from './wireReader.ts';

export interface Timeline {
  readonly endNs: number; // of the recording
  readonly fromNs: number; // of the columns
  readonly toNs: number;
  readonly columns: number;
  readonly full: number; // samples of a column in which one thread is on a CPU all the time
  readonly cpus: number; // 0: unknown
  readonly all: Track;
  readonly trackCount: number; // of the run
  readonly tracks: readonly Track[]; // those that were asked for
  readonly executions: readonly ExecutionMark[];
  readonly samplesWithoutTime: number;
  readonly shows: TimelineShows;
  readonly memory: MemoryColumns | undefined; // when it shows memory
}

/** What the columns stand for, in the order of the contract. Of `waits`, those of all threads are a sum of thousandths. */
export const timelineShows = ['samples', 'waits', 'memory', 'samplesForLackOfTimes'] as const;
export type TimelineShows = (typeof timelineShows)[number];

/** In use by all processes together; estimates. */
export interface MemoryColumns {
  readonly highestBytes: Float64Array; // in each column
  readonly peaks: readonly MemoryPeak[]; // one for each execution of the whole recording
}

export interface MemoryPeak {
  readonly timeNs: number; // since the recording began
  readonly peakBytes: number;
}

/** Samples a column by whose code was innermost. */
export interface Track {
  readonly pid: number;
  readonly tid: number; // 0: all threads
  readonly process: string;
  readonly thread: string;
  readonly samples: number; // in the whole recording
  readonly value: number; // of the measure, in the whole recording
  readonly own: Uint32Array;
  readonly library: Uint32Array;
  readonly kernel: Uint32Array;
  readonly tinted: Uint32Array | undefined; // with the function anywhere; undefined: none was asked for
  readonly waits: TrackWaits | undefined; // undefined: not known, or of all threads
}

/** Thousandths of a column's time in which the thread waited. */
export interface TrackWaits {
  readonly queued: Uint32Array; // for a CPU
  readonly waiting: Uint32Array; // for anything else
}

export const hasWaits = ({ tracks }: Timeline): boolean => tracks.some(({ waits }) => waits !== undefined);

export interface ExecutionMark {
  readonly number: number; // from 1; 0: a warm-up
  readonly fromNs: number;
  readonly toNs: number;
}

const EXECUTIONS_MAX = 100_000;

/** Reads and checks an encoded Timeline. Throws `MalformedContent` with a sentence. */
export function readTimeline(bytes: Uint8Array): Timeline {
  const fields = readFields(bytes);
  const columns = readNumber(fields, 4);
  if (columns > COLUMNS_LIMIT) throw new MalformedContent(l10n.t('The timeline has too many columns: {0}.', columns));
  const timeline: Timeline = {
    endNs: readNumber(fields, 1),
    fromNs: readNumber(fields, 2),
    toNs: readNumber(fields, 3),
    columns,
    full: readDouble(fields, 5),
    cpus: readNumber(fields, 6),
    all: readTrack(readMessage(fields, 7), columns),
    trackCount: readNumber(fields, 8),
    tracks: readMessages(fields, 9, TRACKS_LIMIT).map((track) => readTrack(track, columns)),
    executions: readMessages(fields, 10, EXECUTIONS_MAX).map(readMark),
    samplesWithoutTime: readNumber(fields, 11),
    ...readShown(fields, columns),
  };
  expectRange(timeline);
  for (const mark of timeline.executions) expectRange(mark);
  if (!(timeline.full >= 0))
    throw new MalformedContent(l10n.t('The timeline has no usable height: {0}.', timeline.full));
  if (timeline.tracks.length > timeline.trackCount)
    throw new MalformedContent(
      l10n.t('The timeline has {0} tracks, more than the {1} of the run.', timeline.tracks.length, timeline.trackCount),
    );
  return timeline;
}

function readShown(fields: Fields, columns: number): Pick<Timeline, 'shows' | 'memory'> {
  const shows = timelineShows[readNumber(fields, 12)];
  if (!shows) throw new MalformedContent(l10n.t('The timeline shows something unknown.'));
  if (shows !== 'memory') return { shows, memory: undefined };
  const of = readMessage(fields, 13);
  const highestBytes = readUint64Column(of, 1);
  expectLength('highestBytes', highestBytes, columns);
  return { shows, memory: { highestBytes, peaks: readMessages(of, 2, EXECUTIONS_MAX).map(readPeak) } };
}

const readPeak = (fields: Fields): MemoryPeak => ({ timeNs: readNumber(fields, 1), peakBytes: readNumber(fields, 2) });

function readTrack(fields: Fields, columns: number): Track {
  const tinted = readUint32Column(fields, 9);
  const waits = { queued: readUint32Column(fields, 10), waiting: readUint32Column(fields, 11) };
  const track: Track = {
    pid: readNumber(fields, 1),
    tid: readNumber(fields, 2),
    process: readString(fields, 3),
    thread: readString(fields, 4),
    samples: readNumber(fields, 5),
    value: readNumber(fields, 12),
    own: readUint32Column(fields, 6),
    library: readUint32Column(fields, 7),
    kernel: readUint32Column(fields, 8),
    tinted: tinted.length === 0 ? undefined : tinted,
    waits: waits.queued.length === 0 && waits.waiting.length === 0 ? undefined : waits,
  };
  for (const name of ['own', 'library', 'kernel'] as const) expectLength(name, track[name], columns);
  if (track.tinted) expectLength('tinted', track.tinted, columns);
  for (const [name, column] of Object.entries(track.waits ?? {})) expectLength(name, column, columns);
  return track;
}

const readMark = (fields: Fields): ExecutionMark => ({
  number: readNumber(fields, 1),
  fromNs: readNumber(fields, 2),
  toNs: readNumber(fields, 3),
});

function expectRange({ fromNs, toNs }: { readonly fromNs: number; readonly toNs: number }) {
  if (fromNs <= toNs && toNs <= Number.MAX_SAFE_INTEGER) return;
  throw new MalformedContent(
    l10n.t('A time range of the timeline ends at {1}, before it begins at {0}.', fromNs, toNs),
  );
}
