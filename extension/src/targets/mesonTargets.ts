// Executables of a Meson project: from a build folder that suits profiling, else from one of our own.

import fs from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { type PrepareTools, type Step, type Target, TargetError } from './target.ts';

/** Another one than for CMake: a project may have both. */
const OWN_FOLDER = 'build/lineheat-meson';
const INTROSPECT_TIMEOUT_MS = 20_000;

/**
 * The executables of the project in `sourceFolder`. Of a configured project what Meson wrote down is read; of another one,
 * Meson reads its meson.build files, which configures, compiles and runs nothing. `builds`: folders that Meson configured.
 */
export async function findMesonTargets(
  sourceFolder: string,
  run: (step: Step) => Promise<string>,
  builds: readonly string[] = [],
): Promise<Target[]> {
  const own = path.join(sourceFolder, OWN_FOLDER);
  const known = await Promise.all([...new Set([...builds, own])].map((folder) => readBuild(folder)));
  const ours = known.filter((build) => build?.sourceFolder === path.resolve(sourceFolder)).filter(isPresent);
  const suitable = ours.filter(({ suits }) => suits);
  if (suitable.length > 0)
    return suitable.flatMap(({ folder, executables }) => {
      return executables.map((name) => mesonTarget(sourceFolder, folder, name));
    });
  const names = ours[0]?.executables ?? (await introspected(sourceFolder, run));
  return names.map((name) => mesonTarget(sourceFolder, own, name));
}

interface MesonBuild {
  readonly folder: string;
  readonly sourceFolder: string;
  readonly executables: readonly string[];
  /** Optimised and with line tables. */
  readonly suits: boolean;
}

/** What Meson wrote into `meson-info` of a build folder; undefined where there is nothing of it. */
async function readBuild(folder: string): Promise<MesonBuild | undefined> {
  const read = (name: string) => readJson(path.join(folder, 'meson-info', name));
  const [info, targets, options] = await Promise.all([
    read('meson-info.json'),
    read('intro-targets.json'),
    read('intro-buildoptions.json'),
  ]);
  const source = recordOf(recordOf(info).directories).source;
  if (typeof source !== 'string') return undefined;
  const optionValue = (option: string) => listOf(options).find(({ name }) => name === option)?.value;
  const optimisation = optionValue('optimization');
  const suits =
    optionValue('debug') === true && optimisation !== '0' && optimisation !== 'g' && optimisation !== 'plain';
  return { folder, sourceFolder: path.resolve(source), executables: executableNames(targets), suits };
}

async function introspected(sourceFolder: string, run: (step: Step) => Promise<string>): Promise<string[]> {
  const output = await run({
    title: l10n.t('Reading the Meson targets'),
    command: 'meson',
    args: ['introspect', '--targets', path.join(sourceFolder, 'meson.build')],
    cwd: sourceFolder,
    quietOutput: true,
    timeoutMs: INTROSPECT_TIMEOUT_MS,
  });
  return executableNames(JSON.parse(output.slice(output.indexOf('['))));
}

/** The executables among the targets that Meson describes; what it runs while it builds is none. */
export function executableNames(targets: unknown): string[] {
  const executables = listOf(targets).filter(({ type, name }) => type === 'executable' && typeof name === 'string');
  return [...new Set(executables.map(({ name }) => String(name)))];
}

function mesonTarget(sourceFolder: string, folder: string, name: string): Target {
  const isOwn = folder === path.join(sourceFolder, OWN_FOLDER);
  const relative = path.relative(sourceFolder, folder);
  const shown = relative.startsWith('..') ? folder : relative;
  return {
    id: isOwn ? `meson:${sourceFolder}:${name}` : `meson:${sourceFolder}:${name}:${folder}`,
    kind: 'meson',
    label: name,
    description: isOwn ? l10n.t('Meson, {0}, debugoptimized', shown) : l10n.t('Meson, {0}', shown),
    takesArguments: true,
    prepare: async ({ runStep, args }: PrepareTools) => {
      if (isOwn && !(await readBuild(folder))) {
        const setup = ['setup', '--buildtype=debugoptimized', folder, sourceFolder];
        await runStep({
          title: l10n.t('Configuring {0}', OWN_FOLDER),
          command: 'meson',
          args: setup,
          cwd: sourceFolder,
        });
      }
      const compile = ['compile', '-C', folder, `${name}:executable`];
      await runStep({ title: l10n.t('Building {0}', name), command: 'meson', args: compile, cwd: sourceFolder });
      const program = await programOf(folder, name);
      if (!program) {
        throw new TargetError(
          l10n.t('Meson built {0}, but its description of {1} names no such executable.', name, folder),
          l10n.t('Remove that folder, then choose the target again.'),
        );
      }
      return { name, program, args, cwd: sourceFolder, env: {} };
    },
  };
}

async function programOf(folder: string, name: string): Promise<string | undefined> {
  const targets = listOf(await readJson(path.join(folder, 'meson-info/intro-targets.json')));
  const found = targets.find((target) => target.type === 'executable' && target.name === name);
  const [file] = Array.isArray(found?.filename) ? found.filename : [];
  return typeof file === 'string' ? path.resolve(folder, file) : undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await fs.readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function recordOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

function isPresent<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}
