// The keys as the help overlay lists them, group by group: keys, then what they do.
import * as l10n from '@vscode/l10n';
import { FILTER_KEYS, functionActions, stackActions } from '../selection/transformKeys.ts';

export interface HelpGroup {
  readonly title: string;
  readonly rows: readonly (readonly [keys: string, what: string])[];
}

const moving: HelpGroup = {
  title: l10n.t('Move in the tree'),
  rows: [
    ['↑ ↓', l10n.t('caller · heaviest callee')],
    ['← →', l10n.t('the call beside')],
    [l10n.t('Home · End'), l10n.t('root · end of the heaviest path in the program')],
  ],
};

const zooming = (compared: boolean): HelpGroup => ({
  title: l10n.t('Zoom and pan'),
  rows: [
    [l10n.t('Ctrl+wheel, + −'), l10n.t('zoom')],
    [
      compared ? l10n.t('Enter, F, double-click') : l10n.t('Enter, Shift+F, double-click'),
      l10n.t('fit the selected frame'),
    ],
    [l10n.t('Esc, Backspace'), l10n.t('a step back')],
    ['0', l10n.t('show everything')],
    [compared ? l10n.t('drag, Shift+wheel, A D') : l10n.t('drag, Shift+wheel, Shift+← →'), l10n.t('pan sideways')],
    [compared ? l10n.t('wheel, W S') : l10n.t('wheel, Shift+↑ ↓'), l10n.t('scroll')],
  ],
});

const searching: HelpGroup = {
  title: l10n.t('Search'),
  rows: [
    ['Ctrl+F', l10n.t('search; the table follows')],
    [l10n.t('Enter · Shift+Enter'), l10n.t('next · previous match')],
    [l10n.t('Alt+R · Alt+C'), l10n.t('regular expression · match case')],
  ],
};

const source: HelpGroup = {
  title: l10n.t('Source'),
  rows: [
    [l10n.t('click, F12, Ctrl+Enter'), l10n.t('go to the line')],
    ['Alt+click', l10n.t('go to the line, to the side')],
    [l10n.t('Ctrl+C · Ctrl+Shift+C'), l10n.t('copy the name · the stack')],
  ],
};

const viewing: HelpGroup = {
  title: l10n.t('View'),
  rows: [
    ['1 · 5 · 2', l10n.t('graph · table · both')],
    ['H · C', l10n.t('hide the function · its callers')],
    [l10n.t('right click, Shift+F10'), l10n.t('menu of a frame or row')],
    ['?', l10n.t('this help')],
  ],
};

const timeline: HelpGroup = {
  title: l10n.t('Timeline'),
  rows: [
    [l10n.t('drag, Shift+← →'), l10n.t('select a time range')],
    [l10n.t('Shift+drag'), l10n.t('select one more range')],
    [l10n.t('Enter · Esc'), l10n.t('keep · drop the preview')],
    [l10n.t('click a name, Space'), l10n.t('select the thread')],
    [l10n.t('arrow keys, Home · End'), l10n.t('move in time and threads')],
    [l10n.t('Ctrl+wheel, + −, Shift+wheel'), l10n.t('zoom · pan')],
    [l10n.t('0, double-click the axis'), l10n.t('all of the time')],
    [l10n.t('Ctrl+Z · Ctrl+Shift+Z'), l10n.t('undo · redo the selection')],
  ],
};

const map: HelpGroup = {
  title: l10n.t('Map of seconds'),
  rows: [
    [l10n.t('drag, click twice, Space'), l10n.t('select from one cell to another')],
    [l10n.t('arrow keys, Home · End'), l10n.t('move by 20 ms and by seconds')],
    [l10n.t('Enter · Esc'), l10n.t('keep · drop the preview')],
  ],
};

const threads: HelpGroup = {
  title: l10n.t('Threads'),
  rows: [
    [l10n.t('↑ ↓, Home · End'), l10n.t('move in the table')],
    [l10n.t('click a tick, Space'), l10n.t('add or remove the thread or process')],
    [l10n.t('click a name, Enter'), l10n.t('select it alone · all again')],
  ],
};

const waits: HelpGroup = {
  title: l10n.t('Waits'),
  rows: [[l10n.t('click, Enter'), l10n.t('go to the line that waited')]],
};

const causes: HelpGroup = {
  title: l10n.t('Waits by cause'),
  rows: [
    [l10n.t('click, Enter'), l10n.t('go to the line that held the lock or ended the wait')],
    [l10n.t('click in “Waiting at”, Shift+Enter'), l10n.t('go to the line that waited')],
  ],
};

const locks: HelpGroup = {
  title: l10n.t('Locks'),
  rows: [
    [l10n.t('click, Enter'), l10n.t('go to the line that waited')],
    [l10n.t('click in “Held at”, Shift+Enter'), l10n.t('go to the line that held the lock')],
  ],
};

const transforming: HelpGroup = {
  title: l10n.t('Change the stacks'),
  rows: [
    ...[...functionActions, ...stackActions]
      .filter(({ keys }) => keys !== '')
      .map(({ keys, label }): [string, string] => [keys, label]),
    [FILTER_KEYS, l10n.t('Add a filter by name or pattern')],
    [l10n.t('click a filter, Enter'), l10n.t('edit it')],
  ],
};

/** What the page of a comparison has, or that of a run. */
export const helpGroups = (of: 'comparison' | 'run'): readonly HelpGroup[] =>
  of === 'comparison'
    ? [moving, zooming(true), searching, source, viewing]
    : [moving, zooming(false), searching, source, viewing, timeline, map, threads, waits, causes, locks, transforming];
