// The names beside the tracks: of ten thousand threads only the rows in view exist. Each says thread, numbers and share.
import * as l10n from '@vscode/l10n';
import { html } from 'lit';
import { visibleText } from '../../core/foreignText.ts';
import { percentText, samplesText, share } from '../../core/numbersAsText.ts';
import type { Track } from '../content/timeline.ts';
import { rendered } from '../page/rendered.ts';
import type { LoadedTrack } from './trackStore.ts';

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
}

export const rowId = (index: number): string => (index === ALL_TRACKS ? 'timeline-all' : `timeline-track-${index}`);

export class TrackRows {
  readonly element = rendered(html`<div class="timeline-rows" role="rowgroup"></div>`);
  readonly #pool: RowParts[] = [];

  /** Shows exactly these rows. */
  show(rows: readonly NamedRow[]) {
    rows.forEach((row, i) => {
      this.#pool[i] ??= this.#make();
      fill(this.#pool[i]!, row);
    });
    for (let i = rows.length; i < this.#pool.length; i++) this.#pool[i]!.row.hidden = true;
  }

  #make(): RowParts {
    const parts = rowParts();
    this.element.append(parts.row);
    return parts;
  }
}

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
  return { row, name, ids, share: part };
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
  const { track, timeline } = loaded ?? {};
  name.textContent = track ? trackName(track) : '…';
  ids.textContent = track && track.tid !== 0 ? `${track.pid}/${track.tid}` : '';
  part.textContent =
    track && timeline && track.tid !== 0 ? percentText(share(track.samples, timeline.all.samples)) : '';
  row.title = track ? titleOf(track) : '';
}

export function trackName({ tid, thread, process }: Track): string {
  if (tid === 0) return l10n.t('All threads');
  return visibleText(thread || process, 200) || l10n.t('Thread {0}', tid);
}

function titleOf(track: Track): string {
  if (track.tid === 0) return samplesText(track.samples);
  const process = l10n.t('process {0} ({1})', visibleText(track.process, 200), track.pid);
  return [`${trackName(track)} (${track.tid})`, process, samplesText(track.samples)].join(' · ');
}
