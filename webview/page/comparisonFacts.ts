// How a comparison was made and what differs between its sides: method, facts of both, commits between. Folded until
// someone wants it; the fold says how much there is.
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ShownComparison } from '../../core/comparisonMessages.ts';
import { adviceOf } from './advice.ts';
import { around, HOLE } from './around.ts';

/** Nothing when there is nothing to tell. */
export function comparisonFacts({
  method,
  facts,
  commits,
  sideNames,
}: ShownComparison): TemplateResult | typeof nothing {
  if (facts.length === 0 && commits.length === 0 && method.length === 0) return nothing;
  const differing = facts.filter(({ differs }) => differs);
  const parts = [
    differing.length > 0 ? l10n.t('differs in {0}', differing.map(({ what }) => what).join(', ')) : '',
    commits.length === 0
      ? ''
      : commits.length === 1
        ? l10n.t('{0} commit between', commits.length)
        : l10n.t('{0} commits between', commits.length),
  ];
  const title = l10n.t({
    message: 'How{0} this was compared',
    args: [HOLE],
    comment: ['A narrow page shows the words before {0} only'],
  });
  return html`
    <details class="comparison-facts">
      <summary>${around(title, '', (words, at) => (at === 0 ? words : html`<span class="summary-rest">${words}</span>`))}<span class="summary-more"
        >${parts.filter(Boolean).map((part) => ` · ${part}`)}</span></summary>
      ${method.map((sentence) => html`<p>${adviceOf(sentence)}</p>`)}
      ${facts.length > 0 ? factsTable([...differing, ...facts.filter(({ differs }) => !differs)], sideNames) : nothing}
      ${commits.length > 0 ? commitsOf(commits) : nothing}
    </details>`;
}

const commitsOf = (commits: readonly string[]) => html`
  <h2 class="facts-title">${l10n.t('Commits that only the new side has')}</h2>
  <ol class="commits">${commits.map((commit) => html`<li>${commit}</li>`)}</ol>`;

const factsTable = (
  facts: ShownComparison['facts'],
  [baseName = l10n.t('base'), newName = l10n.t('new')]: ShownComparison['sideNames'],
) => html`
  <table class="facts-table">
    <thead><tr><td></td><td></td><th scope="col">${baseName}</th><th scope="col">${newName}</th></tr></thead>
    <tbody>${facts.map(
      ({ what, base, new: later, differs }) => html`
        <tr class=${differs ? 'differs' : ''}>
          <td class="differs-mark" title=${differs ? l10n.t('differs') : l10n.t('the same')}>${differs ? '≠' : '='}</td>
          <th scope="row">${what}</th>
          <td>${base || '–'}</td>
          <td>${later || '–'}</td>
        </tr>`,
    )}</tbody>
  </table>`;
