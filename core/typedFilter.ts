// A filter as the user types it: what it applies to, how its text is meant, and what happens with the samples. It becomes a part of
// the selection, and can be read back from one to be edited. Patterns are those of the engine (analysis/src/names.rs).
import * as l10n from '@vscode/l10n';
import { countText } from './numbersAsText.ts';
import {
  NAME_LIMIT,
  NAMES_LIMIT,
  type ShownSelection,
  type ShownTransform,
  TRANSFORMS_LIMIT,
} from './selectionMessages.ts';

export const filterThings = ['function', 'file', 'module', 'thread', 'process'] as const;
export type FilterThing = (typeof filterThings)[number];
export const filterMeanings = ['name', 'glob', 'regex'] as const;
export type FilterMeaning = (typeof filterMeanings)[number];
/** Focus: as keep, and the outermost call becomes the root. */
export const filterActs = ['keep', 'drop', 'hide', 'focus'] as const;
export type FilterAct = (typeof filterActs)[number];

export interface TypedFilter {
  readonly thing: FilterThing;
  readonly meaning: FilterMeaning;
  readonly act: FilterAct;
  readonly text: string;
}

/** Where a filter is in a selection. */
export interface FilterPlace {
  readonly part: ThreadPart | 'transforms';
  readonly at: number;
}
type ThreadPart = 'threads' | 'processes' | 'droppedThreads' | 'droppedProcesses';

export const EMPTY_FILTER: TypedFilter = { thing: 'function', meaning: 'glob', act: 'keep', text: '' };

const ACTS: Readonly<Record<FilterThing, readonly FilterAct[]>> = {
  function: ['keep', 'drop', 'hide', 'focus'],
  file: ['keep', 'drop', 'hide'],
  module: ['keep', 'drop', 'hide'],
  thread: ['keep', 'drop'],
  process: ['keep', 'drop'],
};
/** What can happen by a thing. */
export const actsOf = (thing: FilterThing): readonly FilterAct[] => ACTS[thing];

/** Between slashes a text is a regular expression to the engine. */
const isExpression = (text: string): boolean => text.length > 2 && text.startsWith('/') && text.endsWith('/');
/** Whether a text of a selection can mean several names. */
export const isPattern = (text: string): boolean => isExpression(text) || /[*?]/.test(text);

/** The text as engine and command line have it. */
export const patternOf = ({ meaning, text }: Pick<TypedFilter, 'meaning' | 'text'>): string =>
  meaning === 'regex' ? `/${text}/` : text;

/** What is wrong with the text before the engine is asked; undefined: nothing. */
export function problemOf(filter: TypedFilter): string | undefined {
  const { thing, meaning, text } = filter;
  if (text === '') return emptyText[thing]();
  const { length } = patternOf(filter);
  if (length > NAME_LIMIT)
    return l10n.t(
      'The text has {0} characters, but a filter has at most {1}. Shorten it, or use a pattern.',
      countText(length),
      countText(NAME_LIMIT),
    );
  if (meaning !== 'regex' && isExpression(text))
    return l10n.t('A text between slashes is a regular expression. Choose that above, or leave out a slash.');
  return undefined;
}

const emptyText: Readonly<Record<FilterThing, () => string>> = {
  function: () => l10n.t('Enter the name of a function, or a pattern.'),
  file: () => l10n.t('Enter the path of a source file, the end of it, or a pattern.'),
  module: () => l10n.t('Enter the file name of a module, or a pattern.'),
  thread: () => l10n.t('Enter the name or number of a thread, or a pattern.'),
  process: () => l10n.t('Enter the name or number of a process, or a pattern.'),
};

