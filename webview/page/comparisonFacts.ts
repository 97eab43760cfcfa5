// How a comparison was made and what differs between its sides: method, facts of both, commits between. Folded until
// someone wants it; the fold says how much there is.
import { html, nothing, type TemplateResult } from 'lit';
import type { ShownComparison } from '../../core/comparisonMessages.ts';

/** Nothing when there is nothing to tell. */
export function comparisonFacts({ method, facts, commits }: ShownComparison): TemplateResult | typeof nothing {
  if (facts.length === 0 && commits.length === 0 && method.length === 0) return nothing;
  const differing = facts.filter(({ differs }) => differs);
  const parts = [
    'How this was compared',
    differing.length > 0 ? `differs in ${differing.map(({ what }) => what).join(', ')}` : '',
    commits.length > 0 ? `${commits.length} ${commits.length === 1 ? 'commit' : 'commits'} between` : '',
  ];
  return html`
    <details class="comparison-facts">
      <summary>${parts.filter(Boolean).join(' · ')}</summary>
      ${method.map((sentence) => html`<p>${sentence}</p>`)}
      ${facts.length > 0 ? factsTable([...differing, ...facts.filter(({ differs }) => !differs)]) : nothing}
      ${commits.length > 0 ? commitsOf(commits) : nothing}
    </details>`;
}

const commitsOf = (commits: readonly string[]) => html`
  <h2 class="facts-title">Commits of the new side that the base has not</h2>
  <ol class="commits">${commits.map((commit) => html`<li>${commit}</li>`)}</ol>`;

const factsTable = (facts: ShownComparison['facts']) => html`
  <table class="facts-table">
    <thead><tr><td></td><td></td><th scope="col">base</th><th scope="col">new</th></tr></thead>
    <tbody>${facts.map(
      ({ what, base, new: later, differs }) => html`
        <tr class=${differs ? 'differs' : ''}>
          <td class="differs-mark" title=${differs ? 'differs' : 'the same'}>${differs ? '≠' : '='}</td>
          <th scope="row">${what}</th>
          <td>${base || '–'}</td>
          <td>${later || '–'}</td>
        </tr>`,
    )}</tbody>
  </table>`;
