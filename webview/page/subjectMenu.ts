// The menu of a frame of the graph or a row of a table: what can be done with its function.
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../core/foreignText.ts';
import { isSameFunction, type NamedFunction } from '../../core/namedFunction.ts';
import type { CallPath } from '../../core/selectionMessages.ts';
import type { ViewKind } from '../../core/webviewMessages.ts';
import { type FrameTable, frameModule, frameName } from '../content/frameTable.ts';
import { type FunctionAction, functionActions, transformOf } from '../selection/transformKeys.ts';
import { type MenuGroup, type MenuPlace, openContextMenu } from './contextMenu.ts';
import type { RowAction } from './tablePane.ts';

/** What a menu is of: a frame of the graph, or a row of a table with the heaviest frame of its function. */
export interface Subject {
  readonly view: ViewKind;
  readonly index: number; // node or row
  readonly frames: FrameTable;
  readonly frame: number;
  readonly node: number; // -1: it has none
}

export interface MenuActs {
  act(action: RowAction): void;
  open(): void;
  zoom(): void;
  /** Undefined: nothing is hidden. */
  readonly showHidden: (() => void) | undefined;
  /** What changes the stacks without a function; undefined: stacks cannot be changed here. */
  readonly stackItems: readonly MenuGroup[] | undefined;
  /** Undefined: it is no node of the graph. */
  readonly callPath: CallPath | undefined;
  /** Library functions that are shown with what they call. */
  readonly opened: readonly NamedFunction[];
  readonly zoomKeys: string;
}

export const namedBy = ({ frames, frame }: Subject): NamedFunction => ({
  name: frameName(frames, frame),
  module: frameModule(frames, frame),
});

export function openSubjectMenu(subject: Subject, place: MenuPlace, acts: MenuActs) {
  const { showHidden, stackItems } = acts;
  const act = (action: RowAction) => () => acts.act(action);
  const inGraph = subject.node > 0;
  openContextMenu(l10n.t('Menu of {0}', visibleText(namedBy(subject).name)), place, [
    [{ label: l10n.t('Go to Line'), keys: 'F12', act: () => acts.open() }],
    [
      { label: l10n.t('Copy Name'), keys: 'Ctrl+C', act: act('copy') },
      ...(inGraph ? [{ label: l10n.t('Copy Stack'), keys: 'Ctrl+Shift+C', act: act('copyStack') }] : []),
    ],
    [
      ...(inGraph ? [{ label: l10n.t('Zoom to Frame'), keys: acts.zoomKeys, act: () => acts.zoom() }] : []),
      { label: l10n.t('Hide Function'), keys: 'H', act: act('hide') },
      ...(showHidden ? [{ label: l10n.t('Show Hidden Functions'), keys: '', act: showHidden }] : []),
    ],
    [{ label: l10n.t('Open Callers'), keys: 'C', act: act('callers') }],
    ...(stackItems ? [functionItems(subject, acts), ...stackItems] : []),
  ]);
}

function functionItems(subject: Subject, acts: MenuActs): MenuGroup {
  const named = namedBy(subject);
  const isOpened = acts.opened.some((one) => isSameFunction(one, named));
  const isPossible = (action: FunctionAction) =>
    action === 'openCollapsed'
      ? isOpened || subject.frames.collapsed.has(subject.frame)
      : transformOf(action, named, acts.callPath) !== undefined;
  const possible = functionActions.filter(({ action }) => isPossible(action));
  const labelOf = (action: FunctionAction, label: string) => {
    if (action !== 'openCollapsed') return label;
    return isOpened ? l10n.t('Collapse What It Calls') : l10n.t('Show What It Calls');
  };
  return possible.map(({ action, label, keys }) => ({
    ...{ label: labelOf(action, label), keys },
    act: () => acts.act(action),
  }));
}
