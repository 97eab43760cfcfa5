// A command that the user types, and a program that they browse for. Both can be found again from their id alone.

import fs from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../core/foreignText.ts';
import { type Target, TargetError } from './target.ts';

export interface Command {
  readonly env: Readonly<Record<string, string>>;
  readonly program: string;
  readonly args: readonly string[];
}

/** A command as it was typed, and the folder that it runs in. */
export interface TypedCommand {
  readonly line: string;
  readonly cwd: string;
}

const expands = (syntax: string): string =>
  l10n.t("{0} expands variables or commands, which only a shell can do. Quote it, or run: sh -c '…'", syntax);

/** What only a shell could do. Quotes make plain characters of them. */
const SHELL_SYNTAX: readonly (readonly [RegExp, (syntax: string) => string])[] = [
  [
    /^(\|\|?|&&?|;)/,
    (syntax) => l10n.t("{0} joins commands, which only a shell can do. Quote it, or run: sh -c '…'", syntax),
  ],
  [
    /^[<>]/,
    (syntax) => l10n.t("{0} redirects input or output, which only a shell can do. Quote it, or run: sh -c '…'", syntax),
  ],
  [/^[$`]/, expands],
  [
    /^[*?[]/,
    (syntax) => l10n.t("{0} matches file names, which only a shell can do. Quote it, or run: sh -c '…'", syntax),
  ],
  [
    /^[()]/,
    (syntax) => l10n.t("{0} starts a subshell, which only a shell can do. Quote it, or run: sh -c '…'", syntax),
  ],
];

/**
 * The command in `text`, or a sentence that says what is wrong with it. Words are split as in a shell: quotes, backslashes,
 * `NAME=value` before the program, and `~` for `home`. There is no shell, so what only a shell could do is refused.
 */
export function parseCommand(text: string, home = ''): Command | string {
  const words = wordsOf(text, home);
  if (typeof words === 'string') return words;
  const first = words.findIndex(({ text: word, assigns }) => !(assigns && /^[A-Za-z_]\w*=/.test(word)));
  if (first < 0) return words.length > 0 ? l10n.t('Add the program to run.') : l10n.t('Type a command.');
  const env = words.slice(0, first).map(({ text: word }) => {
    const at = word.indexOf('=');
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  const [program, ...args] = words.slice(first).map(({ text: word }) => word);
  return program ? { env: Object.fromEntries(env), program, args } : l10n.t('The name of the program is empty.');
}

interface Word {
  readonly text: string;
  /** Its name and `=` were not quoted, so it may set a variable. */
  readonly assigns: boolean;
}

function wordsOf(text: string, home: string): Word[] | string {
  const words: Word[] = [];
  let word: { text: string; assigns: boolean } | undefined;
  const append = (part: string, quoted: boolean) => {
    word ??= { text: '', assigns: true };
    if (quoted && !word.text.includes('=')) word.assigns = false;
    word.text += part;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (/\s/.test(character)) {
      if (word) words.push(word);
      word = undefined;
    } else if (character === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return OPEN_QUOTE;
      append(text.slice(at + 1, end), true);
      at = end;
    } else if (character === '"') {
      append('', true);
      for (at++; text[at] !== '"'; at++) {
        if (at >= text.length) return OPEN_QUOTE;
        if (text[at] === '$' || text[at] === '`') return expands(text[at]!);
        if (text[at] === '\\' && /["\\$`]/.test(text[at + 1] ?? '')) at++;
        append(text[at]!, true);
      }
    } else if (character === '\\') {
      at++;
      append(text[at] ?? '', true);
    } else if (character === '~' && !word && /^(\/|\s|$)/.test(text.slice(at + 1)) && home) {
      append(home, true);
    } else {
      const found = SHELL_SYNTAX.find(([syntax]) => syntax.test(text.slice(at)));
      if (found) return found[1](found[0].exec(text.slice(at))![0]);
      append(character, false);
    }
  }
  if (word) words.push(word);
  return words;
}

const OPEN_QUOTE = l10n.t('A quote is not closed.');

/** The target that runs a typed command. */
export function commandTarget({ line, cwd }: TypedCommand, home = ''): Target {
  return {
    id: `command:${JSON.stringify({ line, cwd })}`,
    kind: 'program',
    label: line,
    description: l10n.t('command in {0}', cwd),
    takesArguments: false,
    prepare: async () => {
      const command = parseCommand(line, home);
      if (typeof command === 'string') throw new TargetError(l10n.t('Cannot run {0}. {1}', visibleText(line), command));
      await requireFolder(cwd);
      const { env, program, args } = command;
      // A name without a slash is looked up in PATH by the engine.
      return { name: path.basename(program), program, args, cwd, env };
    },
  };
}

/** The target that runs a program that the user browsed for. */
export function browsedTarget(program: string, cwd: string): Target {
  return {
    id: `browsed:${JSON.stringify({ program, cwd })}`,
    kind: 'program',
    label: path.basename(program),
    description: program,
    takesArguments: true,
    prepare: async ({ args }) => {
      await requireProgram(program);
      return { name: path.basename(program), program, args, cwd, env: {} };
    },
  };
}

/** The target that an id names by itself; undefined for one that has to be discovered. */
export function targetOfId(id: string, home = ''): Target | undefined {
  const [, kind, saved] = /^(command|browsed):(.*)$/s.exec(id) ?? [];
  if (!kind || !saved) return undefined;
  try {
    const { line, program, cwd } = JSON.parse(saved) as Record<string, unknown>;
    if (typeof cwd !== 'string') return undefined;
    if (kind === 'command') return typeof line === 'string' ? commandTarget({ line, cwd }, home) : undefined;
    return typeof program === 'string' ? browsedTarget(program, cwd) : undefined;
  } catch {
    return undefined;
  }
}

async function requireFolder(folder: string): Promise<void> {
  const stat = await fs.stat(folder).catch(() => undefined);
  if (stat?.isDirectory()) return;
  throw new TargetError(
    l10n.t('The working directory {0} does not exist.', visibleText(folder)),
    l10n.t('Choose another one.'),
  );
}

async function requireProgram(program: string): Promise<void> {
  const shown = visibleText(program);
  const stat = await fs.stat(program).catch(() => undefined);
  if (!stat)
    throw new TargetError(
      l10n.t('The program {0} does not exist.', shown),
      l10n.t('Build it, or browse for another one.'),
    );
  const isExecutable = await fs.access(program, fs.constants.X_OK).then(
    () => true,
    () => false,
  );
  if (stat.isFile() && isExecutable) return;
  const advice = stat.isFile()
    ? l10n.t('Make it executable with chmod +x, or use Run a Command… with its interpreter.')
    : l10n.t('Browse for a file.');
  throw new TargetError(l10n.t('{0} is not an executable file.', shown), advice);
}

const HISTORY_MAX = 30;

/** The history after `used` ran: newest first, each command once. */
export function historyAfter(history: readonly TypedCommand[], used: TypedCommand): TypedCommand[] {
  const others = history.filter(({ line, cwd }) => line !== used.line || cwd !== used.cwd);
  return [used, ...others].slice(0, HISTORY_MAX);
}
