// What the user should know about the figures of the measure that is shown; behind the same control, what concerns other measures only.
import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { asEditorWords } from '../../core/advisedCommands.ts';
import { capitalized, measureName } from '../../core/measureText.ts';
import type { ShowMessage } from '../../core/webviewMessages.ts';
import { adviceOf } from './advice.ts';
import { around, HOLE } from './around.ts';
import { icon, icons } from './icons.ts';
import { rendered } from './rendered.ts';

export class ProblemsNote {
  readonly element = rendered(html`<div class="problems-note"></div>`);
  readonly #show: ShowMessage;

  /** `value`: index into the run's values, as in `show`. */
  constructor(show: ShowMessage, value: number) {
    this.#show = show;
    this.show(value);
  }

  show(value: number) {
    const { problems, sampleProblems = [], measureProblems = [], values } = this.#show;
    const others = measureProblems.filter((of) => !of.values.includes(value));
    const hidden = new Set([
      ...(values[value]?.isComplete ? sampleProblems : []),
      ...others.flatMap((of) => of.problems),
    ]);
    const own = problems.filter((one) => !hidden.has(one));
    const ofOthers = others.flatMap((of) => {
      const main = values[of.values.find((at) => !values[at]?.isDetail) ?? of.values[0] ?? -1];
      const name = main ? capitalized(measureName(main)) : '';
      return of.problems.map((problem) => l10n.t('{0}: {1}', name, problem));
    });
    render(own.length + ofOthers.length > 0 ? noteOf(own, ofOthers) : nothing, this.element);
  }
}

/** One is shown as far as the line goes, several as their number; a click unfolds all. Without any, those of other measures are counted. */
function noteOf(own: readonly string[], ofOthers: readonly string[]): TemplateResult {
  const lines = own.length > 1 ? own : [];
  const isQuiet = own.length === 0;
  return html`
    <details class="problems">
      <summary class=${isQuiet ? 'problems-of-others' : ''} title=${[...own, ...ofOthers].map(asEditorWords).join('\n')}
        >${isQuiet ? nothing : icon(icons.warning)}<span class="problem-words">${headOf(own, ofOthers.length)}</span></summary>
      ${lines.length > 0 ? listOf(lines) : nothing}
      ${ofOthers.length > 0 && !isQuiet ? html`<p class="problems-of-others">${l10n.t('About other measures:')}</p>` : nothing}
      ${ofOthers.length > 0 ? listOf(ofOthers) : nothing}
    </details>`;
}

function headOf(own: readonly string[], ofOthers: number) {
  const counted = (sentence: string, count: number) =>
    around(sentence, count, (words) => html`<span class="summary-more">${words}</span>`);
  if (own.length === 1) return adviceOf(own[0]!);
  return own.length > 1
    ? counted(l10n.t('{0} things to know about these figures', HOLE), own.length)
    : counted(l10n.t('Notes on other measures: {0}', HOLE), ofOthers);
}

const listOf = (sentences: readonly string[]) =>
  html`<ul>${sentences.map((sentence) => html`<li>${adviceOf(sentence)}</li>`)}</ul>`;
