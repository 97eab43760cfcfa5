// Looks through a workspace folder for projects and build folders, nearest first. It reads names of files and follows no link.
import fs from 'node:fs/promises';
import path from 'node:path';

export type ProjectKind = 'cmake' | 'cargo' | 'meson' | 'make' | 'go';

export interface FoundFolders {
  /** The folders of each kind's projects: a folder below another of its kind is a part of that one. */
  readonly projects: Readonly<Record<ProjectKind, readonly string[]>>;
  /** Folders that CMake configured, wherever they are. */
  readonly cmakeBuilds: readonly string[];
  /** Folders that Meson configured. */
  readonly mesonBuilds: readonly string[];
  /** There was more than the bounds allow: some projects may be missing. */
  readonly cut: boolean;
}

export const FOLDERS_MAX = 5000;
export const DEPTH_MAX = 5;
const PROJECTS_MAX = 20; // of a kind

const SKIPPED = new Set([
  'node_modules',
  'target',
  'vendor',
  'third_party',
  '__pycache__',
  'CMakeFiles',
  'meson-private',
]);
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const MARKS: Readonly<Record<ProjectKind, readonly string[]>> = {
  cmake: ['CMakeLists.txt'],
  cargo: ['Cargo.toml'],
  meson: ['meson.build'],
  make: MAKEFILES,
  go: ['go.mod'],
};
const KINDS = Object.keys(MARKS) as ProjectKind[];

interface Place {
  readonly folder: string;
  readonly depth: number;
  /** Kinds of which a folder above is a project. */
  readonly within: ReadonlySet<ProjectKind>;
}

/** What is found in `root` and below. */
export async function findProjectFolders(root: string): Promise<FoundFolders> {
  const projects: Record<ProjectKind, string[]> = { cmake: [], cargo: [], meson: [], make: [], go: [] };
  const cmakeBuilds: string[] = [];
  const mesonBuilds: string[] = [];
  let cut = false;
  const places: Place[] = [{ folder: root, depth: 0, within: new Set() }];
  for (let at = 0; at < places.length; at++) {
    const { folder, depth, within } = places[at]!;
    const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
    const files = new Set(entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name));
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const isCmakeBuild = files.has('CMakeCache.txt');
    const isMesonBuild = folders.includes('meson-info');
    if (isCmakeBuild) cmakeBuilds.push(folder);
    if (isMesonBuild) mesonBuilds.push(folder);
    // What lies in a build folder was generated or fetched: it is no project, and nothing below it is.
    const isBuild = isCmakeBuild || isMesonBuild;
    const inside = new Set(within);
    for (const kind of isBuild ? [] : KINDS) {
      if (!MARKS[kind].some((name) => files.has(name))) continue;
      // A module of Go belongs to itself, wherever it is.
      if (within.has(kind) && kind !== 'go') continue;
      inside.add(kind);
      // What CMake and Meson wrote is theirs.
      if (kind === 'make' && (files.has('CMakeLists.txt') || files.has('meson.build'))) continue;
      if (projects[kind].length < PROJECTS_MAX) projects[kind].push(folder);
      else cut = true;
    }
    const next = folders.filter((name) => !name.startsWith('.') && !SKIPPED.has(name)).sort();
    if (isBuild || depth >= DEPTH_MAX) continue;
    for (const name of next) {
      if (places.length >= FOLDERS_MAX) {
        cut = true;
        break;
      }
      places.push({ folder: path.join(folder, name), depth: depth + 1, within: inside });
    }
  }
  return { projects, cmakeBuilds: cmakeBuilds, mesonBuilds: mesonBuilds, cut };
}
