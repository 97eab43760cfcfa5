// The head of the page: what is shown, when and how it was recorded, and what the user should know about it. A comparison
// begins with the verdict of the whole.
import { html, nothing, type TemplateResult } from 'lit';
import { verdictWords } from '../../core/changeText.ts';
import type { ShowMessage, ShownRun } from '../../core/webviewMessages.ts';
import { comparisonFacts } from './comparisonFacts.ts';
import { icon, icons } from './icons.ts';
import { repeatsChart } from './repeatsChart.ts';
import { repeatsTable } from './repeatsTable.ts';

export function headerOf({ subject, title, runs, problems, comparison, executions = [] }: ShowMessage): TemplateResult {
  const verdict = comparison?.sentence ? verdictOf(comparison.verdict, comparison.sentence) : nothing;
  return html`
    <header class="header">
      <div class="header-words">
        ${verdict}
        ${verdict === nothing ? html`<h1 class="title">${title}</h1>` : html`<p class="subtitle">${title}</p>`}
        ${subject === 'run' ? runs.map(factsOf) : html`<div class="sides">${runs.map(sideOf)}</div>`}
        ${problems.length > 0 ? problemsOf(problems) : nothing}
        ${executions.length > 0 ? repeatsTable(executions) : nothing}
        ${comparison ? comparisonFacts(comparison) : nothing}
      </div>
      ${comparison ? repeatsChart(comparison) : nothing}
    </header>`;
}

const verdictOf = (verdict: number, sentence: string) =>
  html`<h1 class="title"><span class="verdict-mark" data-verdict=${verdict} aria-hidden="true"
    >${verdictWords[verdict]?.glyph ?? ''}</span>${sentence}</h1>`;

const factsOf = ({ facts }: ShownRun) => html`<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`;

/** The verdict speaks of A and B. */
const sideOf = (run: ShownRun, at: number) => html`
  <div class="side side-${at === 0 ? 'base' : 'new'}">
    <span class="side-label">${at === 0 ? 'A base' : 'B new'}</span>
    <span class="side-name">${run.name}</span>
    ${factsOf(run)}
  </div>`;

/** One problem stands in full; several fold into a line that opens. */
const problemsOf = (problems: readonly string[]) =>
  problems.length === 1
    ? html`<div class="problems" role="note">${icon(icons.warning)}<span>${problems[0]}</span></div>`
    : html`
      <details class="problems">
        <summary>${icon(icons.warning)}${problems.length} things to know about these figures</summary>
        <ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul>
      </details>`;
