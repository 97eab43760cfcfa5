// The tab of waits: the same time by the line that waited, or by what caused the waits.
import * as l10n from '@vscode/l10n';
import { html, render } from 'lit';
import { adviceOf } from './advice.ts';
import { rendered } from './rendered.ts';
import { Choices } from './toolbarButtons.ts';
import type { WaitsBy } from './viewState.ts';

export class WaitsTab {
  readonly element: HTMLElement;
  readonly #stages: Readonly<Record<WaitsBy, HTMLElement>>;
  readonly #choices: Choices<WaitsBy>;
  readonly #lack = rendered(html`<span class="waits-lack" hidden></span>`);
  #by: WaitsBy = 'line';

  constructor(stages: Readonly<Record<WaitsBy, HTMLElement>>, by: WaitsBy, chosen: (by: WaitsBy) => void) {
    this.#stages = stages;
    this.#choices = new Choices<WaitsBy>(
      l10n.t('Waits by'),
      [
        { value: 'line', label: l10n.t('Show waits by the line that waited'), face: l10n.t('By waiting line') },
        {
          value: 'cause',
          label: l10n.t('Show waits by the line that held the lock or ended the wait'),
          face: l10n.t('By cause'),
        },
      ],
      (wanted) => {
        this.show(wanted);
        chosen(wanted);
      },
    );
    this.element = rendered(html`
      <div class="waits-tab">
        <div class="waits-by">${this.#choices.element}${this.#lack}</div>
        ${stages.line}${stages.cause}
      </div>`);
    this.show(by);
  }

  show(by: WaitsBy) {
    this.#by = by;
    this.#choices.show(by);
    for (const [name, stage] of Object.entries(this.#stages)) stage.hidden = name !== by;
    this.#showLack();
  }

  /** A sentence on what else can be recorded to know more causes; empty: nothing. */
  tellLack(sentence: string) {
    render(adviceOf(sentence), this.#lack);
    this.#showLack();
  }

  #showLack() {
    this.#lack.hidden = this.#by !== 'cause' || this.#lack.textContent === '';
  }
}
