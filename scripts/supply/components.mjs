// What is shipped and who made it: the crates linked into the two binaries, the system's libraries that are linked
// statically, and the packages bundled into the extension.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { linkedCrates } from '../checks/crates.mjs';
import { run } from '../steps/command.mjs';
import { arm64Folder, helper, inRoot, rustTargets } from '../steps/paths.mjs';
import { Sentence } from '../steps/report.mjs';
import { familyOf, libraryLicences } from './licences.mjs';

/** Written by the bundler: the files that it put into the bundles. */
export const bundledInputs = inRoot('dist/bundled-inputs.json');

/**
 * [{ kind: 'cargo', 'deb' or 'npm', name, version, licence, folder }], sorted; `licence` is an SPDX expression, '' if none
 * is given, `folder` where it was unpacked. Those of kind 'deb' also have `distribution` and `release`, as 'debian' and '12'.
 */
export async function shippedComponents(arch = process.arch) {
  const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform', rustTargets[arch]];
  const metadata = JSON.parse((await run('cargo', args, { cwd: helper })).replace(/^[^{]*/, ''));
  const components = [
    ...shippedCrates(metadata),
    ...(await staticLibraries(arch)),
    ...bundledPackages(JSON.parse(readFileSync(bundledInputs, 'utf8'))),
  ];
  return components.sort((a, b) => keyOf(a).localeCompare(keyOf(b), 'en'));
}

const keyOf = ({ kind, name, version }) => `${kind} ${name} ${version}`;

/** Everything that `cargo metadata` says is linked into a binary of the workspace, our own crates apart. */
export function shippedCrates(metadata) {
  const linked = new Set(['lineheat', 'lineheat-sampler'].flatMap((binary) => linkedCrates(metadata, binary) ?? []));
  return metadata.packages
    .filter((item) => linked.has(item.name) && !metadata.workspace_members.includes(item.id))
    .map(({ name, version, license, manifest_path }) => ({
      kind: 'cargo',
      name,
      version,
      licence: spdx(license ?? ''),
      folder: path.dirname(manifest_path),
    }));
}

/** Cargo once allowed a slash for "or". */
const spdx = (expression) => expression.replaceAll(/\s*\/\s*/g, ' OR ');

/** Archives with parts of the C library, which has a package of its own. */
const ofLibc = ['c', 'dl', 'm', 'pthread', 'rt'];
/** In every static binary. */
const always = ['c', 'gcc_eh'];

/**
 * The source packages of the archives that are linked: the C library with the compiler's, and libelf with what it needs
 * (helper/crates/sampler/build.rs), in the versions that are installed here. Throws when it cannot be said what one of them is.
 */
export async function staticLibraries(arch = process.arch) {
  const flags = (await run('pkg-config', ['--static', '--libs', 'libelf'])).trim().split(/\s+/);
  const names = flags.filter((flag) => flag.startsWith('-l')).map((flag) => flag.slice(2));
  if (!names.includes('elf')) throw new Sentence(`pkg-config does not name libelf, but ${flags.join(' ')}.`);
  const system = osRelease(readFileSync('/etc/os-release', 'utf8'));
  const found = new Map();
  for (const name of [...always, ...names.filter((name) => !ofLibc.includes(name))]) {
    const component = await packageOf(`lib${name}.a`, arch);
    found.set(component.name, { ...component, ...system });
  }
  return [...found.values()];
}

/** Where the archive is in the unpacked packages that build for another machine, by its package there. */
const unpacked = { 'libc.a': 'libc6-dev', 'libelf.a': 'libelf-dev', 'libz.a': 'zlib1g-dev' };

async function packageOf(archive, arch) {
  const isForeign = arch !== process.arch;
  if (isForeign && unpacked[archive]) return unpackedPackage(unpacked[archive]);
  const compiler = isForeign ? 'aarch64-linux-gnu-gcc' : 'gcc';
  const file = (await run(compiler, [`-print-file-name=${archive}`])).trim();
  if (!existsSync(file)) throw new Sentence(`${archive} is not installed, so what is linked is not known.`);
  const [binary] = (await run('dpkg', ['--search', realpathSync(file)])).split(': ');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
  const shown = await run('dpkg-query', ['--show', '--showformat=${source:Package} ${source:Version}', binary]);
  const [name, version] = shown.trim().split(' ');
  return libraryComponent(name, version, path.join('/usr/share/doc', binary.replace(/:.*/, '')));
}

/** By the first line of its changelog: "glibc (2.36-9+deb12u14) bookworm; urgency=medium". */
function unpackedPackage(name) {
  const folder = path.join(arm64Folder(), 'usr/share/doc', name);
  const changelog = gunzipSync(readFileSync(path.join(folder, 'changelog.Debian.gz'))).toString();
  const [, source, version] = /^(\S+) \((\S+)\)/.exec(changelog);
  return libraryComponent(source, version, folder);
}

const libraryComponent = (name, version, folder) => ({
  kind: 'deb',
  name,
  version,
  licence: libraryLicences[familyOf(name)] ?? '',
  folder,
});

/** Of the text of /etc/os-release. */
function osRelease(text) {
  const field = (name) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? '';
  return { distribution: field('ID'), release: field('VERSION_ID') };
}

/** The packages under node_modules that the bundler's `inputs` (paths in the repository) come from. */
export function bundledPackages(inputs) {
  const folders = new Set(
    inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean),
  );
  return [...folders].map((folder) => {
    const { name, version, license = '' } = JSON.parse(readFileSync(inRoot(folder, 'package.json'), 'utf8'));
    return { kind: 'npm', name, version, licence: license, folder: inRoot(folder) };
  });
}
