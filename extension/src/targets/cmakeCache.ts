// Reads what a build folder's CMakeCache.txt says of how it was configured.
import fs from 'node:fs/promises';
import path from 'node:path';

export type CmakeCache = ReadonlyMap<string, string>;

/** The entries of a cache file: `NAME:TYPE=value` lines. */
export function parseCache(text: string): CmakeCache {
  const entries = new Map<string, string>();
  for (const line of text.split('\n')) {
    const entry = /^([^#/][^:=]*):[^=]*=(.*)$/.exec(line.trimEnd());
    if (entry) entries.set(entry[1]!, entry[2]!);
  }
  return entries;
}

/** The cache of a build folder; undefined when the folder is none. */
export async function readCache(buildFolder: string): Promise<CmakeCache | undefined> {
  try {
    return parseCache(await fs.readFile(path.join(buildFolder, 'CMakeCache.txt'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Optimised and with line tables: what a profile needs. A multi-config folder has it as one of its configurations. */
export function suitsProfiling(cache: CmakeCache): boolean {
  const configurations = cache.get('CMAKE_CONFIGURATION_TYPES');
  if (configurations !== undefined) return configurations.split(';').includes('RelWithDebInfo');
  return cache.get('CMAKE_BUILD_TYPE') === 'RelWithDebInfo';
}

/** Options that make a new build folder use the same tools as the one that the user configured. */
export function sameToolOptions(cache: CmakeCache): string[] {
  const names = ['CMAKE_C_COMPILER', 'CMAKE_CXX_COMPILER', 'CMAKE_TOOLCHAIN_FILE', 'CMAKE_PREFIX_PATH'];
  const options = names.filter((name) => cache.get(name)).map((name) => `-D${name}=${cache.get(name)}`);
  const generator = cache.get('CMAKE_GENERATOR');
  return generator ? ['-G', generator, ...options] : options;
}
