// npm run package [-- --all]: builds, then packs the extension for this machine, dist/lineheat-linux-x64.vsix; with --all, for
// each system and architecture that is built for, for hosts of any other, and the command line as packages.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { build, buildHelper } from './build.mjs';
import { run } from './steps/command.mjs';
import { cargoBuiltFor, inRoot, preloaded, vsixFor } from './steps/paths.mjs';
import { isMain, main, Sentence, step } from './steps/report.mjs';
import { billOfMaterials, checksums } from './supply/bill-of-materials.mjs';
import { shippedComponents } from './supply/components.mjs';
import { licenceProblems, licenceTexts } from './supply/licences.mjs';
import { makeTerminalPackage, packageNames } from './terminal-packages/make.mjs';

/**
 * What a package is for, by the editor's name, and the architecture of the binaries, by Node's. They are static: those of
 * Alpine are the same, but the editor offers a host that has musl no package of another name.
 */
const targets = { 'linux-x64': 'x64', 'alpine-x64': 'x64', 'linux-arm64': 'arm64', 'alpine-arm64': 'arm64' };
const own = `linux-${process.arch}`;
/** For all other hosts: without binaries, it says in one sentence where Lineheat runs. */
export const UNIVERSAL = 'universal';

export async function makePackage(wanted = [own]) {
  console.log('Package');
  for (const target of wanted) await packFor(target, targets[target]);
}

async function packFor(target, arch) {
  const [vsix, packedInputs] = [vsixFor(target), inRoot(`dist/.packed-inputs-${target}`)];
  if (arch) await step(`bin/: stripped binaries, ${arch}`, () => copyBinaries(arch));
  await step('licences and bill of materials', () => writeSupply(arch));
  const inputs = hashOfInputs();
  const name = path.relative(inRoot(), vsix);
  if (existsSync(vsix) && existsSync(packedInputs) && readFileSync(packedInputs, 'utf8') === inputs) {
    console.log(`  ok      ${name} is up to date`);
    return;
  }
  await step(name, async () => {
    await rm(vsix, { force: true });
    await pack(vsix, target);
    const binaries = arch ? ['lineheat', 'lineheat-sampler', preloaded].map(shipped) : [];
    writeFileSync(`${vsix}.sha256`, checksums([vsix, ...binaries]));
    // What it was made from: packing looks at every file of the folder, which takes longer than all the rest.
    writeFileSync(packedInputs, inputs);
  });
}

/** The command line for the architecture whose binaries are in bin/. */
async function packForTerminal(arch) {
  const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const made = [];
  for (const kind of Object.keys(packageNames))
    await step(`dist/${packageNames[kind]({ version, arch })}`, async () => {
      made.push(await makeTerminalPackage(kind, { version, arch }, inRoot('dist')));
    });
  writeFileSync(inRoot(`dist/lineheat-${version}-linux-${arch}.sha256`), checksums(made));
}

/** Packs the extension with what is in bin/; the same content always gives the same bytes. */
export async function pack(file, target = own) {
  const args = [
    ...['package', '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '--out', file],
    ...(target === UNIVERSAL ? ['--ignoreFile', ignoringBinaries()] : ['--target', target]),
  ];
  // The time that every packed file gets: the start of 2000, in seconds.
  await run('node', [inRoot('node_modules/@vscode/vsce/vsce'), ...args], { env: { SOURCE_DATE_EPOCH: '946684800' } });
}

/** A list of what is packed, as .vscodeignore is one, but for the binaries. */
function ignoringBinaries() {
  const list = readFileSync(inRoot('.vscodeignore'), 'utf8').replaceAll(/^!bin[/].*\n/gm, '');
  const file = inRoot('dist/.vscodeignore-universal');
  writeFileSync(file, list);
  return file;
}

/** Refuses to ship what has a licence that nobody reviewed. */
async function writeSupply(arch) {
  const all = await shippedComponents(arch);
  const components = arch ? all : all.filter(({ kind }) => kind === 'npm');
  const problems = licenceProblems(components);
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
  const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  writeFileSync(inRoot('dist/bill-of-materials.cdx.json'), billOfMaterials(components, version));
  writeFileSync(inRoot('dist/THIRD-PARTY-LICENCES.txt'), licenceTexts(components));
}

function hashOfInputs() {
  const hash = createHash('sha256');
  const add = (name) => {
    const file = inRoot(name);
    if (!existsSync(file)) return;
    if (statSync(file).isDirectory()) for (const inner of readdirSync(file).sort()) add(path.join(name, inner));
    else hash.update(`${name}\0`).update(readFileSync(file));
  };
  for (const name of [
    ...[
      'package.json',
      'package.nls.json',
      'l10n',
      '.vscodeignore',
      'README.md',
      'CHANGELOG.md',
      'LICENSE',
      'docs/images',
    ],
    ...['dist/extension.js', 'dist/webview', 'bin', 'syntaxes', 'resources'],
    ...['dist/bill-of-materials.cdx.json', 'dist/THIRD-PARTY-LICENCES.txt'],
  ])
    add(name);
  return hash.digest('hex');
}

/** Copies the two binaries and the library to bin/, without symbols; the binaries executable by all. */
export async function copyBinaries(arch = process.arch) {
  await mkdir(inRoot('bin'), { recursive: true });
  for (const name of ['lineheat', 'lineheat-sampler', preloaded]) {
    const to = shipped(name);
    await rm(to, { force: true }); // a running engine keeps its file
    await copyFile(cargoBuiltFor(arch, name), to);
    await run(arch === process.arch ? 'strip' : 'aarch64-linux-gnu-strip', [to]);
    // Others must not be able to write to the library: the engine refuses it then.
    await chmod(to, name === preloaded ? 0o644 : 0o755);
  }
}

const shipped = (binary) => inRoot('bin', binary);

if (isMain(import.meta))
  main(async () => {
    await build();
    if (!process.argv.includes('--all')) return makePackage();
    const architectures = new Set(Object.values(targets));
    for (const arch of architectures) await buildHelper(arch);
    await makePackage([UNIVERSAL]);
    // That of this machine last: bin/ is used from the checkout, too.
    for (const arch of [...architectures].sort((a, b) => Number(a === process.arch) - Number(b === process.arch))) {
      await makePackage(Object.keys(targets).filter((target) => targets[target] === arch));
      await packForTerminal(arch);
    }
  });
