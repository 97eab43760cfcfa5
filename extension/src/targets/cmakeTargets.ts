// Executables of a CMake project: from a build folder configured for profiling, or from one of our own beside it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { type CmakeCache, readCache, sameToolOptions, suitsProfiling } from './cmakeCache.ts';
import { type CmakeExecutable, readExecutables, writeQuery } from './cmakeModel.ts';
import { type PrepareTools, type Step, type Target, TargetError } from './target.ts';

/** Where we configure when no folder of the user suits: ignored by most projects, and easy to delete. */
const OWN_FOLDER = 'build/lineheat';

export interface CmakeProject {
  readonly sourceFolder: string;
  readonly targets: readonly Target[];
  /** Set when the targets are not known before CMake has run once: doing so makes them known. */
  readonly configure: Step | undefined;
}

/** The project in `sourceFolder`; undefined when it has no CMakeLists.txt. */
export async function findCmakeProject(
  sourceFolder: string,
  run: (step: Step) => Promise<string>,
): Promise<CmakeProject | undefined> {
  if (!(await exists(path.join(sourceFolder, 'CMakeLists.txt')))) return undefined;
  const folders = await buildFolders(sourceFolder);
  const best = folders.find(({ cache }) => suitsProfiling(cache)) ?? folders[0];
  if (!best) return { sourceFolder, targets: [], configure: configureStep(sourceFolder, undefined) };
  const executables = await knownExecutables(best.folder, run);
  const make = (executable: CmakeExecutable) => cmakeTarget(sourceFolder, best, executable);
  return { sourceFolder, targets: executables.map(make), configure: undefined };
}

interface BuildFolder {
  readonly folder: string;
  readonly cache: CmakeCache;
}

function cmakeTarget(sourceFolder: string, listed: BuildFolder, { name }: CmakeExecutable): Target {
  const suits = suitsProfiling(listed.cache);
  const folder = suits ? listed.folder : path.join(sourceFolder, OWN_FOLDER);
  return {
    id: `cmake:${sourceFolder}:${name}`,
    kind: 'cmake',
    label: name,
    description: `CMake, ${path.relative(sourceFolder, folder) || folder}, RelWithDebInfo`,
    takesArguments: true,
    prepare: async ({ runStep, args }: PrepareTools) => {
      if (!suits) await configure(sourceFolder, listed.cache, folder, runStep);
      const build = ['--build', folder, '--config', 'RelWithDebInfo', '--parallel', '--target', name];
      await runStep({ title: `Building ${name}`, command: 'cmake', args: build, cwd: sourceFolder });
      const built = (await readExecutables(folder))?.find((executable) => executable.name === name);
      if (!built) {
        throw new TargetError(
          `CMake built ${name}, but its model of ${folder} names no such executable.`,
          'Configure the build folder again, then choose the target anew.',
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
    title: `Configuring ${OWN_FOLDER}`,
    command: 'cmake',
    args: ['-S', sourceFolder, '-B', folder, ...options, '-DCMAKE_BUILD_TYPE=RelWithDebInfo'],
    cwd: sourceFolder,
  };
}

/** Runs the step that a project's `configure` holds, so that its targets can be listed. */
export async function configureProject(project: CmakeProject, run: (step: Step) => Promise<string>): Promise<void> {
  await writeQuery(path.join(project.sourceFolder, OWN_FOLDER));
  if (project.configure) await run(project.configure);
}

/** The executables that the folder's model names; CMake runs once when nobody has asked it for a model before. */
async function knownExecutables(folder: string, run: (step: Step) => Promise<string>): Promise<CmakeExecutable[]> {
  const known = await readExecutables(folder);
  if (known) return known;
  await writeQuery(folder);
  await run({ title: 'Reading the CMake targets', command: 'cmake', args: [folder], cwd: folder });
  return (await readExecutables(folder)) ?? [];
}

/** Build folders of this source folder, in the places where people and tools put them. */
async function buildFolders(sourceFolder: string): Promise<BuildFolder[]> {
  const inside = (folder: string) => subfolders(path.join(sourceFolder, folder));
  const named = (await subfolders(sourceFolder)).filter((folder) => /^(cmake-)?build/i.test(path.basename(folder)));
  const candidates = [...new Set([...named, ...(await inside('build')), ...(await inside('out/build'))])];
  const caches = await Promise.all(candidates.map(async (folder) => ({ folder, cache: await readCache(folder) })));
  return caches.filter((found): found is BuildFolder => {
    const home = found.cache?.get('CMAKE_HOME_DIRECTORY');
    return home !== undefined && path.resolve(home) === path.resolve(sourceFolder);
  });
}

async function subfolders(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => path.join(folder, entry.name));
}

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}
