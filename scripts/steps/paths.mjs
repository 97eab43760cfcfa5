// Where things stand in the repository and in the user's cache.
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const inRoot = (...parts) => path.join(root, ...parts);

/** What Rust calls the machine that a build is for, by Node's name of it. */
export const rustTargets = { x64: 'x86_64-unknown-linux-gnu', arm64: 'aarch64-unknown-linux-gnu' };
/** What the two commands build for: this machine. */
export const rustTarget = rustTargets[process.arch];

export const helper = inRoot('helper');
/** Where cargo builds for a machine, by Node's name: compilers of two machines share nothing, and need not wait for each other. */
export const targetFolder = (arch) => inRoot('helper/target', arch === process.arch ? '' : arch);
/** What cargo builds there: binaries, `examples/`. */
export const cargoBuiltFor = (arch, ...parts) => path.join(targetFolder(arch), rustTargets[arch], 'release', ...parts);
export const cargoBuilt = (...parts) => cargoBuiltFor(process.arch, ...parts);
export const engine = cargoBuilt('lineheat');
export const sampler = cargoBuilt('lineheat-sampler');
/** What a command loads whose allocations are recorded; beside the engine, or the sampler of a package. */
export const preloaded = 'liblineheat_alloc.so';
/** A package of the extension, by the editor's name of what it is for. */
export const vsixFor = (target) => inRoot(`dist/lineheat-${target}.vsix`);
export const vsix = vsixFor(`linux-${process.arch}`);
export const artifacts = inRoot('artifacts');

/** What is fetched once for all clones of one user. */
const cacheFolder = (name, env) => path.join(env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'lineheat', name);

/** The editor that tests and the demo use. */
export const editorFolder = (env = process.env) => cacheFolder('editor', env);

/** Kernels that guests of the kernel matrix boot. */
export const kernelFolder = (env = process.env) => cacheFolder('kernels', env);

/** What guests of the kernel matrix have beside a kernel. */
export const guestFolder = (env = process.env) => cacheFolder('guests', env);

/** The compiler and the libraries that build for arm64 on another machine. */
export const arm64Folder = (env = process.env) => cacheFolder('arm64', env);

/** Parts of other systems, for tests of what the binaries need. */
export const rootFolder = (env = process.env) => cacheFolder('roots', env);
