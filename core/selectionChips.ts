// A selection as chips: one for each part of it, in words, with the selection that is left without it.
import * as l10n from '@vscode/l10n';
import { visibleText } from './foreignText.ts';
import { countText, timeRangeText } from './numbersAsText.ts';
import type { MyCode, Runtime, ShownSelection, ShownTransform } from './selectionMessages.ts';
import { shortName } from './shortName.ts';
import { type FilterPlace, filterAt, isPattern } from './typedFilter.ts';

export interface Chip {
  readonly kind: 'time' | 'thread' | 'process' | 'execution' | 'transform';
  readonly text: string; // escaped
  readonly title: string; // the same in full
  readonly without: ShownSelection;
  /** Where its filter is, if it is one that can be typed. */
  readonly place?: FilterPlace | undefined;
}

const EACH_MAX = 8; // chips of one kind; more than that are one chip together
const NAME_MAX = 40; // characters
const OPENED_NAMED_MAX = 2;

/** `threadNamed` knows the names of some threads by their numbers, escaped. */
export function chipsOf(selection: ShownSelection, threadNamed: (tid: string) => string | undefined): Chip[] {
  const { times, threads, processes, droppedThreads, droppedProcesses, executions, transforms } = selection;
  const thread = (text: string) => {
    const name = threadNamed(text);
    return name ? l10n.t('Thread {0} ({1})', name, text) : l10n.t('Thread {0}', visibleText(text, NAME_MAX));
  };
  const droppedThread = (text: string) => {
    const name = threadNamed(text);
    return name ? l10n.t('Drop thread {0} ({1})', name, text) : l10n.t('Drop thread {0}', visibleText(text, NAME_MAX));
  };
  const typed = (part: FilterPlace['part'], chips: readonly Chip[]): Chip[] =>
    chips.length < selection[part].length ? [...chips] : chips.map((chip, at) => ({ ...chip, place: { part, at } }));
  return [
    ...each('time', times, timeRangeText, (count) => l10n.t('{0} time ranges', count), without(selection, 'times')),
    ...typed(
      'threads',
      each('thread', threads, thread, (count) => l10n.t('{0} threads', count), without(selection, 'threads')),
    ),
    ...typed(
      'processes',
      each(
        'process',
        processes,
        (text) => l10n.t('Process {0}', visibleText(text, NAME_MAX)),
        (count) => l10n.t('{0} processes', count),
        without(selection, 'processes'),
      ),
    ),
    ...typed(
      'droppedThreads',
      each(
        'thread',
        droppedThreads,
        droppedThread,
        (count) => l10n.t('{0} threads dropped', count),
        without(selection, 'droppedThreads'),
      ),
    ),
    ...typed(
      'droppedProcesses',
      each(
        'process',
        droppedProcesses,
        (text) => l10n.t('Drop process {0}', visibleText(text, NAME_MAX)),
        (count) => l10n.t('{0} processes dropped', count),
        without(selection, 'droppedProcesses'),
      ),
    ),
    ...each(
      'execution',
      executions,
      (number) => l10n.t('Execution {0}', countText(number)),
      (count) => l10n.t('{0} executions', count),
      without(selection, 'executions'),
    ),
    ...transforms.map(
      (transform, at): Chip => ({
        kind: 'transform',
        text: transformText(transform, (name) => visibleText(isPattern(name) ? name : shortName(name), NAME_MAX)),
        title: transformText(transform, visibleText),
        without: { ...selection, transforms: transforms.filter((_, i) => i !== at) },
        place: filterAt(selection, { part: 'transforms', at }) && { part: 'transforms', at },
      }),
    ),
  ];
}

/** A transform in words; `named` says how a function or module is written. */
export function transformText(transform: ShownTransform, named: (name: string) => string): string {
  switch (transform.kind) {
    case 'focusFunction':
      return l10n.t('Focus: {0}', named(transform.function.name));
    case 'focusSelf':
      return l10n.t('Self only: {0}', named(transform.function.name));
    case 'mergeFunction':
      return l10n.t('Without: {0}', named(transform.function.name));
    case 'dropFunction':
      return l10n.t('Drop: {0}', named(transform.function.name));
    case 'keepFunction':
      return l10n.t('Only with: {0}', named(transform.function.name));
    case 'collapseRecursion':
      return l10n.t('Recursion collapsed: {0}', named(transform.function.name));
    case 'collapseDirectRecursion':
      return l10n.t('Direct recursion collapsed: {0}', named(transform.function.name));
    case 'focusSubtree':
      return l10n.t('Call path to {0}', named(transform.path.at(-1)?.name ?? ''));
    case 'hideRuntime':
      return runtimeHidden(transform.runtime);
    case 'collapseModule':
      return l10n.t('Module {0} collapsed', named(transform.module));
    case 'hideModule':
      return l10n.t('Module {0} hidden', named(transform.module));
    case 'keepModule':
      return l10n.t('Only with module {0}', named(transform.module));
    case 'dropModule':
      return l10n.t('Drop module {0}', named(transform.module));
    case 'keepFile':
      return l10n.t('Only with file {0}', named(transform.file));
    case 'dropFile':
      return l10n.t('Drop file {0}', named(transform.file));
    case 'hideFile':
      return l10n.t('File {0} hidden', named(transform.file));
    case 'hideKernel':
      return l10n.t('Kernel hidden');
    case 'myCode':
      return myCodeText(transform, named);
  }
}

function myCodeText({ opened = [] }: MyCode, named: (name: string) => string): string {
  if (opened.length === 0) return l10n.t('Just my code');
  const names = opened.slice(0, OPENED_NAMED_MAX).map(({ name }) => named(name));
  if (opened.length > names.length) return l10n.t('Just my code, {0} functions opened', countText(opened.length));
  return l10n.t('Just my code, opened: {0}', names.join(', '));
}

function runtimeHidden(runtime: Runtime): string {
  switch (runtime) {
    case 'go':
      return l10n.t('Go runtime hidden');
    case 'rust':
      return l10n.t('Rust standard library hidden');
    case 'cpp':
      return l10n.t('C++ standard library hidden');
    case 'ocaml':
      return l10n.t('OCaml runtime hidden');
    case 'interrupts':
      return l10n.t('Interrupts hidden');
  }
}

/** What is left when items of one kind go: `at` of them, or all. */
const without =
  (selection: ShownSelection, part: Exclude<keyof ShownSelection, 'transforms'>) =>
  (at: number | undefined): ShownSelection => ({
    ...selection,
    [part]: at === undefined ? [] : (selection[part] as readonly unknown[]).filter((_, i) => i !== at),
  });

function each<Item>(
  kind: Chip['kind'],
  items: readonly Item[],
  textOf: (item: Item) => string,
  together: (count: string) => string,
  left: (at: number | undefined) => ShownSelection,
): Chip[] {
  if (items.length > EACH_MAX) {
    const title = items.slice(0, 40).map(textOf).join(', ');
    return [{ kind, text: together(countText(items.length)), title, without: left(undefined) }];
  }
  return items.map((item, at) => {
    const text = textOf(item);
    return { kind, text, title: text, without: left(at) };
  });
}
