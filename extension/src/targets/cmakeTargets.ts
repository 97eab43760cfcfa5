// Executables of a CMake project: from a build folder configured for profiling, or from one of our own beside it.

import fs from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { type CmakeCache, readCache, sameToolOptions, suitsProfiling } from './cmakeCache.ts';
import { type CmakeExecutable, readExecutables, writeQuery } from './cmakeModel.ts';
import { type CmakePreset, readPresets } from './cmakePresets.ts';
import { type PrepareTools, type Step, type Target, TargetError } from './target.ts';

/** Where we configure when no folder of the user suits: ignored by most projects, and easy to delete. */
const OWN_FOLDER = 'build/lineheat';
const BUILDS_MAX = 10; // of a project; the newest are listed

export interface CmakeProject {
  readonly sourceFolder: string;
  readonly targets: readonly Target[];
  /** When no target is known before CMake has run: each way to run it makes them known. */
  readonly configurations: readonly CmakeConfiguration[];
}

/** One way to configure a project. */
export interface CmakeConfiguration {
  readonly sourceFolder: string;
  readonly label: string;
  readonly description: string;
  /** Where the model of the targets is asked for; undefined where only CMake knows. */
  readonly buildFolder: string | undefined;
  readonly step: Step;
}

/** The project in `sourceFolder`; undefined when it has no CMakeLists.txt. `builds`: folders that may be its build folders. */
export async function findCmakeProject(
  sourceFolder: string,
  run: (step: Step) => Promise<string>,
  builds: readonly string[] = [],
): Promise<CmakeProject | undefined> {
  if (!(await exists(path.join(sourceFolder, 'CMakeLists.txt')))) return undefined;
  const presets = await readPresets(sourceFolder);
  const folders = await buildFolders(sourceFolder, [
    ...builds,
    ...presets.flatMap(({ binaryDir }) => binaryDir ?? []),
    path.join(sourceFolder, OWN_FOLDER),
  ]);
  if (folders.length === 0)
    return { sourceFolder, targets: [], configurations: waysToConfigure(sourceFolder, presets) };
  // Each folder that suits is a choice of its own; where none does, one of ours is made like the newest.
  const suitable = folders.filter(({ cache }) => suitsProfiling(cache));
  const listed = suitable.length > 0 ? suitable : folders.slice(0, 1);
  const targets: Target[] = [];
  for (const build of listed) {
    const executables = await knownExecutables(build.folder, run);
    targets.push(...executables.map((executable) => cmakeTarget(sourceFolder, build, executable)));
  }
  return { sourceFolder, targets, configurations: [] };
}

function waysToConfigure(sourceFolder: string, presets: readonly CmakePreset[]): CmakeConfiguration[] {
  const own = configureStep(sourceFolder, undefined);
  const ours = {
    description: l10n.t('in {0}, {1}', OWN_FOLDER, 'RelWithDebInfo'),
    buildFolder: path.join(sourceFolder, OWN_FOLDER),
  };
  const label = l10n.t('Configure CMake to List Its Targets');
  return [
    ...presets.map(({ name, displayName, binaryDir }) => ({
      sourceFolder,
      label: l10n.t('Configure CMake with Preset {0}', name),
      description: [displayName, binaryDir && l10n.t('in {0}', shortPath(sourceFolder, binaryDir))]
        .filter(Boolean)
        .join(', '),
      buildFolder: binaryDir,
      step: {
        title: l10n.t('Configuring preset {0}', name),
        command: 'cmake',
        args: [`--preset=${name}`],
        cwd: sourceFolder,
      },
    })),
    { sourceFolder, label, step: own, ...ours },
  ];
}

interface BuildFolder {
  readonly folder: string;
  readonly cache: CmakeCache;
}

