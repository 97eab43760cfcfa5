// The form of a filter in the bar of the selection: what it applies to, how its text is meant and what happens, with how much of the
// run that is while it is typed. Enter makes it a part of the selection, Escape closes the form.
import * as l10n from '@vscode/l10n';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import type { VscodeSingleSelect } from '@vscode-elements/elements/dist/vscode-single-select/index.js';
import type { VscodeTextfield } from '@vscode-elements/elements/dist/vscode-textfield/index.js';
import { html, nothing, render } from 'lit';
import { countText } from '../../core/numbersAsText.ts';
import type { NameQuery, NamesMatchedMessage } from '../../core/selectionMessages.ts';
import {
  actsOf,
  EMPTY_FILTER,
  type FilterAct,
  type FilterMeaning,
  type FilterPlace,
  type FilterThing,
  filterMeanings,
  filterThings,
  patternOf,
  problemOf,
  type TypedFilter,
} from '../../core/typedFilter.ts';
import { rendered } from '../page/rendered.ts';
import { LatestOnly } from './latestOnly.ts';

export interface FilterFormEvents {
  /** Asks what the text means; `told` gets the answer. */
  ask(ask: number, query: NameQuery): void;
  /** The selection with the filter is wanted; a text says why it cannot be. */
  add(filter: TypedFilter, edited: FilterPlace | undefined): string | undefined;
  /** It is open or closed now. */
  changed(): void;
}

interface Told {
  readonly text: string;
  readonly wrong: boolean;
}
const NOTHING: Told = { text: '', wrong: false };

export class FilterForm {
  readonly element = rendered(html`<div class="filter-form" role="group"></div>`);
  readonly #events: FilterFormEvents;
  readonly #queue: LatestOnly<NameQuery>;
  #filter = EMPTY_FILTER;
  #edited: FilterPlace | undefined;
  #isOpen = false;
  #before: Element | null = null;
  #ask = 0;
  #asked: NameQuery | undefined; // last
  #answer: { readonly query: NameQuery; readonly told: Told } | undefined;
  #isAdding = false; // Enter came before the answer
  #told = NOTHING;

