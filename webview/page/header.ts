// The head of the page: what is shown, when and how it was recorded, and what the user should know about it. A comparison
// begins with the verdict of the whole.
import { verdictWords } from '../../core/changeText.ts';
import type { ShowMessage, ShownRun } from '../../core/webviewMessages.ts';
import { comparisonFacts } from './comparisonFacts.ts';
import { element, icon, icons } from './elements.ts';
import { repeatsChart } from './repeatsChart.ts';
import { repeatsTable } from './repeatsTable.ts';

export function headerOf(show: ShowMessage): HTMLElement {
  const { subject, title, runs, problems, comparison, executions = [] } = show;
  const words = element('div', { class: 'header-words' });
  if (comparison?.sentence) words.append(verdictOf(comparison.verdict, comparison.sentence));
  words.append(
    element(comparison?.sentence ? 'p' : 'h1', { class: comparison?.sentence ? 'subtitle' : 'title' }, title),
  );
  if (subject === 'run') for (const run of runs) words.append(factsOf(run));
  else words.append(element('div', { class: 'sides' }, ...runs.map((run, i) => sideOf(run, i === 0 ? 'base' : 'new'))));
  if (problems.length > 0) words.append(problemsOf(problems));
  if (executions.length > 0) words.append(repeatsTable(executions));
  const header = element('header', { class: 'header' }, words);
  if (!comparison) return header;
  const facts = comparisonFacts(comparison);
  if (facts) words.append(facts);
  const chart = repeatsChart(comparison);
  if (chart) header.append(chart);
  return header;
}

function verdictOf(verdict: number, sentence: string): HTMLElement {
  const glyph = verdictWords[verdict]?.glyph ?? '';
  const mark = element('span', { class: 'verdict-mark', 'data-verdict': verdict, 'aria-hidden': 'true' }, glyph);
  return element('h1', { class: 'title' }, mark, sentence);
}

const factsOf = (run: ShownRun): HTMLElement =>
  element('ul', { class: 'facts' }, ...run.facts.map((fact) => element('li', {}, fact)));

const sideOf = (run: ShownRun, side: 'base' | 'new'): HTMLElement =>
  element(
    'div',
    { class: `side side-${side}` },
    // The verdict speaks of A and B.
    element('span', { class: 'side-label' }, side === 'base' ? 'A base' : 'B new'),
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
