// Which key means what in the flame graph. The help overlay shows this list, so it cannot disagree with the keys.

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
const command = (event: KeyLike) => event.ctrlKey || event.metaKey;

const bindings: readonly Binding[] = [
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
  { action: 'panLeft', matches: plain('a', 'A') },
  { action: 'panRight', matches: plain('d', 'D') },
  { action: 'panUp', matches: plain('w', 'W') },
  { action: 'panDown', matches: plain('s', 'S') },
  { action: 'copy', matches: (event) => command(event) && !event.altKey && event.key.toLowerCase() === 'c' },
  { action: 'help', matches: plain('?') },
];

export const graphAction = (event: KeyLike): GraphAction | undefined =>
  bindings.find(({ matches }) => matches(event))?.action;

/** What the help overlay says, group by group: keys, then what they do. */
export const helpGroups: readonly { readonly title: string; readonly rows: readonly (readonly [string, string])[] }[] =
  [
    {
      title: 'Move in the tree',
      rows: [
        ['↑ ↓', 'caller · heaviest callee'],
        ['← →', 'the call beside'],
        ['Home · End', 'root · end of the heaviest path'],
      ],
    },
    {
      title: 'Zoom and pan',
      rows: [
        ['Ctrl+wheel, + −', 'zoom'],
        ['Enter, F, double-click', 'fit the selected frame'],
        ['Esc, Backspace', 'a step back'],
        ['0', 'show everything'],
        ['drag, Shift+wheel, A D', 'pan sideways'],
        ['wheel, W S', 'scroll'],
      ],
    },
    {
      title: 'Search',
      rows: [
        ['Ctrl+F', 'search; the table follows'],
        ['Enter · Shift+Enter', 'next · previous match'],
        ['Alt+R · Alt+C', 'regular expression · match case'],
      ],
    },
    {
      title: 'Source',
      rows: [
        ['click, F12, Ctrl+Enter', 'go to the line'],
        ['Alt+click', 'go to the line, to the side'],
        ['Ctrl+C', 'copy the name'],
      ],
    },
    {
      title: 'View',
      rows: [
        ['1 · 5 · 2', 'graph · table · both'],
        ['?', 'this help'],
      ],
    },
  ];
