// Kernels from the Debian archive that this machine already uses: the newest of each series, kept in the user's cache.
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withArchive } from '../steps/debian-archive.mjs';
import { kernelFolder } from '../steps/paths.mjs';
import { Sentence } from '../steps/report.mjs';

/** There Lineheat must refuse in clear words. */
export const tooOldKernel = '5.10';
/** From the oldest that Lineheat supports to the newest that there is: a series, alone for x86-64. */
export const supportedKernels = {
  x64: ['6.1', '6.12', '6.18', '7'],
  // The last has pages of 16 KiB.
  arm64: ['6.1-arm64', '6.12-arm64', '6.18-arm64', '7-arm64', '6.12-arm64-16k'],
};
export const allKernels = [tooOldKernel, ...supportedKernels.x64, ...supportedKernels.arm64];
const suites = [
  { archive: 'debian-security', suite: 'bullseye-security' },
  { archive: 'debian-security', suite: 'bookworm-security' },
  { archive: 'debian', suite: 'trixie-backports' },
];

/** Of a kernel's name: its series, the machine by Node's name, and Debian's names of machine and flavour. */
export function kernelOf(name) {
  const [, series, flavour = ''] = /^([\d.]+)(?:-(.+))?$/.exec(name);
  if (!flavour) return { series, arch: 'x64', architecture: 'amd64', flavour: 'cloud-amd64' };
  return { series, arch: 'arm64', architecture: 'arm64', flavour: flavour === 'arm64' ? 'cloud-arm64' : flavour };
}

/** The numbers of a version or package name, for comparing: "6.12.117+deb12-cloud-amd64" → [6, 12, 117, 12, 64]. */
const numbersOf = (text) => (text.match(/\d+/g) ?? []).map(Number);

export function compareVersions(a, b) {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * The release of the newest kernel of a series and flavour among package names: "6.1" → "6.1.0-56-cloud-amd64".
 * The cloud flavour has all that the sampler needs built in, in a tenth of the size. Undefined: none is offered.
 */
export function newestRelease(packageNames, series, flavour) {
  const release = new RegExp(`^linux-image-(\\d[0-9a-z.+]*(?:-\\d+)?-${flavour})$`);
  const offered = packageNames
    .map((name) => release.exec(name)?.[1])
    .filter((name) => name?.startsWith(`${series}.`) && !/rc\d/.test(name));
  return offered.sort(compareVersions).at(-1);
}

/** The kernels that are in the cache, oldest first: { name, arch, release, image }. */
export function kernelsHere(folder = kernelFolder()) {
  return allKernels.flatMap((name) => {
    const file = path.join(folder, `${name}.json`);
    if (!existsSync(file)) return [];
    const { release } = JSON.parse(readFileSync(file, 'utf8'));
    const image = path.join(folder, `vmlinuz-${release}`);
    return existsSync(image) ? [{ name, arch: kernelOf(name).arch, release, image }] : [];
  });
}

/** Fetches those of `wanted` that the cache does not have. Gives all that are there then, and the names of those not offered. */
export async function kernels(wanted = allKernels, folder = kernelFolder()) {
  const missing = wanted.filter((name) => !kernelsHere(folder).some((kernel) => kernel.name === name));
  const notOffered = missing.length > 0 ? await fetchNewest(missing, folder) : [];
  return { here: kernelsHere(folder).filter((kernel) => wanted.includes(kernel.name)), notOffered };
}

/** Looks up the newest of each kernel and fetches those that are not in the cache. Gives the names of those not offered. */
export async function fetchNewest(wanted = allKernels, folder = kernelFolder()) {
  await mkdir(folder, { recursive: true });
  const notOffered = [];
  for (const architecture of new Set(wanted.map((name) => kernelOf(name).architecture)))
    await withArchive({ suites, architecture, beside: folder }, async (archive) => {
      for (const name of wanted.filter((name) => kernelOf(name).architecture === architecture))
        if (!(await fetchKernel(name, folder, archive))) notOffered.push(name);
    });
  return notOffered;
}

/** Whether the kernel is offered. */
async function fetchKernel(name, folder, archive) {
  const { series, flavour } = kernelOf(name);
  const release = newestRelease(await archive.names(`linux-image-${series}.`), series, flavour);
  if (!release) return false;
  const image = path.join(folder, `vmlinuz-${release}`);
  if (!existsSync(image)) {
    // From 6.19 on linux-image-… is an empty package that names the one with the kernel.
    const inner = await archive.names(`linux-binary-${release}`);
    const packed = `${inner.includes(`linux-binary-${release}`) ? 'linux-binary' : 'linux-image'}-${release}`;
    const tree = await mkdtemp(path.join(folder, 'tree-'));
    try {
      await archive.unpack(packed, tree);
      const inTree = (await readdir(tree, { recursive: true })).find((file) => /(^|\/)vmlinuz[^/]*$/.test(file));
      if (!inTree) throw new Sentence(`The package ${packed} holds no vmlinuz.`);
      await copyFile(path.join(tree, inTree), `${image}.new`);
      await rename(`${image}.new`, image);
    } finally {
      await rm(tree, { recursive: true });
    }
  }
  await writeFile(path.join(folder, `${name}.json`), JSON.stringify({ release }));
  return true;
}
