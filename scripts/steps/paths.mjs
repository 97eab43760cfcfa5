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

/** What is fetched once for all clones of one user. */
const cacheFolder = (name, env) => path.join(env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'lineheat', name);

/** The editor that tests and the demo use. */
export const editorFolder = (env = process.env) => cacheFolder('editor', env);

/** Kernels that guests of the kernel matrix boot. */
export const kernelFolder = (env = process.env) => cacheFolder('kernels', env);