/** The selection with the filter, in place of the one at `edited` if that is given; a string: why that is too much. */
export function withFilter(
  selection: ShownSelection,
  filter: TypedFilter,
  edited?: FilterPlace | undefined,
): ShownSelection | string {
  const text = patternOf(filter);
  const part = partOf(filter);
  const former = edited && formerTransform(selection, edited);
  const made = part === 'transforms' ? transformOf(filter, text, former) : text;
  const inPlace = edited?.part === part;
  const left = edited && !inPlace ? without(selection, edited) : selection;
  const items = left[part] as readonly (ShownTransform | string)[];
  const changed = inPlace ? items.map((item, at) => (at === edited.at ? made : item)) : [...items, made];
  const distinct = typeof made === 'string' ? [...new Set(changed)] : changed;
  const limit = part === 'transforms' ? TRANSFORMS_LIMIT : NAMES_LIMIT;
  if (distinct.length > limit)
    return l10n.t('A selection has room for {0} filters of this kind. Remove one first.', limit);
  return { ...left, [part]: distinct };
}

/** The filter that a part of the selection is; undefined: it is none that can be typed. */
export function filterAt(selection: ShownSelection, { part, at }: FilterPlace): TypedFilter | undefined {
  if (part !== 'transforms') {
    const text = selection[part][at];
    const thing = part === 'threads' || part === 'droppedThreads' ? 'thread' : 'process';
    const act = part === 'threads' || part === 'processes' ? 'keep' : 'drop';
    return text === undefined ? undefined : { thing, act, ...meantBy(text) };
  }
  const transform = selection.transforms[at];
  const row = transform && ROWS.find(({ kind }) => kind === transform.kind);
  if (!transform || !row) return undefined;
  const { thing, act } = row;
  return { thing, act, ...meantBy(textOf(transform)) };
}

const ROWS: readonly {
  readonly thing: 'function' | 'file' | 'module';
  readonly act: FilterAct;
  readonly kind: ShownTransform['kind'];
}[] = [
  { thing: 'function', act: 'keep', kind: 'keepFunction' },
  { thing: 'function', act: 'drop', kind: 'dropFunction' },
  { thing: 'function', act: 'hide', kind: 'mergeFunction' },
  { thing: 'function', act: 'focus', kind: 'focusFunction' },
  { thing: 'module', act: 'keep', kind: 'keepModule' },
  { thing: 'module', act: 'drop', kind: 'dropModule' },
  { thing: 'module', act: 'hide', kind: 'hideModule' },
  { thing: 'file', act: 'keep', kind: 'keepFile' },
  { thing: 'file', act: 'drop', kind: 'dropFile' },
  { thing: 'file', act: 'hide', kind: 'hideFile' },
];

function partOf({ thing, act }: TypedFilter): FilterPlace['part'] {
  if (thing === 'thread') return act === 'drop' ? 'droppedThreads' : 'threads';
  if (thing === 'process') return act === 'drop' ? 'droppedProcesses' : 'processes';
  return 'transforms';
}

function textOf(transform: ShownTransform): string {
  if ('function' in transform) return transform.function.name;
  if ('module' in transform) return transform.module;
  return 'file' in transform ? transform.file : '';
}

function meantBy(text: string): Pick<TypedFilter, 'meaning' | 'text'> {
  if (isExpression(text)) return { meaning: 'regex', text: text.slice(1, -1) };
  return { meaning: isPattern(text) ? 'glob' : 'name', text };
}

function transformOf({ thing, act }: TypedFilter, text: string, former: ShownTransform | undefined): ShownTransform {
  const { kind } = ROWS.find((row) => row.thing === thing && row.act === act)!;
  if (thing === 'function') {
    // A function that was chosen on the page stays that of its module while its name stays.
    const module = former && 'function' in former && former.function.name === text ? former.function.module : '';
    return { kind, function: { name: text, module } } as ShownTransform;
  }
  return { kind, [thing]: text } as unknown as ShownTransform;
}

const formerTransform = ({ transforms }: ShownSelection, { part, at }: FilterPlace): ShownTransform | undefined =>
  part === 'transforms' ? transforms[at] : undefined;

const without = (selection: ShownSelection, { part, at }: FilterPlace): ShownSelection => ({
  ...selection,
  [part]: (selection[part] as readonly unknown[]).filter((_, i) => i !== at),
});
