// The axis above the tracks: round moments, grips at the ends of the selected ranges, the numbers of the executions, and the button
// that commits a preview.
import * as l10n from '@vscode/l10n';
import '@vscode-elements/elements/dist/vscode-toolbar-button/index.js';
import { html } from 'lit';
import { countText, momentText } from '../../core/numbersAsText.ts';
import type { ShownTimeRange } from '../../core/selectionMessages.ts';
import type { ExecutionMark } from '../content/timeline.ts';
import { icon, icons } from '../page/icons.ts';
import { rendered } from '../page/rendered.ts';
import { toolbarButton } from '../page/toolbarButtons.ts';
import { pixelOf, samePlot, type TimePlot, ticksOf } from './timeView.ts';

const NUMBER_ROOM = 26; // pixels that the number of an execution takes
const LABEL_ROOM = 50; // that the label of a moment takes
const BUTTON_WIDTH = 24;

export interface AxisScene {
  readonly plot: TimePlot;
  readonly ranges: readonly ShownTimeRange[];
  readonly preview: boolean;
  readonly executions: readonly ExecutionMark[];
}

export interface AxisEvents {
  commit(): void;
  executionChosen(number: number): void;
}

export class TimeAxis {
  /** Takes pointers as a track does. */
  readonly surface = rendered(html`<div class="timeline-axis-surface"></div>`);
  readonly #ticks = new Pool(() => rendered(html`<span class="timeline-tick" aria-hidden="true"></span>`));
  readonly #grips = new Pool(() => rendered(html`<span class="timeline-grip" aria-hidden="true"></span>`));
  readonly #numbers: Pool;
  readonly #commit: HTMLElement;
  #drawn: AxisScene | undefined;
  readonly element: HTMLElement;

  constructor(events: AxisEvents) {
    this.#numbers = new Pool(() => {
      const button = rendered(html`<button type="button" class="timeline-execution" tabindex="-1"></button>`);
      button.addEventListener('click', () => events.executionChosen(Number(button.dataset.number)));
      return button;
    });
    this.#commit = rendered(
      html`<span class="timeline-commit" hidden>${toolbarButton(
        l10n.t('Keep this selection (Enter)'),
        icon(icons.magnifier),
        () => events.commit(),
      )}</span>`,
    );
    this.element = rendered(
      html`<div class="timeline-axis">${this.#ticks.element}${this.surface}${this.#grips.element}${this.#numbers.element}${this.#commit}</div>`,
    );
  }

  /** Writes nothing when all is as it was drawn before. */
  draw(scene: AxisScene) {
    const { plot, ranges, preview, executions } = scene;
    if (this.#drawn && isSameScene(scene, this.#drawn)) return;
    this.#drawn = scene;
    const last = ranges.at(-1);
    const button =
      preview && last ? Math.max(0, Math.min(pixelOf(plot, last.toNs) + 4, plot.width - BUTTON_WIDTH)) : undefined;
    this.#commit.hidden = button === undefined;
    if (button !== undefined) place(this.#commit, button);
    const { ticks, stepNs } = ticksOf(plot);
    this.#ticks.show(ticks.length, (tick, i) => {
      const pixel = pixelOf(plot, ticks[i]!);
      const covered = button !== undefined && pixel > button - LABEL_ROOM && pixel < button + BUTTON_WIDTH;
      tick.textContent = momentText(ticks[i]!, stepNs, plot.view.toNs);
      tick.classList.toggle('bare', covered || pixel > plot.width - LABEL_ROOM);
      place(tick, pixel);
    });
    const ends = ranges.flatMap(({ fromNs, toNs }) => [fromNs, toNs]).map((ns) => pixelOf(plot, ns));
    const seen = ends.filter((pixel) => pixel >= -1 && pixel <= plot.width + 1);
    this.#grips.show(seen.length, (grip, i) => {
      grip.classList.toggle('preview', preview);
      place(grip, seen[i]!);
    });
    this.#drawNumbers(plot, executions);
  }

  /** As many as have room, the first of those that are too near to each other. */
  #drawNumbers(plot: TimePlot, executions: readonly ExecutionMark[]) {
    const shown: { readonly number: number; readonly pixel: number }[] = [];
    for (const { number, fromNs } of executions) {
      const pixel = pixelOf(plot, fromNs);
      const before = shown.at(-1)?.pixel ?? Number.NEGATIVE_INFINITY;
      if (number > 0 && pixel >= -1 && pixel < plot.width - 8 && pixel - before >= NUMBER_ROOM)
        shown.push({ number, pixel });
    }
    this.element.classList.toggle('with-executions', executions.length > 0);
    this.#numbers.show(shown.length, (button, i) => {
      const { number, pixel } = shown[i]!;
      const label = l10n.t('Select execution {0}', countText(number));
      button.dataset.number = String(number);
      button.textContent = countText(number);
      button.title = label;
      button.setAttribute('aria-label', label);
      place(button, pixel);
    });
  }
}

const isSameScene = (a: AxisScene, b: AxisScene): boolean =>
  samePlot(a.plot, b.plot) && a.ranges === b.ranges && a.preview === b.preview && a.executions === b.executions;

const place = (element: HTMLElement, pixel: number) => {
  element.style.transform = `translateX(${pixel.toFixed(1)}px)`;
};

/** Elements that are made once and shown again. */
class Pool {
  readonly element = rendered(html`<div class="timeline-pool"></div>`);
  readonly #make: () => HTMLElement;
  readonly #made: HTMLElement[] = [];

  constructor(make: () => HTMLElement) {
    this.#make = make;
  }

  show(count: number, fill: (element: HTMLElement, index: number) => void) {
    for (let i = 0; i < count; i++) {
      if (!this.#made[i]) {
        this.#made[i] = this.#make();
        this.element.append(this.#made[i]!);
      }
      this.#made[i]!.hidden = false;
      fill(this.#made[i]!, i);
    }
    for (let i = count; i < this.#made.length; i++) this.#made[i]!.hidden = true;
  }
}
