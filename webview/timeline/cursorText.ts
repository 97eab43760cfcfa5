// What the keyboard's cursor is on, in words: time, thread, and what is there: samples by whose code was running, waits, or memory.
import * as l10n from '@vscode/l10n';
import { countText, momentText, percentText, valueText } from '../../core/numbersAsText.ts';
import { columnAt } from './timeView.ts';
import { trackName } from './trackRows.ts';
import { type LoadedTrack, rangeOfTrack } from './trackStore.ts';

/** `1.25 s, worker-3: 4 samples in own code, 2 in libraries, 1 in the kernel`. */
export function cursorText(loaded: LoadedTrack, ns: number): string {
  const { track, timeline } = loaded;
  const range = rangeOfTrack(loaded);
  const columns = track.own.length;
  const stepNs = Math.max(1, (range.toNs - range.fromNs) / Math.max(1, columns));
  const place = `${momentText(ns, stepNs, range.toNs)}, ${trackName(track)}`;
  const column = columns > 0 ? columnAt(range, columns, ns) : -1;
  if (timeline.memory)
    return l10n.t('{0}: {1} in use', place, valueText(timeline.memory.highestBytes[column] ?? 0, 'bytes'));
  if (timeline.shows === 'waits') return waitsText(loaded, place, column);
  const [own, library, kernel] = [track.own, track.library, track.kernel].map((counts) => counts[column] ?? 0);
  const sampled =
    !own && !library && !kernel
      ? l10n.t('{0}: no samples', place)
      : l10n.t(
          '{0}: {1} samples in own code, {2} in libraries, {3} in the kernel',
          place,
          countText(own!),
          countText(library!),
          countText(kernel!),
        );
  if (!track.waits || column < 0) return sampled;
  const [queued, waiting] = [track.waits.queued, track.waits.waiting].map((waits) =>
    percentText(waits[column]! / 1000),
  );
  return l10n.t('{0}; of the time, {1} waiting for a CPU and {2} for something else', sampled, queued!, waiting!);
}

/** Of all threads, how many waited on average. */
function waitsText({ track, timeline }: LoadedTrack, place: string, column: number): string {
  const [queued, waiting] = [track.waits?.queued, track.waits?.waiting].map((waits) => (waits?.[column] ?? 0) / 1000);
  if (track !== timeline.all)
    return l10n.t(
      '{0}: of the time, {1} waiting for a CPU and {2} for something else',
      place,
      percentText(queued!),
      percentText(waiting!),
    );
  return l10n.t(
    '{0}: on average {1} threads waiting for a CPU and {2} for something else',
    place,
    queued!.toFixed(1),
    waiting!.toFixed(1),
  );
}
