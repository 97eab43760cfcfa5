// The overlay that lists every key. A modal dialog: the browser keeps the focus inside and gives it back after.
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { html } from 'lit';
import { helpGroups } from '../graph/graphKeys.ts';
import { rendered } from './rendered.ts';

export function helpOverlay(compared: boolean): HTMLDialogElement {
  const dialog: HTMLDialogElement = rendered(html`
    <dialog class="help" aria-label="Keys and colours" @click=${closeOnBackdrop} @keydown=${keepKeys}>
      <div class="help-groups">
        ${helpGroups.map(
          ({ title, rows }) => html`
            <section>
              <h3>${title}</h3>
              ${rows.map(([keys, what]) => html`<div class="help-row"><kbd>${keys}</kbd><span>${what}</span></div>`)}
            </section>`,
        )}
        ${compared ? comparedLegend() : legend()}
      </div>
      <div class="help-foot"><vscode-button secondary @click=${() => dialog.close()}>Close</vscode-button></div>
    </dialog>`);
  return dialog;
}

function closeOnBackdrop(this: HTMLDialogElement, event: MouseEvent) {
  if (event.target === this) this.close();
}

function keepKeys(this: HTMLDialogElement, event: KeyboardEvent) {
  event.stopPropagation(); // the page's own keys mean nothing under the overlay
  if (event.key === '?') this.close();
}

const legendRow = (kind: string, text: string) =>
  html`<div class="help-row"><span class="swatch swatch-${kind}"></span><span>${text}</span></div>`;

const legend = () => html`
  <section>
    <h3>Colours</h3>
    ${legendRow('module', 'one hue a module, shades by function')}
    ${legendRow('inlined', 'paler, no gap above: inlined into its caller')}
    ${legendRow('kernel', 'kernel')}
    ${legendRow('folded', 'calls too narrow to draw; click zooms in')}
  </section>`;

const comparedLegend = () => html`
  <section>
    <h3>Colours and marks</h3>
    ${legendRow('more', '▲ costs more CPU time, + new')}
    ${legendRow('less', '▼ costs less CPU time, − gone')}
    ${legendRow('same', 'unchanged')}
    ${legendRow('few', 'not beyond noise, or too few samples to compare')}
    ${legendRow('mark', 'notch at the foot: where the base’s part ends')}
  </section>`;
