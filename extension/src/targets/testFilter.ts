// The tests inside a test program, and the arguments that run only some of them.

import fs from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { textsIn } from './fileBytes.ts';
import type { LaunchPlan, Step, TestFramework } from './target.ts';

export interface TestChoice {
  readonly name: string;
  readonly isGroup: boolean;
  readonly args: readonly string[];
}

const LIST_TIMEOUT_MS = 20_000;
const CHOICES_MAX = 5000;

/** What the program of a plan was written with; undefined when it holds no tests that we know to list. */
export async function testFramework({ program, tests }: LaunchPlan): Promise<TestFramework | undefined> {
  if (tests) return tests;
  if (!(await isElf(program))) return undefined;
  // An option's name where the framework is linked statically, a symbol of it where it is a library.
  const marks = { googletest: ['gtest_filter', '_ZN7testing8internal'], catch2: ['N5Catch', 'list-test-names-only'] };
  const found = await textsIn(program, Object.values(marks).flat());
  if (marks.googletest.some((mark) => found.has(mark))) return 'googletest';
  if (marks.catch2.some((mark) => found.has(mark))) return 'catch2';
  return undefined;
}

async function isElf(program: string): Promise<boolean> {
  const file = await fs.open(program).catch(() => undefined);
  if (!file) return false;
  try {
    const { buffer } = await file.read(new Uint8Array(4), 0, 4, 0);
    return new TextDecoder('latin1').decode(buffer) === '\x7fELF';
  } catch {
    return false; // a folder
  } finally {
    await file.close();
  }
}

const LIST_ARGUMENTS: Readonly<Record<TestFramework, readonly string[]>> = {
  googletest: ['--gtest_list_tests'],
  catch2: ['--list-tests', '--verbosity', 'quiet'],
  libtest: ['--list', '--format', 'terse'],
};

/** Lists the tests of a program by running it with its framework's option for that. */
export function listStep({ program, cwd, env, name }: LaunchPlan, framework: TestFramework): Step {
  return {
    title: l10n.t('Listing the tests of {0}', name),
    command: program,
    args: LIST_ARGUMENTS[framework],
    cwd,
    env,
    quietOutput: true,
    // Catch2 2 returns how many tests there are.
    anyExitCode: framework === 'catch2',
    timeoutMs: LIST_TIMEOUT_MS,
  };
}

/** The groups and tests in what the program printed. */
export function testChoices(output: string, framework: TestFramework): TestChoice[] {
  const choices =
    framework === 'googletest' ? googletest(output) : framework === 'catch2' ? catch2(output) : libtest(output);
  return choices.slice(0, CHOICES_MAX);
}

/** `Suite.` and its tests indented below it; what follows `#` describes parameters. */
function googletest(output: string): TestChoice[] {
  const choices: TestChoice[] = [];
  let suite: string | undefined;
  for (const line of output.split('\n')) {
    const text = line.split('#')[0]!.trimEnd();
    if (/^\S+\.$/.test(text)) {
      suite = text;
      choices.push({ name: suite.slice(0, -1), isGroup: true, args: [`--gtest_filter=${suite}*`] });
    } else if (suite && /^ {2}\S+$/.test(text)) {
      const name = suite + text.trim();
      choices.push({ name, isGroup: false, args: [`--gtest_filter=${name}`] });
    }
  }
  return choices;
}

/** Version 3 prints a name on each line; version 2 indents them by two and their tags by more, between two sentences. */
function catch2(output: string): TestChoice[] {
  const isOld = /^(All available|Matching) test cases:/m.test(output);
  const names = output.split('\n').flatMap((line) => {
    if (isOld) return /^ {2}\S/.test(line) ? [line.trim()] : [];
    return line.trim() === '' ? [] : [line.trim()];
  });
  return names.map((name) => ({ name, isGroup: false, args: [name.replace(/[\\,[\]*"]/g, '\\$&')] }));
}

/** `module::name: test`; a benchmark is listed there, too. */
function libtest(output: string): TestChoice[] {
  const names = [...output.matchAll(/^(.+): test$/gm)].map(([, name]) => name!);
  const groups = new Set(
    names.flatMap((name) => (name.includes('::') ? [name.slice(0, name.lastIndexOf('::') + 2)] : [])),
  );
  return [
    ...[...groups].map((group) => ({ name: group.slice(0, -2), isGroup: true, args: [group] })),
    ...names.map((name) => ({ name, isGroup: false, args: [name, '--exact'] })),
  ];
}
