// The row of controls: search, what widths mean in a comparison, what was measured, which panes are shown, help.
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import type { VscodeSingleSelect } from '@vscode-elements/elements/dist/vscode-single-select/index.js';
import { visibleText } from '../../core/foreignText.ts';
import type { ShowMessage } from '../../core/webviewMessages.ts';
import type { WidthMode } from '../graph/layout.ts';
import { element, icon, icons } from './elements.ts';
import { SearchBar, type SearchEvents } from './searchBar.ts';
import { Choices, toolbarButton } from './toolbarButtons.ts';
import type { ViewMode, ViewState } from './viewState.ts';

export interface ToolbarEvents extends SearchEvents {
  widthModeChosen(mode: WidthMode): void;
  viewModeChosen(mode: ViewMode): void;
  valueChosen(value: number): void;
  reset(): void;
  help(): void;
}

export interface Toolbar {
  readonly element: HTMLElement;
  readonly search: SearchBar;
  readonly viewModes: Choices<ViewMode>;
}

export function makeToolbar(show: ShowMessage, state: ViewState, events: ToolbarEvents): Toolbar {
  const search = new SearchBar(events);
  search.query = state.query;
  const viewModes = new Choices<ViewMode>(
    'What is shown',
    [
      { value: 'graph', label: 'Flame graph (1)', face: icon(icons.graph) },
      { value: 'table', label: 'Table (5)', face: icon(icons.table) },
      { value: 'both', label: 'Flame graph and table (2)', face: icon(icons.both) },
    ],
    (mode) => events.viewModeChosen(mode),
  );
  viewModes.show(state.viewMode);
  const controls = element('div', { class: 'toolbar-controls' });
  if (show.subject === 'comparison') controls.append(widthChoices(state, events));
  if (show.values.length > 1) controls.append(valueSelect(show, state, events));
  controls.append(
    toolbarButton('Show everything (0)', icon(icons.reset), () => events.reset()),
    viewModes.element,
    toolbarButton('Keys and colours (?)', '?', () => events.help()),
  );
  const toolbar = element(
    'div',
    { class: 'toolbar', role: 'toolbar', 'aria-label': 'Profile' },
    search.element,
    controls,
  );
  return { element: toolbar, search, viewModes };
}

function widthChoices(state: ViewState, events: ToolbarEvents): HTMLElement {
  const choices = new Choices<WidthMode>(
    'Widths',
    [
      { value: 'combined', label: 'Widths: shares of both runs together', face: 'Both runs' },
      { value: 'base', label: 'Widths: shares of the base run', face: 'Base' },
      { value: 'new', label: 'Widths: shares of the new run', face: 'New' },
    ],
    (mode) => events.widthModeChosen(mode),
  );
  choices.show(state.widthMode);
  return choices.element;
}

function valueSelect({ values }: ShowMessage, state: ViewState, events: ToolbarEvents): HTMLElement {
  const select: VscodeSingleSelect = document.createElement('vscode-single-select');
  select.className = 'value-select';
  select.setAttribute('aria-label', 'What was measured');
  const alone = (type: string) => values.filter((value) => value.type === type).length === 1;
  values.forEach(({ type, unit }, value) => {
    const option = document.createElement('vscode-option');
    option.value = String(value);
    option.selected = value === state.value;
    option.textContent = visibleText(alone(type) ? type : `${type}, ${unit}`, 60);
    select.append(option);
  });
  select.addEventListener('change', () => events.valueChosen(Number(select.value)));
  return select;
}
