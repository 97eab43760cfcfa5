// Packages of other suites and architectures of the Debian archive that this machine already uses. Package lists of their
// own: the machine itself is neither changed nor upgraded, and no root is needed.
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram, run } from './command.mjs';
import { Sentence } from './report.mjs';

/**
 * What `use` gives, which gets a look at the archive: names(prefix) of packages, needs(name) for what a package depends on,
 * unpack(name, folder) into a folder that is there, unpackWhole(names, folder) with all that they depend on. `suites`: [{ archive: 'debian' or 'debian-security', suite }]; `beside`: an existing folder, for what is temporary.
 */
export async function withArchive({ suites, architecture, beside }, use) {
  if (!findProgram('apt-get'))
    throw new Sentence('This comes from the Debian archive, and there is no apt-get here to fetch it.');
  const work = await mkdtemp(path.join(beside, 'fetch-'));
  try {
    const env = await privateLists(work, suites, architecture);
    return await use({
      needs: (name) => needs(name, env),
      names: async (prefix) => (await run('apt-cache', ['pkgnames', prefix], { env })).split('\n').filter(Boolean),
      unpack: (name, folder) => unpack(name, folder, { work, env }),
      unpackWhole: (names, folder) => unpackWhole(names, folder, { work, env }),
    });
  } finally {
    await rm(work, { recursive: true });
  }
}

/** The suite that this system is of, as "bookworm". */
export const ownSuite = () => /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];

/** The folder `whole`, which `fill` gets as an empty one the first time: it is there when all of it is. */
export async function filledOnce(whole, fill) {
  if (existsSync(whole)) return whole;
  await mkdir(path.dirname(whole), { recursive: true });
  const tree = await mkdtemp(`${whole}-`);
  try {
    await fill(tree);
    await chmod(tree, 0o755);
    await rename(tree, whole);
  } catch (error) {
    await rm(tree, { recursive: true });
    throw error;
  }
  return whole;
}

/** Reads the package lists of the suites into `work`; gives the environment in which apt uses them alone. */
async function privateLists(work, suites, architecture) {
  const addresses = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']);
  const addressOf = (archive) => {
    const found = addresses.split('\n').find((line) => new RegExp(`/${archive}/?$`).test(line));
    if (found) return found;
    throw new Sentence(
      `This comes from the Debian archive, and apt here uses none (no /${archive}/ among its sources).`,
    );
  };
  const sources = suites.map(({ archive, suite }) => `deb ${addressOf(archive)} ${suite} main\n`);
  await writeFile(path.join(work, 'sources.list'), sources.join(''));
  const settings = [
    ['Dir::Etc::sourcelist', path.join(work, 'sources.list')],
    ['Dir::Etc::sourceparts', '-'],
    ['Dir::State::lists', path.join(work, 'lists')],
    ['Dir::State::status', path.join(work, 'status')],
    ['Dir::Cache', path.join(work, 'cache')],
    ...(architecture ? [['APT::Architecture', architecture]] : []),
  ];
  for (const inner of ['lists/partial', 'cache/archives/partial'])
    await mkdir(path.join(work, inner), { recursive: true });
  // Nothing is installed, as far as these lists know.
  await writeFile(path.join(work, 'status'), '');
  await writeFile(path.join(work, 'apt.conf'), settings.map(([name, value]) => `${name} "${value}";\n`).join(''));
  const env = { APT_CONFIG: path.join(work, 'apt.conf') };
  await run('apt-get', ['update', '-qq'], { env });
  return env;
}

/** The names of all packages that this one depends on, directly or not. */
async function needs(name, env) {
  const flags = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map((kind) => `--no-${kind}`);
  const printed = await run('apt-cache', ['depends', '--recurse', ...flags, name], { env });
  return printed.split('\n').filter((line) => /^[a-z0-9]/.test(line) && line !== name);
}

/** What would be installed on a system that has nothing; no package's own scripts are executed. */
async function unpackWhole(names, folder, { work, env }) {
  const flags = ['--yes', '-qq', '--download-only', '--no-install-recommends', '-o', 'Debug::NoLocking=1'];
  await run('apt-get', ['install', ...flags, ...names], { env });
  const fetched = path.join(work, 'cache/archives');
  for (const file of (await readdir(fetched)).filter((name) => name.endsWith('.deb'))) {
    await run('dpkg', ['-x', path.join(fetched, file), folder]);
    await rm(path.join(fetched, file));
  }
}

async function unpack(name, folder, { work, env }) {
  await run('apt-get', ['download', '-qq', name], { env, cwd: work });
  const archive = (await readdir(work)).find((file) => file.startsWith(`${name}_`));
  await run('dpkg', ['-x', path.join(work, archive), folder]);
}
