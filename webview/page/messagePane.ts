// A sentence in place of a view: loading, nothing recorded, what went wrong and what to do.
import '@vscode-elements/elements/dist/vscode-button/index.js';
import type { VscodeButton } from '@vscode-elements/elements/dist/vscode-button/index.js';
import { element } from './elements.ts';

export const loadingPane = (message: string): HTMLElement =>
  element(
    'div',
    { class: 'message', role: 'status' },
    element('div', { class: 'loading-bar' }),
    element('p', { class: 'message-text' }, message),
  );

export function failurePane(message: string, advice: string, retry?: () => void): HTMLElement {
  const pane = element('div', { class: 'message', role: 'alert' }, element('p', { class: 'message-text' }, message));
  for (const paragraph of advice.split('\n').filter((line) => line.trim() !== '')) {
    pane.append(element('p', { class: 'message-advice' }, paragraph));
  }
  if (retry) {
    const button: VscodeButton = document.createElement('vscode-button');
    button.textContent = 'Try Again';
    button.addEventListener('click', retry);
    pane.append(button);
  }
  return pane;
}
