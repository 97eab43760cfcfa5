// What explains the difference of two runs: functions by what they contribute, new, gone, moved and changed ones apart,
// each with the lines of its source in both texts. A click on a function selects it, one on a line opens it.
import * as l10n from '@vscode/l10n';
import { html, nothing, render } from 'lit';
import {
  changeText,
  intervalText,
  isSignificant,
  isSlowness,
  perText,
  qText,
  Verdict,
  verdictGlyph,
  verdictText,
} from '../../core/changeText.ts';
import type { ExplainedFunction, ExplainedLine, ShownExplanation } from '../../core/comparisonMessages.ts';
import { measureName, type ShownMeasure } from '../../core/measureText.ts';
import { difference, isTime, share, valueChangeText, valueText } from '../../core/numbersAsText.ts';
import type { ShowMessage } from '../../core/webviewMessages.ts';
import type { Host } from './host.ts';
import { failurePane, loadingPane } from './messagePane.ts';
import { rendered } from './rendered.ts';

const OPEN_FIRST = 3; // functions whose lines are shown at once
/** Churn is told beside the net change where that is less of it. */
const NET_OF_CHURN = 0.83;

export interface ExplainEvents {
  /** The explanation is to be asked for: it takes the engine a moment. */
  wanted(): void;
  /** The function with this row in the table of compared functions. */
  selected(row: number, name: string): void;
  open(index: number, line: number, aside: boolean): void;
}

/** What is compared. */
export interface Compared {
  readonly measure: ShownMeasure;
  readonly per: string;
}

interface Group {
  readonly title: string;
  readonly members: readonly ExplainedFunction[];
}

const NOISE = l10n.t('Not beyond noise');
/** `other`: of values that are no time. */
interface GroupKind {
  readonly title: string;
  readonly other?: string;
  readonly has: (verdict: number) => boolean;
}
const GROUPS: readonly GroupKind[] = [
  { title: l10n.t('Slower'), other: l10n.t('More'), has: (verdict) => verdict === Verdict.slower },
  { title: l10n.t('Faster'), other: l10n.t('Less'), has: (verdict) => verdict === Verdict.faster },
  { title: l10n.t('New'), has: (verdict) => verdict === Verdict.new },
  { title: l10n.t('Gone'), has: (verdict) => verdict === Verdict.gone },
  { title: l10n.t('Moved'), has: (verdict) => verdict === Verdict.moved },
  { title: NOISE, has: (verdict) => !isSignificant(verdict) && verdict !== Verdict.moved },
];

/** A pane that asks the host; undefined: no comparison is shown. `selected`: a row of the compared functions, by its name; `opened`: a source was asked for. */
export const explainPaneOf = (
  { comparison, values: [measure] }: ShowMessage,
  host: Host,
  events: { selected(row: number, name: string): void; opened(): void },
): ExplainPane | undefined =>
  comparison &&
  measure &&
  new ExplainPane(
    { per: comparison.per, measure },
    {
      wanted: () => host.send({ type: 'explain' }),
      selected: (row, name) => events.selected(row, name),
      open: (index, line, aside) => {
        events.opened();
        host.send({ type: 'openExplained', index, line, aside });
      },
    },
  );

export class ExplainPane {
  readonly element = rendered(
    html`<div class="explain-scroller" tabindex="0" role="region" aria-label=${l10n.t('Explanation')}></div>`,
  );
  readonly #events: ExplainEvents;
  readonly #compared: Compared;
  readonly #unit: string;
  #isRequested = false;

  constructor(compared: Compared, events: ExplainEvents) {
    this.#compared = compared;
    this.#unit = compared.measure.unit;
    this.#events = events;
    this.#showLoading();
  }

  /** Asks once; again after a failure. */
  request() {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.#showLoading();
    this.#events.wanted();
  }

