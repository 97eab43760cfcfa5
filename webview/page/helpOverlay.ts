// The overlay that lists every key. A modal dialog: the browser keeps the focus inside and gives it back after.
import * as l10n from '@vscode/l10n';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { html } from 'lit';
import { helpGroups } from './helpGroups.ts';
import { rendered } from './rendered.ts';

export function helpOverlay(compared: boolean): HTMLDialogElement {
  const dialog: HTMLDialogElement = rendered(html`
    <dialog class="help" aria-label=${l10n.t('Keys and colours')} @click=${closeOnBackdrop} @keydown=${keepKeys}>
      <div class="help-groups">
        ${helpGroups(compared ? 'comparison' : 'run').map(
          ({ title, rows }) => html`
            <section>
              <h3>${title}</h3>
              ${rows.map(([keys, what]) => html`<div class="help-row"><kbd>${keys}</kbd><span>${what}</span></div>`)}
            </section>`,
        )}
        ${compared ? comparedLegend() : legend()}
      </div>
      <div class="help-foot"><vscode-button secondary @click=${() => dialog.close()}>${l10n.t('Close')}</vscode-button></div>
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
    <h3>${l10n.t('Colours')}</h3>
    ${legendRow('module', l10n.t('one hue a module, shades by function'))}
    ${legendRow('inlined', l10n.t('paler, no gap above: inlined into its caller'))}
    ${legendRow('kernel', l10n.t('kernel'))}
    ${legendRow('folded', l10n.t('calls too narrow to draw; click zooms in'))}
  </section>`;

const comparedLegend = () => html`
  <section>
    <h3>${l10n.t('Colours and marks')}</h3>
    ${legendRow('more', l10n.t('▲ costs more CPU time, + new'))}
    ${legendRow('less', l10n.t('▼ costs less CPU time, − gone'))}
    ${legendRow('same', l10n.t('unchanged'))}
    ${legendRow('few', l10n.t('not beyond noise, or too few samples to compare'))}
    ${legendRow('mark', l10n.t('notch at the foot: where the base’s part ends'))}
  </section>`;
