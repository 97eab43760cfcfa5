// Who calls a function, heaviest first, as the engine has counted it. A choice shows the caller in graph and table.
import * as l10n from '@vscode/l10n';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { html, type TemplateResult } from 'lit';
import { visibleText } from '../../core/foreignText.ts';
import { percentText, samplesText, share, valueText } from '../../core/numbersAsText.ts';
import type { Counted } from '../../core/sampleCount.ts';
import type { CallersMessage, ShownCaller } from '../../core/webviewMessages.ts';
import { around, HOLE } from './around.ts';
import { rendered } from './rendered.ts';

export interface CallersOf {
  readonly compared: boolean;
  readonly counted: Counted;
}

/** Opens the list; it is taken away when it closes. */
export function openCallersDialog(
  message: CallersMessage,
  { compared, counted }: CallersOf,
  chosen: (caller: ShownCaller) => void,
) {
  const { callers } = message;
  const name = visibleText(message.function, 400);
  const choose = (caller: ShownCaller) => {
    dialog.close();
    chosen(caller);
  };
  const rows = callers.map(
    (caller) => html`
      <li><button type="button" title=${visibleText(`${caller.name}\n${caller.module}`, 2000)} @click=${() => choose(caller)}
        ><span class="elided-name">${visibleText(caller.name, 400)}</span
        ><span class="elided-figures">${compared ? changeOf(caller, message) : figuresOf(caller, message, counted)}</span></button></li>`,
  );
  const dialog: HTMLDialogElement = rendered(html`
    <dialog
      class="help elided callers"
      aria-label=${l10n.t('Callers')}
      @keydown=${(event: Event) => event.stopPropagation()}
      @close=${() => dialog.remove()}
    >
      <h3>${around(l10n.t('Callers of {0}', HOLE), html`<span class="callers-of">${name}</span>`)}</h3>
      ${callers.length > 0 ? html`<ul class="elided-list">${rows}</ul>` : html`<p>${l10n.t('It has no callers in this run.')}</p>`}
      <div class="help-foot"><vscode-button secondary @click=${() => dialog.close()}>${l10n.t('Close')}</vscode-button></div>
    </dialog>`);
  document.body.append(dialog);
  dialog.showModal();
}

/** What the function costs in both runs when this caller calls it. */
const changeOf = (caller: ShownCaller, { unit }: CallersMessage): TemplateResult =>
  html`${valueText(caller.value, unit)} → ${valueText(caller.newValue, unit)}`;

/** The same in one run, with its share of the run. */
function figuresOf(caller: ShownCaller, { unit, total }: CallersMessage, counted: Counted): TemplateResult {
  const figures = [valueText(caller.value, unit), samplesText(caller.samples, counted)].filter(Boolean);
  return html`${percentText(share(caller.value, total))} · ${figures.join(' · ')}`;
}
