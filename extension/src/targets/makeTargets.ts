// Programs that a Makefile links, found by a dry run: make prints its commands and runs none of its recipes.

import fs from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { textsIn } from './fileBytes.ts';
import { type DryRun, type MadeProgram, parseDryRun } from './makeLinks.ts';
import { type PrepareTools, type Step, type Target, TargetError } from './target.ts';

const DRY_RUN_TIMEOUT_MS = 20_000;
const PROGRAMS_MAX = 100;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

/**
 * The programs that the Makefile in `folder` would link. Even a dry run evaluates the Makefile, `$(shell …)` included, so
 * this is for trusted workspaces only.
 */
export async function findMakeTargets(folder: string, run: (step: Step) => Promise<string>): Promise<Target[]> {
  // Makefiles of autoconf have rules for themselves in every folder, which would run: only what is out of date is printed then.
  const isGenerated = (await Promise.all(['Makefile.in', 'config.status'].map((name) => isFile(folder, name)))).some(
    Boolean,
  );
  const flags = isGenerated ? [] : ['--always-make', ...(await settledFiles(folder))];
  const dry = parseDryRun(await run(dryRunStep(folder, flags)), folder);
  return dry.programs.slice(0, PROGRAMS_MAX).map((made) => makeTarget(folder, made, dry));
}

function dryRunStep(folder: string, flags: readonly string[]): Step {
  return {
    title: l10n.t('Reading the Make targets'),
    command: 'make',
    args: ['--dry-run', '--keep-going', '--print-directory', ...flags],
    cwd: folder,
    quietOutput: true,
    env: { LC_ALL: 'C' }, // "Entering directory" is translated
    timeoutMs: DRY_RUN_TIMEOUT_MS,
  };
}

/**
 * Without --always-make a program that is up to date would not be printed. With it make would bring Makefiles up to date,
 * even in a dry run: these, and what they include by name, are taken to be new enough.
 */
async function settledFiles(folder: string): Promise<string[]> {
  const texts = MAKEFILES.map((name) => fs.readFile(path.join(folder, name), 'utf8').catch(() => ''));
  const lines = (await Promise.all(texts)).join('\n').matchAll(/^ *(?:-|s)?include[ \t]+(.*)$/gm);
  const included = [...lines].flatMap(([, names]) => names!.trim().split(/\s+/));
  const files = included.filter((name) => name && !name.includes('$'));
  return [...MAKEFILES, ...files].map((name) => `--old-file=${name}`);
}

async function isFile(folder: string, name: string): Promise<boolean> {
  return (await fs.stat(path.join(folder, name)).catch(() => undefined))?.isFile() === true;
}

function makeTarget(folder: string, { program, target }: MadeProgram, dry: DryRun): Target {
  const name = path.basename(program);
  const added = dry.hasLines ? [] : lineTables(dry);
  return {
    id: `make:${program}`,
    kind: 'make',
    label: name,
    description: added.length > 0 ? l10n.t('Make, {0}, adds -g', target) : l10n.t('Make, {0}', target),
    takesArguments: true,
    prepare: async ({ runStep, args }: PrepareTools) => {
      // What was built without line tables is up to date for make, and useless for us.
      const again = added.length > 0 && !(await hasLineTables(program)) ? ['--always-make'] : [];
      const goal = await goalOf(folder, target);
      await runStep({
        title: l10n.t('Building {0}', name),
        command: 'make',
        args: [...again, ...added, ...goal],
        cwd: folder,
      });
      if (!(await isFile(program, ''))) {
        throw new TargetError(
          l10n.t('make ended without an error, but did not make {0}.', program),
          l10n.t('Build the program in a terminal, then choose it among the executables.'),
        );
      }
      return { name, program, args, cwd: folder, env: {} };
    },
  };
}

/** The compilers with `-g`, as variables on make's command line: the Makefile and its flags stay as they are. */
function lineTables({ compilers }: DryRun): string[] {
  return [...compilers].map(([variable, compiler]) => `${variable}=${compiler} -g`);
}

/** A program that the Makefile has no rule for is made by another make, which only the default goal starts. */
async function goalOf(folder: string, target: string): Promise<string[]> {
  return (await isRule(folder, target)) ? [target] : [];
}

/** Whether the Makefile has a rule for a file, as far as its text says. */
async function isRule(folder: string, target: string): Promise<boolean> {
  if (target.startsWith('-') || target.includes('=')) return false;
  for (const name of MAKEFILES) {
    const text = await fs.readFile(path.join(folder, name), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    return text
      .split('\n')
      .some((line) => /^[^\t#=]*:(?!=)/.test(line) && line.split(':')[0]!.split(/\s+/).includes(target));
  }
  return false;
}

async function hasLineTables(program: string): Promise<boolean> {
  return (await textsIn(program, ['.debug_line\0'])).size > 0;
}
