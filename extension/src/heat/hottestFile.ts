// Which file to start from when no hot file is in the open folders: the hottest one that looks like the user's own.
import path from 'node:path';
import type { SourceFile } from '../../../core/wire.ts';

/** Where systems and toolchains keep sources; those of the C library have paths relative to their build. */
const LIBRARY_SOURCE = /^\/(usr|rustc|nix\/store|gnu\/store)\/|\/\.cargo\/registry\/|\/\.rustup\/|\/go\/pkg\/mod\//;

/**
 * Own files first, then those that are on this machine, then the hottest. Undefined: only libraries have source lines, and
 * their sources are not here, so the program itself has none.
 */
export function hottestFile(files: readonly SourceFile[]): SourceFile | undefined {
  const rank = (file: SourceFile) => (isLibrarySource(file) ? 2 : 0) + (file.path ? 0 : 1);
  const useful = files.filter((file) => file.path || !isLibrarySource(file));
  return useful.sort((a, b) => rank(a) - rank(b))[0]; // the engine lists the hottest first, and the order of equals stays
}

function isLibrarySource({ recordedPath }: SourceFile): boolean {
  return !path.isAbsolute(recordedPath) || LIBRARY_SOURCE.test(recordedPath);
}
