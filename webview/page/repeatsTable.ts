// The runs of a command that was run several times, as a table that unfolds.
import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { repeatHeads, type ShownRepeat } from '../../core/webviewMessages.ts';

export function repeatsTable(executions: readonly ShownRepeat[]): TemplateResult {
  const warmUps = executions.filter(({ warmUp }) => warmUp).length;
  const outliers = executions.filter(({ outlier }) => outlier).length;
  const summary = [
    l10n.t('{0} runs of the command', executions.length - warmUps),
    warmUps > 0 ? l10n.t('after {0} to warm up', warmUps) : '',
    outliers === 0 ? '' : outliers === 1 ? l10n.t('{0} outlier', outliers) : l10n.t('{0} outliers', outliers),
  ];
  return html`
    <details class="comparison-facts">
      <summary>${summary.filter(Boolean).join(' · ')}</summary>
      <table class="facts-table">
        <thead><tr>
          ${repeatHeads.map((text, at) => html`<th scope="col" class=${at === 0 ? '' : 'numeric'}>${text}</th>`)}<td></td>
        </tr></thead>
        <tbody>${executions.map(rowOf)}</tbody>
      </table>
    </details>`;
}

const rowOf = ({ cells: [number, ...figures], warmUp, outlier }: ShownRepeat) => html`
  <tr class=${outlier ? 'differs' : warmUp ? 'warm-up' : ''}>
    <th scope="row">${number}</th>
    ${figures.map((text) => html`<td class="numeric">${text}</td>`)}
    <td>${outlier ? l10n.t('◇ outlier') : ''}</td>
  </tr>`;
