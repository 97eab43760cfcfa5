// Which measure a run's page shows, in its head: said where it is not the usual one, as in the status bar.
import * as l10n from '@vscode/l10n';
import { html } from 'lit';
import { hasChoice, measureNames } from '../../core/measureText.ts';
import type { ShowMessage } from '../../core/webviewMessages.ts';
import { rendered } from './rendered.ts';

export class MeasureMark {
  readonly element = rendered(html`<span class="measure-mark" role="status" hidden></span>`);
  readonly #show: ShowMessage;

  /** `value`: index into the run's values, as in `tell`. */
  constructor(show: ShowMessage, value: number) {
    this.#show = show;
    this.tell(value);
  }

  /** Index into the run's values. */
  tell(value: number) {
    const { subject, values, defaultValue } = this.#show;
    const isUsual = subject !== 'run' || value === defaultValue || !hasChoice(values);
    const text = isUsual ? '' : l10n.t('Measure: {0}', measureNames(values)[value] ?? '');
    this.element.hidden = isUsual;
    this.element.textContent = text;
    this.element.title = text;
  }
}
