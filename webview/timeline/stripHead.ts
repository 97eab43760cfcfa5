// The line above the timeline: fold and unfold it, what its colours mean, the order of its tracks, all of the time.
import * as l10n from '@vscode/l10n';
import type { VscodeToolbarButton } from '@vscode-elements/elements/dist/vscode-toolbar-button/index.js';
import { html } from 'lit';
import { visibleText } from '../../core/foreignText.ts';
import { measureName, type ShownMeasure } from '../../core/measureText.ts';
import { samplesText } from '../../core/numbersAsText.ts';
import type { TrackOrder } from '../../core/selectionMessages.ts';
import { hasWaits, type Timeline } from '../content/timeline.ts';
import { icon, icons } from '../page/icons.ts';
import { rendered } from '../page/rendered.ts';
import { Choices, toggleButton, toolbarButton } from '../page/toolbarButtons.ts';
import type { TimelineLayout, TimelineState } from './timelineEvents.ts';

export interface HeadEvents {
  openChosen(open: boolean): void;
  orderChosen(order: TrackOrder): void;
  wholeWanted(): void;
  layoutChosen(layout: TimelineLayout): void;
}

export class StripHead {
  readonly element: HTMLElement;
  readonly #toggle: VscodeToolbarButton;
  readonly #tools: HTMLElement;
  readonly #legend: HTMLElement;
  readonly #code: readonly HTMLElement[];
  readonly #waits: readonly HTMLElement[];
  readonly #memory: HTMLElement;
  readonly #tinted = rendered(html`<span class="timeline-key tinted" hidden></span>`);
  readonly #note = rendered(html`<span class="timeline-note"></span>`);
  readonly #ofTracks: HTMLElement; // tools that the map has no use for
  #open: boolean;
  #layout: TimelineLayout;

  constructor({ open, order, layout }: TimelineState, events: HeadEvents) {
    this.#open = open;
    this.#layout = layout;
    const orders = new Choices<TrackOrder>(
      l10n.t('Order of the threads'),
      [
        { value: 'time', label: l10n.t('Threads with most samples first'), face: icon(icons.byTime) },
        { value: 'process', label: l10n.t('Threads by process'), face: icon(icons.byProcess) },
      ],
      (chosen) => events.orderChosen(chosen),
    );
    orders.show(order);
    this.#toggle = rendered(html`
      <vscode-toolbar-button class="timeline-toggle" @click=${() => {
        this.show(!this.#open);
        events.openChosen(this.#open);
      }}><span class="timeline-chevron">${icon(icons.open)}</span>${l10n.t('Timeline')}</vscode-toolbar-button>`);
    const key = (kind: string, text: string) => html`<span class="timeline-key ${kind}">${text}</span>`;
    this.#code = [
      rendered(key('own', l10n.t('own code'))),
      rendered(key('library', l10n.t('libraries'))),
      rendered(key('kernel', l10n.t('kernel'))),
    ];
    this.#memory = rendered(key('memory', l10n.t('memory in use, at most')));
    this.#waits = [rendered(key('queued', l10n.t('run queue'))), rendered(key('waiting', l10n.t('waiting')))];
    this.#legend = rendered(html`
      <div class="timeline-legend">
        ${this.#code}${this.#waits}${this.#memory}${this.#tinted}
      </div>`);
    this.#ofTracks = rendered(html`
      <div class="timeline-tools">${orders.element}${toolbarButton(
        l10n.t('Show all of the time (0)'),
        icon(icons.reset),
        () => events.wholeWanted(),
      )}</div>`);
    const map = toggleButton(l10n.t('Map of seconds'), icon(icons.seconds), () => {
      this.#layout = map.checked ? 'seconds' : 'tracks';
      this.show(this.#open);
      events.layoutChosen(this.#layout);
    });
    map.checked = layout === 'seconds';
    this.#tools = rendered(html`<div class="timeline-tools">${map}${this.#ofTracks}</div>`);
    this.element = rendered(
      html`<div class="timeline-head">${this.#toggle}${this.#legend}${this.#note}${this.#tools}</div>`,
    );
    this.show(open);
  }

  show(open: boolean) {
    this.#open = open;
    const label = open ? l10n.t('Hide Timeline') : l10n.t('Show Timeline');
    this.#toggle.label = label;
    this.#toggle.title = label;
    this.element.classList.toggle('folded', !open);
    this.#legend.hidden = !open || this.#layout === 'seconds';
    this.#ofTracks.hidden = this.#layout === 'seconds';
    this.#note.hidden = !open;
    this.#tools.hidden = !open;
  }

  /** The function whose samples are coloured; empty: none. */
  tellTinted(name: string) {
    this.#tinted.hidden = name === '';
    this.#tinted.textContent = visibleText(name, 60);
    this.#tinted.title = visibleText(name);
  }

  /** What its tracks have, and what they lack. */
  tellContent(timeline: Timeline, measure: ShownMeasure | undefined) {
    const { samplesWithoutTime: samples, shows } = timeline;
    const hasSamples = shows === 'samples' || shows === 'samplesForLackOfTimes';
    const without = hasSamples && samples > 0 ? l10n.t('{0} without a time are on no track', samplesText(samples)) : '';
    this.#note.textContent = shows === 'samplesForLackOfTimes' && measure ? lackOfTimes(measure) : without;
    this.#note.title = this.#note.textContent;
    for (const key of this.#code) key.hidden = !hasSamples;
    for (const key of this.#waits) key.hidden = !hasWaits(timeline);
    this.#memory.hidden = shows !== 'memory';
  }

  tellFailure(message: string) {
    this.#note.textContent = message;
  }
}

const lackOfTimes = (measure: ShownMeasure): string =>
  l10n.t('The run has no times for this measure ({0}), so the tracks show samples of CPU time.', measureName(measure));
