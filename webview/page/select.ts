// A list to choose one of, from vscode-elements.
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import type { VscodeSingleSelect } from '@vscode-elements/elements/dist/vscode-single-select/index.js';
import { html } from 'lit';

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** `label` names the combobox inside. */
export const select = (
  label: string,
  options: readonly Option[],
  chosen: string,
  changed: (value: string) => void,
) => html`
  <vscode-single-select
    class="value-select"
    .label=${label}
    aria-label=${label}
    title=${label}
    @change=${(event: Event) => changed((event.currentTarget as VscodeSingleSelect).value)}
  >${options.map(
    ({ value, label: text }) =>
      html`<vscode-option value=${value} ?selected=${value === chosen}>${text}</vscode-option>`,
  )}</vscode-single-select>`;
