// The search field with its two switches, the count of matches and the way through them.
import * as l10n from '@vscode/l10n';
import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import '@vscode-elements/elements/dist/vscode-toolbar-button/index.js';
import type { VscodeTextfield } from '@vscode-elements/elements/dist/vscode-textfield/index.js';
import type { VscodeToolbarButton } from '@vscode-elements/elements/dist/vscode-toolbar-button/index.js';
import { html } from 'lit';
import type { Query } from '../search/search.ts';
import { icon, icons } from './icons.ts';
import { rendered } from './rendered.ts';
import { toggleButton, toolbarButton } from './toolbarButtons.ts';

export interface SearchEvents {
  changed(query: Query): void;
  step(direction: 1 | -1): void;
  left(): void; // Escape: back to the graph
}

export class SearchBar {
  readonly #field: VscodeTextfield;
  readonly #regex: VscodeToolbarButton;
  readonly #matchCase: VscodeToolbarButton;
  readonly #count = rendered(html`<span class="search-count" role="status" aria-live="polite"></span>`);
  readonly #steps: HTMLElement;
  readonly element: HTMLElement;
  readonly #events: SearchEvents;

  constructor(events: SearchEvents) {
    this.#events = events;
    const changed = () => events.changed(this.query);
    this.#matchCase = toggleButton(l10n.t('Match case (Alt+C)'), 'Aa', changed);
    this.#regex = toggleButton(l10n.t('Use regular expression (Alt+R)'), '.*', changed);
    this.#field = rendered(html`
      <vscode-textfield
        class="search-field"
        placeholder=${l10n.t('Search functions, modules, files')}
        label=${l10n.t('Search functions, modules and files')}
        @input=${changed}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
      ><span slot="content-after" class="search-switches">${this.#matchCase}${this.#regex}</span></vscode-textfield>`);
    this.#steps = rendered(html`
      <span class="search-steps" hidden
        >${toolbarButton(l10n.t('Previous match (Shift+Enter)'), icon(icons.up), () => events.step(-1))}${toolbarButton(
          l10n.t('Next match (Enter)'),
          icon(icons.down),
          () => events.step(1),
        )}</span>`);
    this.element = rendered(html`<div class="search" role="search">${this.#field}${this.#steps}${this.#count}</div>`);
  }

  get query(): Query {
    return { text: this.#field.value, regex: this.#regex.checked, matchCase: this.#matchCase.checked };
  }

  set query({ text, regex, matchCase }: Query) {
    this.#field.value = text;
    this.#regex.checked = regex;
    this.#matchCase.checked = matchCase;
  }

  focus() {
    this.#field.focus();
    this.#field.wrappedElement?.select();
  }

  /** `2 of 14 · 38.2 %`, or why there is nothing. */
  tell(text: string, wrong: boolean, hasMatches: boolean) {
    this.#count.textContent = text;
    this.#count.classList.toggle('wrong', wrong);
    this.#field.invalid = wrong;
    this.#steps.hidden = !hasMatches;
  }

  #key(event: KeyboardEvent) {
    const key = event.key.toLowerCase();
    if (event.altKey && (key === 'r' || key === 'c')) {
      const button = key === 'r' ? this.#regex : this.#matchCase;
      button.checked = !button.checked;
      this.#events.changed(this.query);
    } else if (key === 'enter') this.#events.step(event.shiftKey ? -1 : 1);
    else if (key === 'escape') {
      if (this.#field.value !== '') {
        this.#field.value = '';
        this.#events.changed(this.query);
      } else this.#events.left();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
