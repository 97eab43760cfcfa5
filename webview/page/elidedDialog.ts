// The frames that the chosen widths leave without a box: what is only in the base where widths are the new run's, and the
// other way round. One opens it from below the graph; a choice shows the frame in widths of both runs.
import '@vscode-elements/elements/dist/vscode-button/index.js';
import type { VscodeButton } from '@vscode-elements/elements/dist/vscode-button/index.js';
import { countText, valueText } from '../../core/numbersAsText.ts';
import type { FlameGraph } from '../content/flameGraph.ts';
import { nodeName, placeOf } from '../graph/describe.ts';
import { element } from './elements.ts';

const LISTED_MAX = 500;

/** Opens the list; it is taken away when it closes. */
export function openElidedDialog(graph: FlameGraph, nodes: readonly number[], chosen: (node: number) => void) {
  const close: VscodeButton = document.createElement('vscode-button');
  close.textContent = 'Close';
  close.secondary = true;
  const items = nodes.slice(0, LISTED_MAX).map((node) => {
    const base = valueText(graph.costs.total[node]!, graph.unit);
    const later = valueText(graph.newCosts?.total[node] ?? 0, graph.unit);
    const button = element(
      'button',
      { type: 'button', title: placeOf(graph, node) },
      element('span', { class: 'elided-name' }, nodeName(graph, node, 400)),
      element('span', { class: 'elided-figures' }, `${base} → ${later}`),
    );
    button.addEventListener('click', () => {
      dialog.close();
      chosen(node);
    });
    return element('li', {}, button);
  });
  const rest = nodes.length - items.length;
  const notes = [
    rest > 0 ? `and ${countText(rest)} smaller ones` : '',
    graph.prunedNodes > 0 ? `${countText(graph.prunedNodes)} tiny frames are folded into their callers` : '',
  ].filter(Boolean);
  const dialog = element(
    'dialog',
    { class: 'help elided', 'aria-label': 'Frames without a box' },
    element('h3', {}, 'Frames that these widths leave without a box'),
    element('ul', { class: 'elided-list' }, ...items),
    element('p', { class: 'elided-note' }, notes.join('; ')),
    element('div', { class: 'help-foot' }, close),
  );
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
