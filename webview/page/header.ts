// The head of the page: what is shown, when and how it was recorded, and what the user should know about it. A comparison
// begins with the verdict of the whole.
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { asEditorWords } from '../../core/advisedCommands.ts';
import { verdictGlyph } from '../../core/changeText.ts';
import type { ShowMessage, ShownRun } from '../../core/webviewMessages.ts';
import { adviceOf } from './advice.ts';
import { comparisonFacts } from './comparisonFacts.ts';
import { MeasureSwitch, type MeasureSwitchEvents } from './measureSwitch.ts';
import { ProblemsNote } from './problemsNote.ts';
import { repeatsChart } from './repeatsChart.ts';
import { repeatsTable } from './repeatsTable.ts';

/** What changes with the measure that is shown. */
export class MeasuredParts {
  readonly #switch: MeasureSwitch;
  readonly #problems: ProblemsNote;

  /** `value`: index into the run's values. */
  constructor(show: ShowMessage, value: number, events: MeasureSwitchEvents) {
    this.#switch = new MeasureSwitch(show, value, events);
    this.#problems = new ProblemsNote(show, value);
  }

  get elements() {
    return { measure: this.#switch.element, problems: this.#problems.element };
  }

  show(value: number) {
    this.#switch.show(value);
    this.#problems.show(value);
  }
}

export interface HeaderEvents {
  /** Where is the lock that the head speaks of? */
  lockWanted(): void;
}

/** At most three lines while nothing is unfolded: the graph needs the room. */
export function headerOf(show: ShowMessage, parts: MeasuredParts, events: HeaderEvents): TemplateResult {
  const { measure, problems } = parts.elements;
  const { subject, title, runs, values, comparison, wallTime = [], lockNote = '', executions = [] } = show;
  const verdict = comparison?.sentence ? verdictOf(comparison.verdict, comparison.sentence) : undefined;
  const sides = html`<div class="sides">${runs.map((run, at) => sideOf(run, at, comparison?.sideNames[at]))}</div>`;
  return html`
    <header class="header ${subject}">
      <div class="header-words">
        ${verdict ?? html`<h1 class="title" title=${title}>${title}</h1>`}
        ${subject === 'run' ? runs.map(factsOf) : sides}
        ${measure}
        <div class="header-notes">
          ${wallTime.length > 0 ? wallTimeOf(wallTime) : nothing}
          ${lockNote ? lockNoteOf(lockNote, events) : nothing}
          ${problems}
          ${executions.length > 0 ? repeatsTable(executions) : nothing}
          ${comparison ? comparisonFacts(comparison) : nothing}
        </div>
      </div>
      ${comparison ? repeatsChart(comparison, values[0]!) : nothing}
    </header>`;
}

const verdictOf = (verdict: number, sentence: string) =>
  html`<h1 class="title" title=${asEditorWords(sentence)}><span class="verdict-mark" data-verdict=${verdict} aria-hidden="true"
    >${verdictGlyph(verdict)}</span>${adviceOf(sentence)}</h1>`;

const factsOf = ({ facts }: ShownRun) =>
  html`<ul class="facts" title=${facts.join(' · ')}>${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`;

/** By the words that the verdict has for it. */
const sideOf = (run: ShownRun, at: number, name: string | undefined) => html`
  <div class="side side-${at === 0 ? 'base' : 'new'}">
    <span class="side-label">${name ?? (at === 0 ? l10n.t('base') : l10n.t('new'))}</span>
    <span class="side-name" title=${run.name}>${run.name}</span>
    ${factsOf(run)}
  </div>`;

/** A click leads to the line that held the lock, among what caused waits. */
const lockNoteOf = (sentence: string, events: HeaderEvents) => html`
  <button type="button" class="lock-note link-button" title=${sentence} @click=${() => events.lockWanted()}>${sentence}</button>`;

/** A click unfolds which thread it is of, all threads together, and those that were idle. */
const wallTimeOf = ([first, ...more]: readonly string[]) => {
  if (more.length === 0) return html`<div class="wall-time">${adviceOf(first!)}</div>`;
  return html`
    <details class="wall-time">
      <summary title=${[first, ...more].join('\n')}>${first}</summary>
      <ul>${more.map((line) => html`<li>${line}</li>`)}</ul>
    </details>`;
};
