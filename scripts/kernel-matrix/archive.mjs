// Kernels from the Debian archive that this machine already uses: the newest of each series, kept in the user's cache.
// Package lists of their own: the machine itself is neither changed nor upgraded, and no root is needed.
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram, run } from '../steps/command.mjs';
import { kernelFolder } from '../steps/paths.mjs';
import { Sentence } from '../steps/report.mjs';

/** There Lineheat must refuse in clear words. */
export const tooOldSeries = '5.10';
/** From the oldest that Lineheat supports to the newest that there is. */
export const supportedSeries = ['6.1', '6.12', '6.18', '7'];
export const allSeries = [tooOldSeries, ...supportedSeries];
const suites = [
  { archive: 'debian-security', suite: 'bullseye-security' },
  { archive: 'debian-security', suite: 'bookworm-security' },
  { archive: 'debian', suite: 'trixie-backports' },
];

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
 * The release of the newest cloud kernel of a series among package names: "6.1" → "6.1.0-56-cloud-amd64".
 * The cloud flavour has all that the sampler needs built in, in a tenth of the size. Undefined: none is offered.
 */
export function newestRelease(packageNames, series) {
  const release = /^linux-image-(\d[0-9a-z.+-]*-cloud-amd64)$/;
  const offered = packageNames
    .map((name) => release.exec(name)?.[1])
    .filter((name) => name?.startsWith(`${series}.`) && !/rc\d/.test(name));
  return offered.sort(compareVersions).at(-1);
}

/** The kernels that are in the cache, oldest first: { series, release, image }. */
export function kernelsHere(folder = kernelFolder()) {
  return allSeries.flatMap((series) => {
    const file = path.join(folder, `${series}.json`);
    if (!existsSync(file)) return [];
    const { release } = JSON.parse(readFileSync(file, 'utf8'));
    const image = path.join(folder, `vmlinuz-${release}`);
    return existsSync(image) ? [{ series, release, image }] : [];
  });
}

/** Fetches those of `wanted` that the cache does not have. Gives all that are there then, and the series not offered. */
export async function kernels(wanted = allSeries, folder = kernelFolder()) {
  const missing = wanted.filter((series) => !kernelsHere(folder).some((kernel) => kernel.series === series));
  const notOffered = missing.length > 0 ? await fetchNewest(missing, folder) : [];
  return { here: kernelsHere(folder).filter((kernel) => wanted.includes(kernel.series)), notOffered };
}

/** Looks up the newest kernel of each series and fetches those that are not in the cache. Gives the series not offered. */
export async function fetchNewest(wanted = allSeries, folder = kernelFolder()) {
  if (!findProgram('apt-get'))
    throw new Sentence('The kernels come from the Debian archive, and there is no apt-get here to fetch them.');
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(path.join(folder, 'fetch-'));
  try {
    const env = await privateLists(work);
    const notOffered = [];
    for (const series of wanted) if (!(await fetchSeries(series, { folder, work, env }))) notOffered.push(series);
    return notOffered;
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Reads the package lists of the three suites into `work`; gives the environment in which apt uses them alone. */
async function privateLists(work) {
  const addresses = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']);
  const addressOf = (archive) => {
    const found = addresses.split('\n').find((line) => new RegExp(`/${archive}/?$`).test(line));
    if (found) return found;
    throw new Sentence(
      `The kernels come from the Debian archive, and apt here uses none (no /${archive}/ among its sources).`,
    );
  };
  const sources = suites.map(({ archive, suite }) => `deb ${addressOf(archive)} ${suite} main\n`);
  await writeFile(path.join(work, 'sources.list'), sources.join(''));
  const settings = [
    ['Dir::Etc::sourcelist', path.join(work, 'sources.list')],
    ['Dir::Etc::sourceparts', '-'],
    ['Dir::State::lists', path.join(work, 'lists')],
    ['Dir::Cache', path.join(work, 'cache')],
  ];
  for (const inner of ['lists/partial', 'cache/archives/partial', 'tree'])
    await mkdir(path.join(work, inner), { recursive: true });
  await writeFile(path.join(work, 'apt.conf'), settings.map(([name, value]) => `${name} "${value}";\n`).join(''));
  const env = { APT_CONFIG: path.join(work, 'apt.conf') };
  await run('apt-get', ['update', '-qq'], { env });
  return env;
}

/** Whether the series is offered. */
async function fetchSeries(series, { folder, work, env }) {
  const names = (await run('apt-cache', ['pkgnames', `linux-image-${series}.`], { env })).split('\n');
  const release = newestRelease(names, series);
  if (!release) return false;
  const image = path.join(folder, `vmlinuz-${release}`);
  if (!existsSync(image)) {
    // From 6.19 on linux-image-… is an empty package that names the one with the kernel.
    const inner = await run('apt-cache', ['pkgnames', `linux-binary-${release}`], { env });
    const name = `${inner.split('\n').includes(`linux-binary-${release}`) ? 'linux-binary' : 'linux-image'}-${release}`;
    const tree = path.join(work, 'tree', series);
    await mkdir(tree);
    await run('apt-get', ['download', '-qq', name], { env, cwd: work });
    const archive = (await readdir(work)).find((file) => file.startsWith(`${name}_`));
    await run('dpkg', ['-x', path.join(work, archive), tree]);
    const inTree = (await readdir(tree, { recursive: true })).find((file) => /(^|\/)vmlinuz[^/]*$/.test(file));
    if (!inTree) throw new Sentence(`The package ${name} holds no vmlinuz.`);
    await copyFile(path.join(tree, inTree), `${image}.new`);
    await rename(`${image}.new`, image);
  }
  await writeFile(path.join(folder, `${series}.json`), JSON.stringify({ release }));
  return true;
}
