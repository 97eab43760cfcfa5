// A sentence in place of a view: loading, nothing recorded, what went wrong and what to do.
import * as l10n from '@vscode/l10n';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { html, nothing } from 'lit';
import { adviceOf } from './advice.ts';
import { rendered } from './rendered.ts';

export const loadingPane = (message: string): HTMLElement =>
  rendered(html`
    <div class="message" role="status">
      <div class="loading-bar"></div>
      <p class="message-text">${message}</p>
    </div>`);

export function failurePane(message: string, advice: string, retry?: () => void): HTMLElement {
  const paragraphs = advice.split('\n').filter((line) => line.trim() !== '');
  return rendered(html`
    <div class="message" role="alert">
      <p class="message-text">${adviceOf(message)}</p>
      ${paragraphs.map((paragraph) => html`<p class="message-advice">${adviceOf(paragraph)}</p>`)}
      ${retry ? html`<vscode-button @click=${retry}>${l10n.t('Try Again')}</vscode-button>` : nothing}
    </div>`);
}
