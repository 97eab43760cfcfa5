// The row of controls: search, what widths and colours mean in a comparison, which panes are shown, help.
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { sideTitles } from '../../core/changeText.ts';
import type { ShownComparison } from '../../core/comparisonMessages.ts';
import type { ShowMessage } from '../../core/webviewMessages.ts';
import type { ColourMode } from '../graph/difference.ts';
import type { WidthMode } from '../graph/layout.ts';
import { icon, icons } from './icons.ts';
import { rendered } from './rendered.ts';
import { SearchBar, type SearchEvents } from './searchBar.ts';
import { select } from './select.ts';
import { Choices, toolbarButton } from './toolbarButtons.ts';
import type { ViewMode, ViewState } from './viewState.ts';

export interface ToolbarEvents extends SearchEvents {
  widthModeChosen(mode: WidthMode): void;
  colourModeChosen(mode: ColourMode): void;
  normalisationChosen(normalisation: number): void;
  viewModeChosen(mode: ViewMode): void;
  /** Of a run. */
  addFilter(): void;
  reset(): void;
  help(): void;
}

export interface Toolbar {
  readonly element: HTMLElement;
  readonly search: SearchBar;
  readonly viewModes: Choices<ViewMode>;
  readonly widthModes: Choices<WidthMode> | undefined; // of a comparison
}

export function makeToolbar(show: ShowMessage, state: ViewState, events: ToolbarEvents): Toolbar {
  const search = new SearchBar(events);
  search.query = state.query;
  const viewModes = new Choices<ViewMode>(
    l10n.t('What is shown'),
    [
      { value: 'graph', label: l10n.t('Flame graph (1)'), face: icon(icons.graph) },
      { value: 'table', label: l10n.t('Table (5)'), face: icon(icons.table) },
      { value: 'both', label: l10n.t('Flame graph and table (2)'), face: icon(icons.both) },
    ],
    (mode) => events.viewModeChosen(mode),
  );
  viewModes.show(state.viewMode);
  const widthModes =
    show.subject === 'comparison' ? widthChoices(show.comparison?.sideNames ?? [], state, events) : undefined;
  const { comparison } = show;
  const options = [
    ...(widthModes ? [widthModes.element, colourSelect(state, events)] : []),
    ...(comparison && comparison.normalisations.length > 1 ? [normalisationSelect(comparison, events)] : []),
  ];
  const element = rendered(html`
    <div class="toolbar ${show.subject}" role="toolbar" aria-label=${l10n.t('Profile')}>
      ${search.element}
      <div class="toolbar-controls">
        ${options.length > 0 ? optionsOf(options) : nothing}
        ${show.subject === 'run' ? toolbarButton(l10n.t('Add filter (A)'), icon(icons.filter), () => events.addFilter()) : nothing}
        ${toolbarButton(l10n.t('Show everything (0)'), icon(icons.reset), () => events.reset())}
        ${viewModes.element}
        ${toolbarButton(l10n.t('Keys and colours (?)'), '?', () => events.help())}
      </div>
    </div>`);
  return { element, search, viewModes, widthModes };
}

/** What is drawn and how: beside the other controls, or in a narrow page below a button of their own. */
function optionsOf(options: readonly (HTMLElement | TemplateResult)[]): TemplateResult {
  const box = rendered(html`<div class="toolbar-options">${options}</div>`);
  const button: HTMLElement = rendered(
    html`<span class="toolbar-more">${toolbarButton(l10n.t('View options'), icon(icons.options), () =>
      box.classList.toggle('open'),
    )}</span>`,
  );
  return html`${button}${box}`;
}

function widthChoices(partNames: readonly string[], state: ViewState, events: ToolbarEvents): Choices<WidthMode> {
  const [base, later] = sideTitles(partNames);
  const choices = new Choices<WidthMode>(
    l10n.t('Widths'),
    [
      { value: 'combined', label: l10n.t('Widths: shares of both sides together'), face: l10n.t('Both') },
      { value: 'base', label: l10n.t('Widths: shares of one side: {0}', base), face: base },
      { value: 'new', label: l10n.t('Widths: shares of one side: {0}', later), face: later },
      { value: 'change', label: l10n.t('Widths: absolute changes, up and down'), face: l10n.t('|Change|') },
    ],
    (mode) => events.widthModeChosen(mode),
  );
  choices.show(state.widthMode);
  return choices;
}

const colourOptions: readonly { readonly value: ColourMode; readonly label: string }[] = [
  { value: 'significance', label: l10n.t('beyond noise') },
  { value: 'change', label: l10n.t('all changes') },
  { value: 'ratio', label: l10n.t('ratios') },
];

function colourSelect(state: ViewState, events: ToolbarEvents): TemplateResult {
  const changed = (value: string) => events.colourModeChosen(value as ColourMode);
  return select(l10n.t('Colours of the flame graph'), colourOptions, state.colourMode, changed);
}

function normalisationSelect(comparison: ShownComparison, events: ToolbarEvents): TemplateResult {
  const options = comparison.normalisations.map(({ value, label }) => ({ value: String(value), label }));
  const changed = (value: string) => events.normalisationChosen(Number(value));
  return select(l10n.t('Unit of the comparison'), options, String(comparison.normalisation), changed);
}
