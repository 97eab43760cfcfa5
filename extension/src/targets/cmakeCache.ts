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
  const type = cache.get('CMAKE_BUILD_TYPE') ?? '';
  if (type === 'RelWithDebInfo') return true;
  // A build type of the project's own, or flags of the user: what the compilers are given decides.
  return ['C', 'CXX', 'Fortran'].some((language) => {
    const flags = [`CMAKE_${language}_FLAGS`, `CMAKE_${language}_FLAGS_${type.toUpperCase()}`];
    return hasLinesAndOptimisation(flags.map((name) => cache.get(name) ?? '').join(' '));
  });
}

/** Whether a compiler that is given `flags` optimises and writes line tables. As for the compiler, the last flag counts. */
export function hasLinesAndOptimisation(flags: string): boolean {
  const words = flags.split(/\s+/);
  const level = words.findLast((word) => /^-O/.test(word));
  const lines = words.findLast((word) => /^-g/.test(word) && !/^-g(no|record|split|z|simple|pubnames|col)/.test(word));
  return level !== undefined && !/^-O(0|g)$/.test(level) && lines !== undefined && lines !== '-g0';
}

/** Options that make a new build folder use the same tools as the one that the user configured. */
export function sameToolOptions(cache: CmakeCache): string[] {
  const names = ['CMAKE_C_COMPILER', 'CMAKE_CXX_COMPILER', 'CMAKE_TOOLCHAIN_FILE', 'CMAKE_PREFIX_PATH'];
  const options = names.filter((name) => cache.get(name)).map((name) => `-D${name}=${cache.get(name)}`);
  const generator = cache.get('CMAKE_GENERATOR');
  return generator ? ['-G', generator, ...options] : options;
}
