// The frames that the chosen widths leave without a box: what is only in the base where widths are the new run's, and the
// other way round. One opens it from below the graph; a choice shows the frame in widths of both runs.
import * as l10n from '@vscode/l10n';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { html } from 'lit';
import { countText, valueText } from '../../core/numbersAsText.ts';
import type { FlameGraph } from '../content/flameGraph.ts';
import { nodeName, placeOf } from '../graph/describe.ts';
import { rendered } from './rendered.ts';

const LISTED_MAX = 500;

/** Opens the list; it is taken away when it closes. */
export function openElidedDialog(graph: FlameGraph, nodes: readonly number[], chosen: (node: number) => void) {
  const listed = nodes.slice(0, LISTED_MAX);
  const rest = nodes.length - listed.length;
  const notes = [
    rest > 0 ? l10n.t('and {0} smaller ones', countText(rest)) : '',
    graph.prunedNodes > 0 ? l10n.t('{0} tiny frames are folded into their callers', countText(graph.prunedNodes)) : '',
  ].filter(Boolean);
  const choose = (node: number) => {
    dialog.close();
    chosen(node);
  };
  const itemOf = (node: number) => {
    const base = valueText(graph.costs.total[node]!, graph.unit);
    const later = valueText(graph.newCosts?.total[node] ?? 0, graph.unit);
    return html`
      <li><button type="button" title=${placeOf(graph, node)} @click=${() => choose(node)}
        ><span class="elided-name">${nodeName(graph, node, 400)}</span
        ><span class="elided-figures">${`${base} → ${later}`}</span></button></li>`;
  };
  const dialog: HTMLDialogElement = rendered(html`
    <dialog
      class="help elided"
      aria-label=${l10n.t('Frames without a box')}
      @keydown=${(event: Event) => event.stopPropagation()}
      @close=${() => dialog.remove()}
    >
      <h3>${l10n.t('Frames that have no box with these widths')}</h3>
      <ul class="elided-list">${listed.map(itemOf)}</ul>
      <p class="elided-note">${notes.join('; ')}</p>
      <div class="help-foot"><vscode-button secondary @click=${() => dialog.close()}>${l10n.t('Close')}</vscode-button></div>
    </dialog>`);
  document.body.append(dialog);
  dialog.showModal();
}
