// Buttons of the toolbar, from vscode-elements, with our own icons.
import '@vscode-elements/elements/dist/vscode-toolbar-button/index.js';
import type { VscodeToolbarButton } from '@vscode-elements/elements/dist/vscode-toolbar-button/index.js';
import { element } from './elements.ts';

export function toolbarButton(label: string, face: Node | string, pressed: () => void): VscodeToolbarButton {
  const button: VscodeToolbarButton = document.createElement('vscode-toolbar-button');
  button.label = label;
  button.title = label;
  button.append(face);
  button.addEventListener('click', pressed);
  return button;
}

/** A button that stays down; `changed` is called after it went down or up. */
export function toggleButton(label: string, face: Node | string, changed: () => void): VscodeToolbarButton {
  const button = toolbarButton(label, face, () => {});
  button.toggleable = true;
  button.addEventListener('change', changed);
  return button;
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly face: Node | string;
}

/** Buttons of which exactly one is down. */
export class Choices<T extends string> {
  readonly element: HTMLElement;
  readonly #buttons = new Map<T, VscodeToolbarButton>();

  constructor(label: string, choices: readonly Choice<T>[], chosen: (value: T) => void) {
    this.element = element('div', { class: 'choices', role: 'group', 'aria-label': label });
    for (const { value, label: hint, face } of choices) {
      const button = toggleButton(hint, face, () => {
        this.show(value);
        chosen(value);
      });
      this.#buttons.set(value, button);
      this.element.append(button);
    }
  }

  show(chosen: T) {
    for (const [value, button] of this.#buttons) button.checked = value === chosen;
  }
}