function cmakeTarget(sourceFolder: string, listed: BuildFolder, { name }: CmakeExecutable): Target {
  const suits = suitsProfiling(listed.cache);
  const folder = suits ? listed.folder : path.join(sourceFolder, OWN_FOLDER);
  const isOwn = folder === path.join(sourceFolder, OWN_FOLDER);
  const type = listed.cache.get('CMAKE_BUILD_TYPE');
  return {
    // Our own folder belongs to the project: its id is the same whichever folder it was made like.
    id: isOwn ? `cmake:${sourceFolder}:${name}` : `cmake:${sourceFolder}:${name}:${folder}`,
    kind: 'cmake',
    label: name,
    description: l10n.t('CMake, {0}, {1}', shortPath(sourceFolder, folder), suits && type ? type : 'RelWithDebInfo'),
    takesArguments: true,
    prepare: async ({ runStep, args }: PrepareTools) => {
      if (!suits) await configure(sourceFolder, listed.cache, folder, runStep);
      const build = ['--build', folder, '--config', 'RelWithDebInfo', '--parallel', '--target', name];
      await runStep({ title: l10n.t('Building {0}', name), command: 'cmake', args: build, cwd: sourceFolder });
      const built = (await readExecutables(folder))?.find((executable) => executable.name === name);
      if (!built) {
        throw new TargetError(
          l10n.t('CMake built {0}, but its model of {1} names no such executable.', name, folder),
          l10n.t('Configure the build folder again, then choose the target again.'),
        );
      }
      return { name, program: built.program, args, cwd: sourceFolder, env: {} };
    },
  };
}

async function configure(sourceFolder: string, like: CmakeCache, folder: string, run: PrepareTools['runStep']) {
  await writeQuery(folder);
  await run(configureStep(sourceFolder, like));
}

function configureStep(sourceFolder: string, like: CmakeCache | undefined): Step {
  const folder = path.join(sourceFolder, OWN_FOLDER);
  const options = like ? sameToolOptions(like) : [];
  return {
    title: l10n.t('Configuring {0}', OWN_FOLDER),
    command: 'cmake',
    args: ['-S', sourceFolder, '-B', folder, ...options, '-DCMAKE_BUILD_TYPE=RelWithDebInfo'],
    cwd: sourceFolder,
  };
}

/** Configures a project, so that its targets can be listed. */
export async function configureProject(
  { buildFolder, step }: CmakeConfiguration,
  run: (step: Step) => Promise<string>,
): Promise<void> {
  if (buildFolder) await writeQuery(buildFolder);
  await run(step);
}

/** The executables that the folder's model names; CMake runs once when nobody has asked it for a model before. */
async function knownExecutables(folder: string, run: (step: Step) => Promise<string>): Promise<CmakeExecutable[]> {
  const known = await readExecutables(folder);
  if (known) return known;
  await writeQuery(folder);
  await run({ title: l10n.t('Reading the CMake targets'), command: 'cmake', args: [folder], cwd: folder });
  return (await readExecutables(folder)) ?? [];
}

/** Those of the folders that were configured for this source folder, the newest first. */
async function buildFolders(sourceFolder: string, candidates: readonly string[]): Promise<BuildFolder[]> {
  const found = await Promise.all([...new Set(candidates)].map((folder) => buildFolder(sourceFolder, folder)));
  const builds = found.filter((build) => build !== undefined).sort((a, b) => b.configuredMs - a.configuredMs);
  return builds.slice(0, BUILDS_MAX);
}

async function buildFolder(sourceFolder: string, folder: string) {
  const cache = await readCache(folder);
  const home = cache?.get('CMAKE_HOME_DIRECTORY');
  if (!cache || home === undefined || path.resolve(home) !== path.resolve(sourceFolder)) return undefined;
  const stat = await fs.stat(path.join(folder, 'CMakeCache.txt')).catch(() => undefined);
  return { folder, cache, configuredMs: stat?.mtimeMs ?? 0 };
}

/** Inside the source folder the path from there, else the whole. */
function shortPath(sourceFolder: string, folder: string): string {
  const relative = path.relative(sourceFolder, folder);
  return relative && !relative.startsWith('..') ? relative : folder;
}

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}
