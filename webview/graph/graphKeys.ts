// Which key means what in the flame graph. The help overlay shows this list, so it cannot disagree with the keys.
import * as l10n from '@vscode/l10n';

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
const command = (event: KeyLike) => event.ctrlKey || event.metaKey;

const isCopy = (event: KeyLike) => command(event) && !event.altKey && event.key.toLowerCase() === 'c';

/** The keys that open the menu of what is selected, everywhere. */
export function isMenuKey(event: KeyLike): boolean {
  return event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
}

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
  { action: 'copyStack', matches: (event) => isCopy(event) && event.shiftKey },
  { action: 'copy', matches: (event) => isCopy(event) && !event.shiftKey },
  { action: 'hide', matches: plain('h', 'H') },
  { action: 'callers', matches: plain('c', 'C') },
  { action: 'menu', matches: isMenuKey },
  { action: 'help', matches: plain('?') },
];

export const graphAction = (event: KeyLike): GraphAction | undefined =>
  bindings.find(({ matches }) => matches(event))?.action;

/** What the help overlay says, group by group: keys, then what they do. */
export const helpGroups: readonly { readonly title: string; readonly rows: readonly (readonly [string, string])[] }[] =
  [
    {
      title: l10n.t('Move in the tree'),
      rows: [
        ['↑ ↓', l10n.t('caller · heaviest callee')],
        ['← →', l10n.t('the call beside')],
        [l10n.t('Home · End'), l10n.t('root · end of the heaviest path in the program')],
      ],
    },
    {
      title: l10n.t('Zoom and pan'),
      rows: [
        [l10n.t('Ctrl+wheel, + −'), l10n.t('zoom')],
        [l10n.t('Enter, F, double-click'), l10n.t('fit the selected frame')],
        [l10n.t('Esc, Backspace'), l10n.t('a step back')],
        ['0', l10n.t('show everything')],
        [l10n.t('drag, Shift+wheel, A D'), l10n.t('pan sideways')],
        [l10n.t('wheel, W S'), l10n.t('scroll')],
      ],
    },
    {
      title: l10n.t('Search'),
      rows: [
        ['Ctrl+F', l10n.t('search; the table follows')],
        [l10n.t('Enter · Shift+Enter'), l10n.t('next · previous match')],
        [l10n.t('Alt+R · Alt+C'), l10n.t('regular expression · match case')],
      ],
    },
    {
      title: l10n.t('Source'),
      rows: [
        [l10n.t('click, F12, Ctrl+Enter'), l10n.t('go to the line')],
        ['Alt+click', l10n.t('go to the line, to the side')],
        [l10n.t('Ctrl+C · Ctrl+Shift+C'), l10n.t('copy the name · the stack')],
      ],
    },
    {
      title: l10n.t('View'),
      rows: [
        ['1 · 5 · 2', l10n.t('graph · table · both')],
        ['H · C', l10n.t('hide the function · its callers')],
        [l10n.t('right click, Shift+F10'), l10n.t('menu of a frame or row')],
        ['?', l10n.t('this help')],
      ],
    },
  ];
