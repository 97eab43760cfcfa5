// Where things stand in the repository and in the user's cache.
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const inRoot = (...parts) => path.join(root, ...parts);

export const helper = inRoot('helper');
export const engine = inRoot('helper/target/release/lineheat');
export const sampler = inRoot('helper/target/release/lineheat-sampler');
export const vsix = inRoot('dist/lineheat-linux-x64.vsix');
export const artifacts = inRoot('artifacts');

/** The editor that tests and the demo use; shared by all clones of one user. */
export function editorFolder(env = process.env) {
  const cache = env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  return path.join(cache, 'lineheat', 'editor');
}
