// A selection as flags of the command line (`lineheat annotate --help`; helper/crates/lineheat/src/selection_flags.rs). The command
// line cannot say all that the page can: what it would understand in another way is refused, so that no other figures are shown.
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../core/foreignText.ts';
import type { NamedFunction } from '../../../core/namedFunction.ts';
import { transformText } from '../../../core/selectionChips.ts';
import type { ShownSelection, ShownTimeRange, ShownTransform } from '../../../core/selectionMessages.ts';

export interface FlagsContext {
  /** The modules that have a function of this name. Flags name functions without their module. */
  modulesOf(name: string): ReadonlySet<string>;
  /** `--my-code` means the folder where the run was recorded; the page means these, if there are any. */
  readonly workspaceFolders: readonly string[];
}

/** `refused` is a sentence for the user: which part cannot be said, and why. */
export type SelectionFlags = { readonly flags: readonly string[] } | { readonly refused: string };

type Kind = ShownTransform['kind'];
/** Changes that only the page can make. */
type Flagless = 'focusSelf' | 'focusSubtree';
const isFlagless = (kind: Kind): kind is Flagless => kind === 'focusSelf' || kind === 'focusSubtree';

/** Values are joined to their flag: a name may begin with a dash. */
export function selectionFlags(selection: ShownSelection, context: FlagsContext): SelectionFlags {
  const { times, threads, processes, droppedThreads, droppedProcesses, executions, transforms } = selection;
  const refused = refusalOf(transforms, context);
  if (refused !== undefined) return { refused };
  return {
    flags: [
      ...times.map((range) => `--time=${secondsOf(range)}`),
      ...threads.map((thread) => `--thread=${thread}`),
      ...processes.map((process) => `--process=${process}`),
      ...droppedThreads.map((thread) => `--drop-thread=${thread}`),
      ...droppedProcesses.map((process) => `--drop-process=${process}`),
      ...executions.map((number) => `--execution=${number}`),
      // A change that is made twice is made once.
      ...new Set(transforms.flatMap(transformFlags)),
    ],
  };
}

/** Whether `modulesOf` is asked for anything. */
export const namesFunctions = ({ transforms }: ShownSelection): boolean =>
  transforms.flatMap(functionsOf).some(({ module }) => module !== '');

const functionsOf = (transform: ShownTransform): readonly NamedFunction[] => {
  if ('function' in transform) return [transform.function];
  return transform.kind === 'myCode' ? (transform.opened ?? []) : [];
};

/** Seconds with nine decimals: each nanosecond, without rounding. */
const secondsOf = ({ fromNs, toNs }: ShownTimeRange): string => `${seconds(fromNs)}-${seconds(toNs)}`;
const seconds = (ns: number): string => `${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, '0')}`;

const FUNCTION_FLAGS = {
  focusFunction: '--focus',
  mergeFunction: '--hide',
  dropFunction: '--drop',
  keepFunction: '--keep',
  collapseRecursion: '--collapse-recursion',
  collapseDirectRecursion: '--collapse-direct-recursion',
} as const satisfies Partial<Record<Kind, string>>;

function transformFlags(transform: ShownTransform): string | string[] {
  switch (transform.kind) {
    case 'focusFunction':
    case 'mergeFunction':
    case 'dropFunction':
    case 'keepFunction':
    case 'collapseRecursion':
    case 'collapseDirectRecursion':
      return `${FUNCTION_FLAGS[transform.kind]}=${transform.function.name}`;
    case 'collapseModule':
      return `--collapse-module=${transform.module}`;
    case 'hideModule':
      return `--hide-module=${transform.module}`;
    case 'keepModule':
      return `--keep-module=${transform.module}`;
    case 'dropModule':
      return `--drop-module=${transform.module}`;
    case 'keepFile':
      return `--keep-file=${transform.file}`;
    case 'dropFile':
      return `--drop-file=${transform.file}`;
    case 'hideFile':
      return `--hide-file=${transform.file}`;
    case 'hideKernel':
      return '--hide-kernel';
    case 'hideRuntime':
      return `--hide-runtime=${transform.runtime}`;
    case 'myCode':
      return ['--my-code', ...(transform.opened ?? []).map(({ name }) => `--open=${name}`)];
    case 'focusSelf':
    case 'focusSubtree':
      throw new Error('refused before');
  }
}

/**
 * When the command line makes a change, whatever the order of the flags. Those with one number only leave samples out, or only
 * frames, and give the same in any order.
 */
const TURNS: Readonly<Record<Exclude<Kind, Flagless>, number>> = {
  dropFunction: 0,
  dropModule: 0,
  dropFile: 0,
  keepFunction: 0,
  keepModule: 0,
  keepFile: 0,
  focusFunction: 1,
  mergeFunction: 2,
  hideModule: 2,
  hideFile: 2,
  hideKernel: 2,
  hideRuntime: 2,
  myCode: 3,
  collapseModule: 4,
  collapseRecursion: 5,
  collapseDirectRecursion: 6,
};

/** Why these changes of the stacks cannot be given as flags; undefined: they can. */
function refusalOf(transforms: readonly ShownTransform[], context: FlagsContext): string | undefined {
  let latest: ShownTransform | undefined;
  for (const transform of transforms) {
    const { kind } = transform;
    const words = transformText(transform, (name) => visibleText(name, 200));
    if (isFlagless(kind)) return l10n.t('The annotated listing cannot show this part of the selection: {0}.', words);
    if (kind === 'myCode' && context.workspaceFolders.length > 0)
      return l10n.t(
        'The annotated listing cannot show this part of the selection: {0}. It would take the code below the folder where the run was recorded for yours, not the open folders.',
        words,
      );
    if (functionsOf(transform).some((named) => isElsewhere(named, context)))
      return l10n.t(
        'The annotated listing cannot show this part of the selection: {0}. Functions of other modules have the same name.',
        words,
      );
    if (kind === 'focusFunction' && latest?.kind === kind)
      return l10n.t('The annotated listing can focus on one function only.');
    if (latest && !isFlagless(latest.kind) && TURNS[kind] < TURNS[latest.kind])
      return l10n.t(
        'The annotated listing cannot change the stacks in this order: first {0}, then {1}.',
        transformText(latest, (name) => visibleText(name, 200)),
        words,
      );
    latest = transform;
  }
  return undefined;
}

/** A function without a module is meant in any. */
function isElsewhere({ name, module }: NamedFunction, { modulesOf }: FlagsContext): boolean {
  return module !== '' && [...modulesOf(name)].some((other) => other !== module);
}
