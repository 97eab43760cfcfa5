// The head of the page: what is shown, when and how it was recorded, and what the user should know about it.
import type { ShowMessage, ShownRun } from '../../core/webviewMessages.ts';
import { element, icon, icons } from './elements.ts';

export function headerOf({ subject, title, runs, problems }: ShowMessage): HTMLElement {
  const header = element('header', { class: 'header' });
  header.append(element('h1', { class: 'title' }, title));
  if (subject === 'run') for (const run of runs) header.append(factsOf(run));
  else
    header.append(element('div', { class: 'sides' }, ...runs.map((run, i) => sideOf(run, i === 0 ? 'base' : 'new'))));
  if (problems.length > 0) header.append(problemsOf(problems));
  return header;
}

const factsOf = (run: ShownRun): HTMLElement =>
  element('ul', { class: 'facts' }, ...run.facts.map((fact) => element('li', {}, fact)));

const sideOf = (run: ShownRun, side: 'base' | 'new'): HTMLElement =>
  element(
    'div',
    { class: `side side-${side}` },
    element('span', { class: 'side-label' }, side),
    element('span', { class: 'side-name' }, run.name),
    factsOf(run),
  );

/** One problem stands in full; several fold into a line that opens. */
function problemsOf(problems: readonly string[]): HTMLElement {
  const sentences = problems.map((problem) => element('li', {}, problem));
  if (problems.length === 1) {
    return element('div', { class: 'problems', role: 'note' }, icon(icons.warning), element('span', {}, problems[0]!));
  }
  const summary = element('summary', {}, icon(icons.warning), `${problems.length} things to know about these figures`);
  return element('details', { class: 'problems' }, summary, element('ul', {}, ...sentences));
}
