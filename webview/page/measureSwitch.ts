// The switch for what is measured, in the head of the page: a button for each measure of the run, a menu for those that say less of
// the same events, and what another recording could measure besides, with how. More than a few measures are a list.
import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { asEditorWords, commandIn } from '../../core/advisedCommands.ts';
import {
  hasChoice,
  hasShortName,
  measureName,
  measureNames,
  type ShownMeasure,
  shortMeasureName,
  shortMeasureNames,
} from '../../core/measureText.ts';
import { isRecordable, type RecordableMeasure } from '../../core/recordedKinds.ts';
import type { ShowMessage, UnrecordedMeasure } from '../../core/webviewMessages.ts';
import { adviceOf } from './advice.ts';
import { openContextMenu } from './contextMenu.ts';
import { rendered } from './rendered.ts';
import { select } from './select.ts';
import { type Choice, Choices, toggleButton } from './toolbarButtons.ts';

const BUTTONS_MAX = 5;

export interface MeasureSwitchEvents {
  /** The user chose a measure, by its index. */
  chosen(measure: number): void;
  /** The user wants what the run lacks. */
  recordWith(measure: RecordableMeasure): void;
}

export class MeasureSwitch {
  readonly element: HTMLElement = rendered(html`<div class="measure-switch"></div>`);
  readonly #measures: readonly ShownMeasure[];
  readonly #events: MeasureSwitchEvents;
  readonly #canRecord: boolean;
  readonly #advice = rendered(html`<span class="measure-advice" role="status"></span>`);
  readonly #status = rendered(html`<span class="unseen" role="status"></span>`);
  #showChoice: (measure: number) => void = () => {};

  /** `value`: which of a run's measures is shown. */
  constructor(show: ShowMessage, value: number, events: MeasureSwitchEvents) {
    this.#events = events;
    this.#canRecord = !show.isGrowing; // one recording at a time
    const isRun = show.subject === 'run';
    this.#measures = isRun ? show.values : (show.comparedMeasures ?? []);
    const unrecorded = isRun ? (show.unrecorded ?? []) : [];
    this.element.hidden = !hasChoice(this.#measures) && unrecorded.length === 0;
    if (this.element.hidden) return;
    const main = this.#measures.flatMap(({ isDetail }, at) => (isDetail ? [] : [at]));
    const isLong = main.length > BUTTONS_MAX && !main.every((at) => hasShortName(this.#measures[at]!));
    const absent = unrecorded.map((one) => this.#absent(one));
    const parts = isLong ? [this.#list(value), ...absent] : this.#buttons(main, absent);
    render([...parts, this.#advice, this.#status], this.element);
    this.#showChoice(isRun ? value : (show.comparedMeasure ?? -1));
  }

  /** Another one is shown now. */
  show(measure: number) {
    this.#showChoice(measure);
    render(nothing, this.#advice);
    this.#status.textContent = l10n.t('Measure: {0}', measureNames(this.#measures)[measure] ?? '');
  }

  #list(value: number) {
    const options = measureNames(this.#measures).map((label, at) => ({ value: String(at), label }));
    const list = rendered<HTMLElement & { value: string }>(
      select(l10n.t('What is measured'), options, String(value), (at) => this.#events.chosen(Number(at))),
    );
    this.#showChoice = (measure) => {
      list.value = String(measure);
    };
    return list;
  }

  #buttons(main: readonly number[], absent: readonly TemplateResult[]) {
    const faces = shortMeasureNames(main.map((at) => this.#measures[at]!));
    const names = measureNames(this.#measures);
    const choices = new Choices<string>(
      l10n.t('What is measured'),
      main.map((at, index): Choice<string> => {
        const { family } = this.#measures[at]!;
        const face = html`<span class="measure-dot" data-family=${family} aria-hidden="true"></span>${faces[index]}`;
        return { value: String(at), label: names[at]!, face };
      }),
      (at) => this.#events.chosen(Number(at)),
    );
    const details = this.#measures.flatMap(({ isDetail }, at) => (isDetail ? [at] : []));
    const more = details.length > 0 ? this.#more(details, names) : undefined;
    this.#showChoice = (measure) => {
      choices.show(String(measure));
      more?.show(measure);
    };
    return [choices.element, ...absent, ...(more ? [more.element] : [])];
  }

  /** Counts of the same events: seldom wanted, so behind one button. */
  #more(details: readonly number[], names: readonly string[]) {
    let shown = -1;
    const face = rendered(html`<span></span>`);
    const button = toggleButton(l10n.t('More measures'), html`${face}`, () => {
      button.checked = details.includes(shown);
      const { left, bottom } = button.getBoundingClientRect();
      const items = details.map((at) => ({ label: names[at]!, keys: '', act: () => this.#events.chosen(at) }));
      openContextMenu(l10n.t('More measures'), { x: left, y: bottom }, [items]);
    });
    const show = (measure: number) => {
      shown = measure;
      button.checked = details.includes(measure);
      face.textContent = button.checked ? (names[measure] ?? '') : '…';
    };
    return { element: button, show };
  }

  /** It can be reached by keys although it shows nothing, so that its reason can be read. */
  #absent({ type, sentence }: UnrecordedMeasure) {
    const words = asEditorWords(sentence);
    const tell = () => render(html`${adviceOf(sentence)} ${this.#record(type, sentence)}`, this.#advice);
    return html`<button type="button" class="measure-absent" aria-disabled="true" title=${words}
      aria-label=${l10n.t('{0}: {1}', shortMeasureName({ type, unit: '' }), words)} @click=${tell}
      >${shortMeasureName({ type, unit: '' })}</button>`;
  }

  /** Nothing where it is not a matter of recording again: the functions must be chosen, or the permission is missing. */
  #record(type: string, sentence: string) {
    if (!this.#canRecord || !isRecordable(type) || commandIn(sentence)?.command === 'doctor') return nothing;
    return html`<button type="button" class="link-button" @click=${() => this.#events.recordWith(type)}
      >${l10n.t('Profile again with {0}', measureName({ type, unit: '' }))}</button>`;
  }
}