  constructor(events: FilterFormEvents) {
    this.#events = events;
    this.#queue = new LatestOnly((query) => {
      this.#asked = query;
      this.#events.ask(++this.#ask, query);
    });
    // Before a list of choices closes by the same key.
    this.element.addEventListener('keydown', (event) => this.#key(event), true);
    this.element.addEventListener('keydown', (event) => event.stopPropagation());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }
  /** Of the filter that is edited. */
  get edited(): FilterPlace | undefined {
    return this.#isOpen ? this.#edited : undefined;
  }

  /** Opens it empty, or for a filter of the selection; the focus goes into the text. */
  open(filter: TypedFilter = EMPTY_FILTER, edited?: FilterPlace) {
    if (!this.#isOpen) this.#before = withFocus();
    this.#filter = filter;
    this.#edited = edited;
    this.#isOpen = true;
    this.#isAdding = false;
    this.#told = NOTHING;
    this.#answer = undefined;
    this.#show();
    this.#events.changed();
    this.#field.value = filter.text;
    this.#check();
    void this.#field.updateComplete.then(() => {
      this.#field.focus();
      this.#field.wrappedElement?.select();
    });
  }

  /** Closes it and gives the focus back, or to `otherwise` where that is no longer there. */
  close(otherwise?: () => HTMLElement | null) {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#isAdding = false;
    this.#queue.drop();
    const before = this.#before;
    this.#events.changed();
    const back = before?.isConnected && before !== document.body ? before : otherwise?.();
    if (back instanceof HTMLElement) back.focus({ preventScroll: true });
  }

  told({ ask, count, names, problem }: NamesMatchedMessage) {
    const query = this.#asked;
    this.#queue.answered();
    if (ask !== this.#ask || !query || !sameQuery(query, this.#query)) return;
    const told = problem ? { text: problem, wrong: true } : { text: matchText(query, count, names), wrong: false };
    this.#answer = { query, told };
    this.#tell(told);
    if (this.#isAdding) this.#add();
  }

  get #field(): VscodeTextfield {
    return this.element.querySelector<VscodeTextfield>('.filter-text')!;
  }
  get #query(): NameQuery {
    const { thing, meaning } = this.#filter;
    return { thing, text: patternOf(this.#filter), exact: meaning === 'name' };
  }

  #change(part: Partial<TypedFilter>) {
    this.#filter = { ...this.#filter, ...part };
    const acts = actsOf(this.#filter.thing);
    if (!acts.includes(this.#filter.act)) this.#filter = { ...this.#filter, act: acts[0]! };
    this.#isAdding = false;
    this.#show();
    this.#check();
  }

  /** Asks what the text means, unless it is known. */
  #check() {
    const problem = problemOf(this.#filter);
    if (problem !== undefined) {
      this.#queue.drop();
      // Nothing is wrong with a text that was not begun.
      this.#tell(this.#filter.text === '' ? NOTHING : { text: problem, wrong: true });
    } else if (this.#answer && sameQuery(this.#answer.query, this.#query)) this.#tell(this.#answer.told);
    else this.#queue.want(this.#query);
  }

  /** Adds the filter once it is known that it means something. */
  #add() {
    const problem = problemOf(this.#filter);
    if (problem !== undefined) return this.#tell({ text: problem, wrong: true });
    const answer = this.#answer && sameQuery(this.#answer.query, this.#query) ? this.#answer : undefined;
    this.#isAdding = answer === undefined;
    if (!answer) return this.#queue.want(this.#query);
    if (answer.told.wrong) return this.#tell(answer.told);
    const refused = this.#events.add(this.#filter, this.#edited);
    if (refused !== undefined) return this.#tell({ text: refused, wrong: true });
    this.close();
  }

  #key(event: KeyboardEvent) {
    const { target } = event;
    if ((target as Partial<VscodeSingleSelect>).open) return; // the key is the list's
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter' && target === this.#field) this.#add();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #tell(told: Told) {
    this.#told = told;
    this.#show();
  }

  #show() {
    const { thing, meaning, act } = this.#filter;
    const { text, wrong } = this.#told;
    this.element.setAttribute('aria-label', this.#edited ? l10n.t('Edit filter') : l10n.t('Add filter'));
    render(
      html`
        ${select(l10n.t('What the filter applies to'), 'thing', filterThings.map(thingOption), thing, (chosen) =>
          this.#change({ thing: chosen as FilterThing }),
        )}
        ${select(l10n.t('How the text is meant'), 'meaning', filterMeanings.map(meaningOption), meaning, (chosen) =>
          this.#change({ meaning: chosen as FilterMeaning }),
        )}
        <vscode-textfield
          class="filter-text"
          label=${l10n.t('Text of the filter')}
          placeholder=${placeholders[thing][meaning]}
          .invalid=${wrong}
          @input=${() => this.#change({ text: this.#field.value })}
        ></vscode-textfield>
        ${actSelects(thing, act, (chosen) => this.#change({ act: chosen }))}
        <span class="filter-buttons">
          <vscode-button @click=${() => this.#add()}>${this.#edited ? l10n.t('Change') : l10n.t('Add')}</vscode-button>
          <vscode-button secondary @click=${() => this.close()}>${l10n.t('Cancel')}</vscode-button>
        </span>
        <span class="filter-answer ${wrong ? 'wrong' : ''}" role="status">${text === '' ? nothing : text}</span>`,
      this.element,
    );
  }
}

/** Inside of the library's elements, which pass no focus on. */
function withFocus(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

const sameQuery = (a: NameQuery, b: NameQuery): boolean =>
  a.thing === b.thing && a.text === b.text && a.exact === b.exact;

interface Option {
  readonly value: string;
  readonly label: string;
}

/** `label` names the combobox inside. */
const select = (
  label: string,
  what: string,
  options: readonly Option[],
  chosen: string,
  changed: (value: string) => void,
) => html`
  <vscode-single-select
    class="filter-${what}"
    .label=${label}
    aria-label=${label}
    title=${label}
    .value=${chosen}
    @change=${(event: Event) => changed((event.currentTarget as VscodeSingleSelect).value)}
  >${options.map(
    ({ value, label: text }) =>
      html`<vscode-option value=${value} ?selected=${value === chosen}>${text}</vscode-option>`,
  )}</vscode-single-select>`;

/** One for each thing, of which one is there: the library keeps the choices that a list began with. */
const actSelects = (thing: FilterThing, act: FilterAct, changed: (act: FilterAct) => void) =>
  filterThings.map((one) =>
    one === thing
      ? select(l10n.t('What happens to the samples'), 'act', actsOf(one).map(actOption), act, (chosen) =>
          changed(chosen as FilterAct),
        )
      : nothing,
  );

const thingLabels: Readonly<Record<FilterThing, string>> = {
  function: l10n.t('Function'),
  file: l10n.t('Source file'),
  module: l10n.t('Module'),
  thread: l10n.t('Thread'),
  process: l10n.t('Process'),
};
const meaningLabels: Readonly<Record<FilterMeaning, string>> = {
  name: l10n.t('Name'),
  glob: l10n.t('Glob (* and ?)'),
  regex: l10n.t('Regular expression'),
};
const actLabels: Readonly<Record<FilterAct, string>> = {
  keep: l10n.t('Keep only its samples'),
  drop: l10n.t('Drop its samples'),
  hide: l10n.t('Merge into callers'),
  focus: l10n.t('Keep, as the root'),
};
const thingOption = (value: FilterThing): Option => ({ value, label: thingLabels[value] });
const meaningOption = (value: FilterMeaning): Option => ({ value, label: meaningLabels[value] });
const actOption = (value: FilterAct): Option => ({ value, label: actLabels[value] });

const placeholders: Readonly<Record<FilterThing, Readonly<Record<FilterMeaning, string>>>> = {
  function: { name: 'parse_line', glob: 'parse_*', regex: '^(parse|read)_' },
  file: { name: 'src/parse.c', glob: 'src/*.c', regex: '/(parse|read)[^/]*$' },
  module: { name: 'libc.so.6', glob: 'lib*', regex: '^lib(c|m)\\.' },
  thread: { name: 'worker-1', glob: 'worker-*', regex: '^(worker|io)' },
  process: { name: 'server', glob: 'server*', regex: '^(server|client)$' },
};

/** How many things the text means, with the first few names. */
function matchText({ thing }: NameQuery, count: number, names: readonly string[]): string {
  const more = count > names.length ? [...names, '…'] : names;
  return countOf(thing, count, more.join(', '));
}

function countOf(thing: FilterThing, count: number, names: string): string {
  const number = countText(count);
  switch (thing) {
    case 'function':
      return count === 1 ? l10n.t('1 function: {0}', names) : l10n.t('{0} functions: {1}', number, names);
    case 'file':
      return count === 1 ? l10n.t('1 source file: {0}', names) : l10n.t('{0} source files: {1}', number, names);
    case 'module':
      return count === 1 ? l10n.t('1 module: {0}', names) : l10n.t('{0} modules: {1}', number, names);
    case 'thread':
      return count === 1 ? l10n.t('1 thread: {0}', names) : l10n.t('{0} threads: {1}', number, names);
    case 'process':
      return count === 1 ? l10n.t('1 process: {0}', names) : l10n.t('{0} processes: {1}', number, names);
  }
}
