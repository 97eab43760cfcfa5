// Buttons of the toolbar, from vscode-elements, with our own icons.
import '@vscode-elements/elements/dist/vscode-toolbar-button/index.js';
import type { VscodeToolbarButton } from '@vscode-elements/elements/dist/vscode-toolbar-button/index.js';
import { html, type TemplateResult } from 'lit';
import { rendered } from './rendered.ts';

type Face = TemplateResult | string;

export const toolbarButton = (label: string, face: Face, pressed: () => void): TemplateResult =>
  html`<vscode-toolbar-button label=${label} title=${label} @click=${pressed}>${face}</vscode-toolbar-button>`;

/** A button that stays down; `changed` is called after it went down or up. */
export const toggleButton = (label: string, face: Face, changed: () => void): VscodeToolbarButton =>
  rendered(
    html`<vscode-toolbar-button label=${label} title=${label} toggleable @change=${changed}>${face}</vscode-toolbar-button>`,
  );

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly face: Face;
}

/** Buttons of which exactly one is down. */
export class Choices<T extends string> {
  readonly element: HTMLElement;
  readonly #buttons: ReadonlyMap<T, VscodeToolbarButton>;

  constructor(label: string, choices: readonly Choice<T>[], chosen: (value: T) => void) {
    const buttonOf = ({ value, label: hint, face }: Choice<T>) =>
      toggleButton(hint, face, () => {
        this.show(value);
        chosen(value);
      });
    this.#buttons = new Map(choices.map((choice) => [choice.value, buttonOf(choice)]));
    this.element = rendered(
      html`<div class="choices" role="group" aria-label=${label}>${[...this.#buttons.values()]}</div>`,
    );
  }

  show(chosen: T) {
    for (const [value, button] of this.#buttons) button.checked = value === chosen;
  }
}
