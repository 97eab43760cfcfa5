// The bar above the timeline that says what is selected: a chip for each part with a button that takes it out, undo and redo, and how
// much of the run it is. A filter is typed in it. Not there while nothing is selected, nothing can be undone and no filter is typed.
import * as l10n from '@vscode/l10n';
import '@vscode-elements/elements/dist/vscode-badge/index.js';
import { html, nothing, render } from 'lit';
import { selectedText, valueText } from '../../core/numbersAsText.ts';
import { type ComparedParts, whyNotCompared } from '../../core/partsOfRun.ts';
import { type Chip, chipsOf } from '../../core/selectionChips.ts';
import {
  EMPTY_SELECTION,
  isEmptySelection,
  type SelectedMessage,
  type ShownSelection,
} from '../../core/selectionMessages.ts';
import type { FilterPlace } from '../../core/typedFilter.ts';
import { icon, icons } from '../page/icons.ts';
import { rendered } from '../page/rendered.ts';
import { toolbarButton } from '../page/toolbarButtons.ts';
import type { FilterForm } from './filterForm.ts';

export interface BarEvents {
  commit(selection: ShownSelection): void;
  undo(): void;
  redo(): void;
  compare(parts: ComparedParts): void;
  threadNamed(tid: string): string | undefined;
  addFilter(): void;
  /** Of a chip: its filter is to be changed. */
  editFilter(place: FilterPlace): void;
}

export interface BarScene {
  readonly selection: ShownSelection;
  readonly preview: boolean;
  readonly confirmed: SelectedMessage | undefined;
  /** Why what was selected last cannot be, or empty. */
  readonly refused: string;
}

export class SelectionBar {
  readonly element = rendered(html`<section class="selection-bar" aria-label=${l10n.t('Selection')} hidden></section>`);
  readonly #events: BarEvents;
  readonly #form: FilterForm;

  constructor(events: BarEvents, form: FilterForm) {
    this.#events = events;
    this.#form = form;
  }

  show({ selection, preview, confirmed, refused }: BarScene) {
    const [canUndo, canRedo] = [confirmed?.canUndo ?? false, confirmed?.canRedo ?? false];
    const empty = isEmptySelection(selection);
    const notice = confirmed?.notice ?? '';
    this.element.hidden = empty && !canUndo && !canRedo && !this.#form.isOpen && notice + refused === '';
    const chips = chipsOf(selection, (tid) => this.#events.threadNamed(tid));
    render(
      html`
        <div class="selection-steps">
          ${this.#step(l10n.t('Undo (Ctrl+Z)'), icons.undo, canUndo || preview, () => this.#events.undo())}
          ${this.#step(l10n.t('Redo (Ctrl+Shift+Z)'), icons.redo, canRedo, () => this.#events.redo())}
        </div>
        <ul class="selection-chips" aria-label=${l10n.t('What is selected')}>
          ${chips.map((chip) => this.#chip(chip, preview))}
          ${empty ? html`<li class="selection-all">${l10n.t('Everything is selected')}</li>` : nothing}
        </ul>
        ${toolbarButton(l10n.t('Add filter (A)'), icon(icons.filter), () => this.#events.addFilter())}
        ${empty ? nothing : this.#compare('rest', selection, preview)}
        ${empty ? nothing : this.#compare('ranges', selection, preview)}
        ${empty ? nothing : toolbarButton(l10n.t('Clear the selection'), icon(icons.clear), () => this.#events.commit(EMPTY_SELECTION))}
        ${preview ? html`<vscode-badge class="selection-preview">${l10n.t('Preview: Enter keeps it, Esc drops it')}</vscode-badge>` : nothing}
        <span class="selection-base" role="status" title=${baseTitle(confirmed)}>${baseText(confirmed)}</span>
        ${this.#form.isOpen ? this.#form.element : nothing}
        ${refused ? html`<span class="selection-refused" role="alert">${icon(icons.warning)}<span>${refused}</span></span>` : nothing}
        ${notice ? html`<span class="selection-notice" role="status">${notice}</span>` : nothing}`,
      this.element,
    );
  }

  #chip({ kind, text, title, without, place }: Chip, preview: boolean) {
    const label = l10n.t('Remove {0} from the selection', text);
    return html`
      <li class="selection-chip ${kind} ${preview && kind === 'time' ? 'preview' : ''}" title=${title}
        >${place ? this.#words(text, place) : html`<span class="selection-text">${text}</span>`}<button type="button" class="selection-remove" aria-label=${label} title=${label} @click=${() =>
          this.#events.commit(without)}>${icon(icons.close)}</button></li>`;
  }

  /** A filter that can be typed is changed by its words. */
  #words(text: string, place: FilterPlace) {
    const edited = this.#form.edited;
    const isEdited = edited?.part === place.part && edited.at === place.at;
    return html`<button type="button" class="selection-text" aria-label=${l10n.t('Edit filter {0}', text)}
      aria-expanded=${isEdited ? 'true' : 'false'} @click=${() => this.#events.editFilter(place)}>${text}</button>`;
  }

  /** It can be reached by keys even where it does nothing, so that its reason can be read. */
  #compare(parts: ComparedParts, selection: ShownSelection, preview: boolean) {
    const name = parts === 'rest' ? l10n.t('Compare with the Rest') : l10n.t('Compare the Two Ranges');
    const reason = preview ? l10n.t('Press Enter to keep the selection first.') : whyNotCompared(selection, parts);
    const title = reason ? l10n.t('{0}: {1}', name, reason) : name;
    return html`<button type="button" class="selection-compare ${parts}" title=${title} aria-label=${title}
      aria-disabled=${reason ? 'true' : 'false'} @click=${() => reason || this.#events.compare(parts)}
      >${icon(parts === 'rest' ? icons.compareRest : icons.compareRanges)}</button>`;
  }

  #step(label: string, face: string, possible: boolean, act: () => void) {
    return html`
      <button type="button" class="selection-step" aria-label=${label} title=${label} ?disabled=${!possible} @click=${act}
        >${icon(face)}</button>`;
  }
}

const baseText = (confirmed: SelectedMessage | undefined): string =>
  confirmed ? selectedText(confirmed, confirmed.unit) : '';

/** The same in the unit of the run. */
function baseTitle(confirmed: SelectedMessage | undefined): string {
  if (!confirmed || confirmed.samples === undefined || confirmed.unit === 'count') return '';
  const { value, runValue, unit } = confirmed;
  return l10n.t('{0} of {1}', valueText(value, unit), valueText(runValue, unit));
}
