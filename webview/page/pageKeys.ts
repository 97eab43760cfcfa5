// The keys of a page that mean the same wherever the focus is, outside of inputs.
import type { ViewMode } from './viewState.ts';

const modes: Readonly<Record<string, ViewMode>> = { '1': 'graph', '2': 'both', '5': 'table' };
const isCommand = ({ ctrlKey, metaKey }: KeyboardEvent): boolean => ctrlKey || metaKey;

export const isSearchKey = (event: KeyboardEvent): boolean => isCommand(event) && event.key.toLowerCase() === 'f';

/** What the key shows: panes, or the help. */
export function shownByKey(event: KeyboardEvent): ViewMode | 'help' | undefined {
  if (isCommand(event)) return undefined;
  return event.key === '?' ? 'help' : modes[event.key];
}
