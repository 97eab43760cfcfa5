// What explains the difference of two runs: functions by what they contribute, new, gone, moved and changed ones apart,
// each with the lines of its source in both texts. A click on a function selects it, one on a line opens it.
import {
  changeText,
  contributionText,
  intervalText,
  isSignificant,
  perText,
  qText,
  Verdict,
  verdictWords,
} from '../../core/changeText.ts';
import type { ExplainedFunction, ExplainedLine, ShownExplanation } from '../../core/comparisonMessages.ts';
import { durationText, share, valueChangeText } from '../../core/numbersAsText.ts';
import { element } from './elements.ts';
import { failurePane, loadingPane } from './messagePane.ts';

const OPEN_FIRST = 3; // functions whose lines are shown at once
/** Churn is told beside the net change where that is less of it. */
const NET_OF_CHURN = 0.83;

export interface ExplainEvents {
  /** The function with this row in the table of compared functions. */
  selected(row: number, name: string): void;
  open(index: number, line: number, aside: boolean): void;
}

interface Group {
  readonly title: string;
  readonly members: readonly ExplainedFunction[];
}

const NOISE = 'Not beyond noise';
const GROUPS: readonly { readonly title: string; readonly has: (verdict: number) => boolean }[] = [
  { title: 'Slower', has: (verdict) => verdict === Verdict.slower },
  { title: 'Faster', has: (verdict) => verdict === Verdict.faster },
  { title: 'New', has: (verdict) => verdict === Verdict.new },
  { title: 'Gone', has: (verdict) => verdict === Verdict.gone },
  { title: 'Moved', has: (verdict) => verdict === Verdict.moved },
  { title: NOISE, has: (verdict) => !isSignificant(verdict) && verdict !== Verdict.moved },
];

export class ExplainPane {
  readonly element = element('div', {
    class: 'explain-scroller',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Explanation',
  });
  readonly #events: ExplainEvents;
  readonly #per: string;

  constructor(per: string, events: ExplainEvents) {
    this.#per = per;
    this.#events = events;
    this.showLoading();
  }

  showLoading() {
    this.element.replaceChildren(loadingPane('Looking for what explains the difference…'));
  }

  showFailure(message: string, advice: string) {
    this.element.replaceChildren(failurePane(message, advice));
  }

  show({ netChange, churn, functions }: ShownExplanation) {
    const sentences = [`In all ${valueChangeText(netChange, 'nanoseconds')} of ${perText(this.#per)}.`];
    if (churn > 0 && share(Math.abs(netChange), churn) < NET_OF_CHURN)
      sentences.push(
        `More moved than that: the changes of all functions, up and down, add up to ${durationText(churn)}.`,
      );
    if (functions.length === 0) sentences.push('No function can be named for it.');
    const rank = (group: Group) => (group.title === NOISE ? functions.length : functions.indexOf(group.members[0]!));
    const groups = GROUPS.map(({ title, has }) => ({ title, members: functions.filter(({ verdict }) => has(verdict)) }))
      .filter(({ members }) => members.length > 0)
      // By the largest contribution in it, which the engine's order has first; noise is the last.
      .sort((a, b) => rank(a) - rank(b));
    this.element.replaceChildren(
      element('p', { class: 'explain-whole' }, sentences.join(' ')),
      ...groups.map(({ title, members }) =>
        element(
          'section',
          { class: 'explain-group' },
          element('h2', {}, title),
          element('ol', {}, ...members.map((one) => this.#functionOf(one, functions.indexOf(one)))),
        ),
      ),
    );
  }

  #functionOf(one: ExplainedFunction, index: number): HTMLElement {
    const { glyph, text } = verdictWords[one.verdict]!;
    const name = element(
      'button',
      { type: 'button', class: 'explain-name', title: 'Select it in graph and table' },
      one.name,
    );
    name.addEventListener('click', () => this.#events.selected(one.row, one.name));
    const head = element(
      'div',
      { class: 'explain-head' },
      element('span', { class: 'verdict-mark', 'data-verdict': one.verdict, role: 'img', 'aria-label': text }, glyph),
      element(
        'span',
        { class: 'explain-contribution', title: 'Of the difference of both totals' },
        contributionText(one.contribution),
      ),
      name,
    );
    if (one.place) {
      const place = element('button', { type: 'button', class: 'explain-place', title: 'Open the source' }, one.place);
      place.addEventListener('click', (event) => this.#events.open(index, 0, event.altKey));
      head.append(place);
    }
    const interval = intervalText(one.low, one.high);
    const facts = [
      `${durationText(one.baseSelf)} → ${durationText(one.newSelf)} self`,
      changeText(one),
      interval && `95 % interval ${interval}`,
      qText(one.q),
      one.note,
    ].filter(Boolean);
    const item = element('li', {}, head, element('div', { class: 'explain-facts' }, facts.join(' · ')));
    if (one.lines.length > 0) item.append(this.#linesOf(one, index));
    return item;
  }

  #linesOf(one: ExplainedFunction, index: number): HTMLElement {
    const changed = one.lines.filter(({ baseLine, newLine }) => baseLine === 0 || newLine === 0).length;
    const summary =
      changed > 0 ? `source, ${changed} ${changed === 1 ? 'line' : 'lines'} changed` : 'source, same text';
    const rows = one.lines.map((line) => this.#lineOf(line, index));
    const table = element('div', { class: 'explain-lines', role: 'list' }, ...rows);
    const details = element('details', {}, element('summary', {}, summary), table);
    details.open = index < OPEN_FIRST;
    return details;
  }

  #lineOf(line: ExplainedLine, index: number): HTMLElement {
    const { baseLine, newLine, text, baseSelf, newSelf } = line;
    const [sign, what] = newLine === 0 ? ['−', 'gone'] : baseLine === 0 ? ['+', 'added'] : [' ', 'same'];
    const cost = baseSelf > 0 || newSelf > 0;
    const cells = [
      element('span', { class: 'line-number' }, baseLine > 0 ? String(baseLine) : ''),
      element('span', { class: 'line-number' }, newLine > 0 ? String(newLine) : ''),
      element('span', { class: 'line-sign', role: 'img', 'aria-label': what }, sign),
      element('code', {}, text),
      element('span', { class: 'line-cost' }, cost ? this.#lineCost(line) : ''),
    ];
    const className = `explain-line line-${what}`;
    if (newLine === 0) return element('div', { class: className, role: 'listitem' }, ...cells);
    const button = element('button', { type: 'button', class: className, title: `Open line ${newLine}` }, ...cells);
    button.addEventListener('click', (event) => this.#events.open(index, newLine, event.altKey));
    return element('div', { role: 'listitem' }, button);
  }

  #lineCost({ baseSelf, newSelf, verdict }: ExplainedLine): string {
    const glyph = isSignificant(verdict) ? `${verdictWords[verdict]!.glyph} ` : '';
    return `${glyph}${durationText(baseSelf)} → ${durationText(newSelf)}`;
  }
}
