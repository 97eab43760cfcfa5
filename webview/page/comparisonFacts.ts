// How a comparison was made and what differs between its sides: method, facts of both, commits between. Folded until
// someone wants it; the fold says how much there is.
import type { ShownComparison } from '../../core/comparisonMessages.ts';
import { element } from './elements.ts';

/** Undefined when there is nothing to tell. */
export function comparisonFacts({ method, facts, commits }: ShownComparison): HTMLElement | undefined {
  if (facts.length === 0 && commits.length === 0 && method.length === 0) return undefined;
  const differing = facts.filter(({ differs }) => differs);
  const parts = [
    differing.length > 0 ? `differs in ${differing.map(({ what }) => what).join(', ')}` : '',
    commits.length > 0 ? `${commits.length} ${commits.length === 1 ? 'commit' : 'commits'} between` : '',
  ].filter(Boolean);
  const summary = element('summary', {}, ['How this was compared', ...parts].join(' · '));
  const details = element('details', { class: 'comparison-facts' }, summary);
  for (const sentence of method) details.append(element('p', {}, sentence));
  if (facts.length > 0) details.append(factsTable([...differing, ...facts.filter(({ differs }) => !differs)]));
  if (commits.length > 0) {
    const list = element('ol', { class: 'commits' }, ...commits.map((commit) => element('li', {}, commit)));
    details.append(element('h2', { class: 'facts-title' }, 'Commits of the new side that the base has not'), list);
  }
  return details;
}

function factsTable(facts: ShownComparison['facts']): HTMLElement {
  const head = element(
    'tr',
    {},
    element('td', {}),
    element('td', {}),
    ...['base', 'new'].map((side) => element('th', { scope: 'col' }, side)),
  );
  const rows = facts.map(({ what, base, new: later, differs }) =>
    element(
      'tr',
      { class: differs ? 'differs' : '' },
      element('td', { class: 'differs-mark', title: differs ? 'differs' : 'the same' }, differs ? '≠' : '='),
      element('th', { scope: 'row' }, what),
      element('td', {}, base || '–'),
      element('td', {}, later || '–'),
    ),
  );
  return element('table', { class: 'facts-table' }, element('thead', {}, head), element('tbody', {}, ...rows));
}
