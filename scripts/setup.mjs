// npm run setup: installs what building and testing need. Running it again on a finished machine does nothing.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findProgram, run } from './steps/command.mjs';
import { nodePackagesMissing } from './steps/node-packages.mjs';
import { helper, inRoot, rustTarget } from './steps/paths.mjs';
import { isMain, main, Sentence, step } from './steps/report.mjs';
import { installCommand, installPrefix, missingPackages } from './steps/system-packages.mjs';

const rustVersion = [1, 88];
const nodeVersion = 20;

export async function setup() {
  console.log('Set-up');
  checkNode();
  await installSystemPackages();
  await checkRust();
  if (nodePackagesMissing())
    await step('npm ci --ignore-scripts', () =>
      run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']),
    );
  for (const folder of [helper, inRoot('samples/rust-rayon')])
    await step(`cargo fetch (${path.relative(inRoot(), folder)})`, () =>
      run('cargo', ['fetch', '--locked'], { cwd: folder }),
    );
  await writeCargoSettings();
}

/**
 * What cargo has to know of this machine: where libelf.a is, and which paths to leave out of what is built, so that the
 * same commit gives the same binaries anywhere. They are static, with the C library: with a target that is named, cargo
 * applies the flags to them and not to its own plug-ins, which cannot be static.
 */
async function writeCargoSettings({ env = process.env } = {}) {
  const libraries = (await run('pkg-config', ['--variable=libdir', 'libelf'])).trim();
  const cargo = env.CARGO_HOME || path.join(os.homedir(), '.cargo');
  const remapped = { [path.join(cargo, 'registry/src')]: '/cargo', [helper]: '/lineheat' };
  const remap = Object.entries(remapped).map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  const flags = ['-Ctarget-feature=+crt-static', ...remap];
  const text = [
    '# Written by scripts/setup.mjs.',
    `[build]\ntarget = ${JSON.stringify(rustTarget)}\nrustflags = ${JSON.stringify(flags)}`,
    `[env]\nLIBBPF_SYS_LIBRARY_PATH_${rustTarget.replaceAll('-', '_')} = ${JSON.stringify(libraries)}\n`,
  ].join('\n');
  const file = path.join(helper, '.cargo/config.toml');
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function checkNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < nodeVersion)
    throw new Sentence(
      `Node.js ${nodeVersion} or newer is needed, this is ${process.version}. Install a newer one and run this again.`,
    );
}

/** Installs those of a list that are missing, by default what building and testing need. */
export async function installSystemPackages(packages) {
  const missing = missingPackages({ packages });
  if (missing.length === 0) return;
  const names = missing.map((item) => item.name);
  for (const item of missing) console.log(`  missing ${item.name}: ${item.why}`);
  const prefix = installPrefix();
  if (!prefix)
    throw new Sentence(
      `These system packages are missing: ${names.join(', ')}. This script can install them only as root or with sudo on a system with apt-get. ` +
        `Install them, on Debian or Ubuntu with\n\n  ${installCommand(names)}\n\nand run this again.`,
    );
  const [program, ...first] = prefix;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await step(`${prefix.join(' ')} update`, () => run(program, [...first, 'update'], { env }));
  await step(`${prefix.join(' ')} install ${names.join(' ')}`, () =>
    run(program, [...first, 'install', '-y', '--no-install-recommends', ...names], { env }),
  );
  const still = missingPackages({ packages }).map((item) => item.name);
  if (still.length > 0)
    throw new Sentence(
      `apt-get installed without an error, but this is still not found: ${still.join(', ')}. Is PATH complete?`,
    );
}

async function checkRust() {
  const wanted = rustVersion.join('.');
  if (!findProgram('cargo'))
    throw new Sentence(
      `Rust ${wanted} or newer is needed and \`cargo\` is not on PATH. Install it with rustup (see rustup's own page), then run this again.`,
    );
  const version = await run('rustc', ['--version']);
  const [, major, minor] = /rustc (\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) < rustVersion[0] || (Number(major) === rustVersion[0] && Number(minor) < rustVersion[1]))
    throw new Sentence(
      `Rust ${wanted} or newer is needed, this is ${version.trim()}. Run \`rustup update stable\`, then this again.`,
    );
  for (const part of ['rustfmt', 'cargo-clippy'])
    if (!findProgram(part))
      await step(`rustup component add ${part}`, () => run('rustup', ['component', 'add', part.replace('cargo-', '')]));
}

if (isMain(import.meta)) main(setup);
