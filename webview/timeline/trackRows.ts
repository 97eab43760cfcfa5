// The names beside the tracks: of ten thousand threads only the rows in view exist. Each says thread, numbers and share.
import * as l10n from '@vscode/l10n';
import { html } from 'lit';
import { visibleText } from '../../core/foreignText.ts';
import { percentText, samplesText, share, valueText } from '../../core/numbersAsText.ts';
import type { Track } from '../content/timeline.ts';
import { rendered } from '../page/rendered.ts';
import { highestPeak } from './memoryArea.ts';
import { amountOf, type LoadedTrack } from './trackStore.ts';

/** What a row shows; `track` is undefined while its track is on its way. */
export interface NamedRow {
  readonly index: number; // of the track; ALL_TRACKS: all threads
  readonly top: number;
  readonly loaded: LoadedTrack | undefined;
  readonly selected: boolean | undefined; // undefined: no thread is chosen, all are meant
  readonly underCursor: boolean;
}

export const ALL_TRACKS = -1;

interface RowParts {
  readonly row: HTMLElement;
  readonly name: HTMLElement;
  readonly ids: HTMLElement;
  readonly share: HTMLElement;
  filled: NamedRow | undefined;
}

export const rowId = (index: number): string => (index === ALL_TRACKS ? 'timeline-all' : `timeline-track-${index}`);

export class TrackRows {
  readonly element = rendered(html`<div class="timeline-rows"></div>`);
  readonly #shown = new Map<number, RowParts>(); // by track
  readonly #spare: RowParts[] = [];

  /** Shows exactly these rows. A track keeps its element while it is in view, so that scrolling writes the new rows only. */
  show(rows: readonly NamedRow[]) {
    const wanted = new Set(rows.map(({ index }) => index));
    for (const [index, parts] of this.#shown) {
      if (wanted.has(index)) continue;
      this.#shown.delete(index);
      this.#spare.push(parts);
    }
    for (const row of rows) {
      let parts = this.#shown.get(row.index);
      if (!parts) {
        parts = this.#spare.pop() ?? this.#make();
        this.#shown.set(row.index, parts);
        parts.filled = undefined;
      }
      if (!isSameRow(parts.filled, row)) fill(parts, row);
      parts.filled = row;
    }
    for (const { row } of this.#spare) row.hidden = true;
  }

  #make(): RowParts {
    const parts = rowParts();
    this.element.append(parts.row);
    return parts;
  }
}

export const isSameRow = (a: NamedRow | undefined, b: NamedRow): boolean =>
  a?.index === b.index &&
  a.top === b.top &&
  a.loaded === b.loaded &&
  a.selected === b.selected &&
  a.underCursor === b.underCursor;

/** The track of a row that an event is on; undefined: none. */
export function trackUnder(event: Event): number | undefined {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>('.timeline-row') : undefined;
  return row ? Number(row.dataset.track) : undefined;
}

function rowParts(): RowParts {
  const name = rendered(html`<span class="timeline-thread"></span>`);
  const ids = rendered(html`<span class="timeline-ids"></span>`);
  const part = rendered(html`<div class="timeline-share" role="gridcell"></div>`);
  const row = rendered(html`
    <div class="timeline-row" role="row"><div class="timeline-name" role="rowheader">${name}${ids}</div>${part}</div>`);
  return { row, name, ids, share: part, filled: undefined };
}

function fill({ row, name, ids, share: part }: RowParts, { index, top, loaded, selected, underCursor }: NamedRow) {
  row.hidden = false;
  row.id = rowId(index);
  row.dataset.track = String(index);
  row.setAttribute('aria-rowindex', String(index + 2));
  row.classList.toggle('unselected', selected === false);
  row.classList.toggle('cursor', underCursor);
  if (selected === undefined) row.removeAttribute('aria-selected');
  else row.setAttribute('aria-selected', String(selected));
  row.style.transform = `translateY(${top}px)`;
  const track = loaded?.track;
  name.textContent = loaded ? nameOf(loaded) : '…';
  ids.textContent = track && track.tid !== 0 ? `${track.pid}/${track.tid}` : '';
  part.textContent = loaded ? shareOf(loaded) : '';
  row.title = loaded ? titleOf(loaded) : '';
}

export function trackName({ tid, thread, process }: Pick<Track, 'tid' | 'thread' | 'process'>): string {
  if (tid === 0) return l10n.t('All threads');
  return visibleText(thread || process, 200) || l10n.t('Thread {0}', tid);
}

const nameOf = ({ track, timeline }: LoadedTrack): string =>
  timeline.memory ? l10n.t('Memory in use') : trackName(track);

/** Of a thread its share; of memory the peak. */
function shareOf({ track, timeline, measure }: LoadedTrack): string {
  const peak = timeline.memory && highestPeak(timeline.memory);
  if (peak) return l10n.t('peak {0}', valueText(peak.peakBytes, 'bytes'));
  return track.tid === 0 ? '' : percentText(share(amountOf(track, measure), amountOf(timeline.all, measure)));
}

function titleOf({ track, timeline, measure }: LoadedTrack): string {
  const isCpu = !measure || measure.family === 'cpu';
  const amount = isCpu ? samplesText(track.samples) : valueText(track.value, measure.unit);
  if (timeline.memory) return l10n.t('Memory in use by all processes together');
  if (track.tid === 0) return amount;
  const process = l10n.t('process {0} ({1})', visibleText(track.process, 200), track.pid);
  return [`${trackName(track)} (${track.tid})`, process, amount].join(' · ');
}
