// The runs of a command that was run several times, as a table that unfolds.
import { html, type TemplateResult } from 'lit';
import { repeatHeads, type ShownRepeat } from '../../core/webviewMessages.ts';

export function repeatsTable(executions: readonly ShownRepeat[]): TemplateResult {
  const warmUps = executions.filter(({ warmUp }) => warmUp).length;
  const outliers = executions.filter(({ outlier }) => outlier).length;
  const summary = [
    `${executions.length - warmUps} runs of the command`,
    warmUps > 0 ? `after ${warmUps} to warm up` : '',
    outliers > 0 ? `${outliers} ${outliers === 1 ? 'outlier' : 'outliers'}` : '',
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
    <td>${outlier ? '◇ outlier' : ''}</td>
  </tr>`;
