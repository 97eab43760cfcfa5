// A sentence in place of a view: loading, nothing recorded, what went wrong and what to do.
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { html, nothing } from 'lit';
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
      <p class="message-text">${message}</p>
      ${paragraphs.map((paragraph) => html`<p class="message-advice">${paragraph}</p>`)}
      ${retry ? html`<vscode-button @click=${retry}>Try Again</vscode-button>` : nothing}
    </div>`);
}
