// Which key changes the stacks in which way: the letters of Firefox's profiler. The help and the menus show this list.
import * as l10n from '@vscode/l10n';
import type { NamedFunction } from '../../core/namedFunction.ts';
import {
  type CallPath,
  type FileTransform,
  PATH_LIMIT,
  type Runtime,
  type ShownTransform,
} from '../../core/selectionMessages.ts';
import type { KeyLike } from '../graph/graphKeys.ts';

/** What can be done with the selected function; modules are hidden by the menu alone. */
export type FunctionAction = FunctionChange | 'openCollapsed';
/** What makes one more transform. */
type FunctionChange = Exclude<ShownTransform['kind'], StackAction | TypedOnly | 'hideRuntime'>;
/** What only a typed filter does. */
type TypedOnly = 'keepFunction' | 'keepModule' | 'dropModule' | FileTransform;
/** What needs no function. */
export type StackAction = 'hideKernel' | 'myCode';

interface Binding<Action> {
  readonly action: Action;
  readonly key: string; // as the event has it; empty: none
  readonly keys: string; // as people read it
  readonly label: string;
}

export const functionActions: readonly Binding<FunctionAction>[] = [
  { action: 'focusFunction', key: 'f', keys: 'F', label: l10n.t('Focus on Function') },
  { action: 'focusSelf', key: 'S', keys: 'Shift+S', label: l10n.t('Focus on Self') },
  { action: 'focusSubtree', key: 'F', keys: 'Shift+F', label: l10n.t('Focus on Call Path') },
  { action: 'mergeFunction', key: 'm', keys: 'M', label: l10n.t('Merge Function into Callers') },
  { action: 'dropFunction', key: 'd', keys: 'D', label: l10n.t('Drop Samples with Function') },
  { action: 'collapseRecursion', key: 'r', keys: 'R', label: l10n.t('Collapse Recursion') },
  {
    action: 'collapseDirectRecursion',
    key: 'R',
    keys: 'Shift+R',
    label: l10n.t('Collapse Direct Recursion'),
  },
  { action: 'collapseModule', key: 'C', keys: 'Shift+C', label: l10n.t('Collapse Module') },
  { action: 'hideModule', key: '', keys: '', label: l10n.t('Merge Module into Callers') },
  { action: 'openCollapsed', key: 'o', keys: 'O', label: l10n.t('Show or Collapse What It Calls') },
];

export const stackActions: readonly Binding<StackAction>[] = [
  { action: 'hideKernel', key: 'k', keys: 'K', label: l10n.t('Hide Kernel') },
  { action: 'myCode', key: 'j', keys: 'J', label: l10n.t('Just My Code') },
];

/** By the menu alone. */
export const runtimeLabels: Readonly<Record<Runtime, string>> = {
  go: l10n.t('Hide Go Runtime'),
  rust: l10n.t('Hide Rust Standard Library'),
  cpp: l10n.t('Hide C++ Standard Library'),
  ocaml: l10n.t('Hide OCaml Runtime'),
  interrupts: l10n.t('Hide Interrupts'),
};

const isPlain = ({ ctrlKey, metaKey, altKey }: KeyLike): boolean => !ctrlKey && !metaKey && !altKey;

/** What a key does with the selected function. */
export const functionAction = (event: KeyLike): FunctionAction | undefined =>
  isPlain(event) ? functionActions.find(({ key }) => key !== '' && key === event.key)?.action : undefined;

/** What a key does wherever the focus is on the page. */
export const stackAction = (event: KeyLike): StackAction | undefined =>
  isPlain(event) ? stackActions.find(({ key }) => key === event.key.toLowerCase())?.action : undefined;

/** The key that opens the form of a filter, as people read it. */
export const FILTER_KEYS = 'A';
export const isFilterKey = (event: KeyLike): boolean => isPlain(event) && event.key.toLowerCase() === 'a';

/**
 * The transform of a function, `callPath` is that of its node in the graph; undefined: it has no module to be meant, or no such
 * node.
 */
export function transformOf(
  action: FunctionChange,
  named: NamedFunction,
  callPath?: CallPath | undefined,
): ShownTransform | undefined {
  if (action === 'focusSubtree')
    return callPath && callPath.path.length <= PATH_LIMIT ? { kind: action, ...callPath } : undefined;
  if (action !== 'collapseModule' && action !== 'hideModule') return { kind: action, function: named };
  return named.module === '' ? undefined : { kind: action, module: named.module };
}