  #showLoading() {
    render(loadingPane(l10n.t('Looking for what explains the difference…')), this.element);
  }

  showFailure(message: string, advice: string) {
    this.#isRequested = false;
    render(failurePane(message, advice), this.element);
  }

  show({ netChange, churn, functions }: ShownExplanation) {
    const { measure, per } = this.#compared;
    const unit = this.#unit;
    const what = perText(per, measureName(measure));
    const sentences = [l10n.t('In all {0} of {1}.', valueChangeText(netChange, unit), what)];
    if (churn > 0 && share(Math.abs(netChange), churn) < NET_OF_CHURN)
      sentences.push(
        l10n.t(
          'Part of the changes cancels out: those of all functions, up and down, add up to {0}.',
          valueText(churn, unit),
        ),
      );
    if (functions.length === 0) sentences.push(l10n.t('There is no function at this place.'));
    const rank = (group: Group) => (group.title === NOISE ? functions.length : functions.indexOf(group.members[0]!));
    const groups = GROUPS.map(({ title, other, has }) => ({
      title: isSlowness({ unit, per }) ? title : (other ?? title),
      members: functions.filter(({ verdict }) => has(verdict)),
    }))
      .filter(({ members }) => members.length > 0)
      // By the largest contribution in it, which the engine's order has first; noise is the last.
      .sort((a, b) => rank(a) - rank(b));
    const groupOf = ({ title, members }: Group) => html`
      <section class="explain-group">
        <h2>${title}</h2>
        <ol>${members.map((one) => this.#functionOf(one, functions.indexOf(one)))}</ol>
      </section>`;
    render(html`<p class="explain-whole">${sentences.join(' ')}</p>${groups.map(groupOf)}`, this.element);
  }

  #functionOf(one: ExplainedFunction, index: number) {
    const unit = this.#unit;
    const select = () => this.#events.selected(one.row, one.name);
    const open = (event: MouseEvent) => this.#events.open(index, 0, event.altKey);
    const interval = intervalText(one.low, one.high);
    const facts = [
      l10n.t('{0} → {1} self', valueText(one.baseSelf, unit), valueText(one.newSelf, unit)),
      changeText(one),
      interval && `95 % interval ${interval}`,
      qText(one.q),
      one.note,
    ];
    const place = html`<button type="button" class="explain-place" title=${l10n.t('Open the source')} @click=${open}>${one.place}</button>`;
    return html`
      <li>
        <div class="explain-head">
          <span class="verdict-mark" data-verdict=${one.verdict} role="img" aria-label=${verdictText(one.verdict, { unit, per: this.#compared.per })}
            >${verdictGlyph(one.verdict)}</span>
          <span class="explain-contribution" title=${isTime(unit) ? l10n.t('New minus base, self time') : l10n.t('New minus base, self')}
            >${valueChangeText(difference(one.baseSelf, one.newSelf), unit)}</span>
          <button type="button" class="explain-name" title=${l10n.t('Select it in graph and table')} @click=${select}
            >${one.name}</button>
          ${one.place ? place : nothing}
        </div>
        <div class="explain-facts">${facts.filter(Boolean).join(' · ')}</div>
        ${one.lines.length > 0 ? this.#linesOf(one, index) : nothing}
      </li>`;
  }

  #linesOf({ lines }: ExplainedFunction, index: number) {
    const changed = lines.filter(({ baseLine, newLine }) => baseLine === 0 || newLine === 0).length;
    const words = changed > 0 ? lineCountText(changed) : l10n.t('source, same text');
    return html`
      <details ?open=${index < OPEN_FIRST}>
        <summary>${words}</summary>
        <div class="explain-lines" role="list">${lines.map((line) => this.#lineOf(line, index))}</div>
      </details>`;
  }

  /** No blanks between the cells: a line is as long as its text. */
  #lineOf(line: ExplainedLine, index: number) {
    const { baseLine, newLine, text, baseSelf, newSelf } = line;
    const [sign, what, spoken] = lineState(line);
    const cells = html`<span class="line-number">${baseLine > 0 ? baseLine : ''}</span
      ><span class="line-number">${newLine > 0 ? newLine : ''}</span
      ><span class="line-sign" role="img" aria-label=${spoken}>${sign}</span
      ><code>${text}</code
      ><span class="line-cost">${baseSelf > 0 || newSelf > 0 ? lineCost(line, this.#unit) : ''}</span>`;
    const className = `explain-line line-${what}`;
    if (newLine === 0) return html`<div class=${className} role="listitem">${cells}</div>`;
    const open = (event: MouseEvent) => this.#events.open(index, newLine, event.altKey);
    return html`<div role="listitem"><button type="button" class=${className} title=${l10n.t('Open line {0}', newLine)} @click=${open}
      >${cells}</button></div>`;
  }
}

const lineCountText = (changed: number): string =>
  changed === 1 ? l10n.t('source, {0} line changed', changed) : l10n.t('source, {0} lines changed', changed);

const lineState = ({ baseLine, newLine }: ExplainedLine): readonly [string, string, string] => {
  if (newLine === 0) return ['−', 'gone', l10n.t('gone')];
  return baseLine === 0 ? ['+', 'added', l10n.t('added')] : [' ', 'same', l10n.t('same')];
};

function lineCost({ baseSelf, newSelf, verdict }: ExplainedLine, unit: string): string {
  const glyph = isSignificant(verdict) ? `${verdictGlyph(verdict)} ` : '';
  return `${glyph}${valueText(baseSelf, unit)} → ${valueText(newSelf, unit)}`;
}
