export type GraphAction =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'zoomIn'
  | 'zoomOut'
  | 'fit'
  | 'back'
  | 'reset'
  | 'panLeft'
  | 'panRight'
  | 'panUp'
  | 'panDown'
  | 'open'
  | 'openAside'
  | 'copy'
  | 'copyStack'
  | 'hide'
  | 'callers'
  | 'menu'
  | 'help';

interface Binding {
  readonly action: GraphAction;
  readonly matches: (event: KeyLike) => boolean;
}

export type KeyLike = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

const plain =
  (...keys: string[]) =>
  (event: KeyLike) =>
    !event.ctrlKey && !event.metaKey && !event.altKey && keys.includes(event.key);
const shifted = (key: string) => (event: KeyLike) => event.shiftKey && plain(key)(event);
const command = (event: KeyLike) => event.ctrlKey || event.metaKey;

const isCopy = (event: KeyLike) => command(event) && !event.altKey && event.key.toLowerCase() === 'c';

/** The keys that open the menu of what is selected, everywhere. */
export function isMenuKey(event: KeyLike): boolean {
  return event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
}

/** What letters mean in the graph: of a run they change the stacks (selection/transformKeys.ts), of a comparison they pan. */
export type Letters = 'transform' | 'pan';

const bindings: readonly Binding[] = [
  { action: 'panLeft', matches: shifted('ArrowLeft') },
  { action: 'panRight', matches: shifted('ArrowRight') },
  { action: 'panUp', matches: shifted('ArrowUp') },
  { action: 'panDown', matches: shifted('ArrowDown') },
  { action: 'up', matches: plain('ArrowUp') },
  { action: 'down', matches: plain('ArrowDown') },
  { action: 'left', matches: plain('ArrowLeft') },
  { action: 'right', matches: plain('ArrowRight') },
  { action: 'home', matches: plain('Home') },
  { action: 'end', matches: plain('End') },
  { action: 'zoomIn', matches: plain('+', '=') },
  { action: 'zoomOut', matches: plain('-', '_') },
  {
    action: 'openAside',
    matches: (event) => event.altKey && (event.key === 'F12' || (command(event) && event.key === 'Enter')),
  },
  { action: 'open', matches: (event) => event.key === 'F12' || (command(event) && event.key === 'Enter') },
  { action: 'fit', matches: plain('Enter', 'f', 'F') },
  { action: 'back', matches: plain('Escape', 'Backspace') },
  { action: 'reset', matches: plain('0') },
  { action: 'copyStack', matches: (event) => isCopy(event) && event.shiftKey },
  { action: 'copy', matches: (event) => isCopy(event) && !event.shiftKey },
  { action: 'hide', matches: plain('h', 'H') },
  { action: 'callers', matches: plain('c', 'C') },
  { action: 'menu', matches: isMenuKey },
  { action: 'help', matches: plain('?') },
];

const panLetters: readonly Binding[] = [
  { action: 'panLeft', matches: plain('a', 'A') },
  { action: 'panRight', matches: plain('d', 'D') },
  { action: 'panUp', matches: plain('w', 'W') },
  { action: 'panDown', matches: plain('s', 'S') },
];

export const graphAction = (event: KeyLike, letters: Letters): GraphAction | undefined =>
  [...bindings, ...(letters === 'pan' ? panLetters : [])].find(({ matches }) => matches(event))?.action;
