// npm run package [-- --all]: builds, then packs the extension for this machine, dist/lineheat-linux-x64.vsix; with --all, for
// each system and architecture that is built for.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { build, buildHelper } from './build.mjs';
import { run } from './steps/command.mjs';
import { cargoBuiltFor, inRoot, vsixFor } from './steps/paths.mjs';
import { isMain, main, Sentence, step } from './steps/report.mjs';
import { billOfMaterials, checksums } from './supply/bill-of-materials.mjs';
import { shippedComponents } from './supply/components.mjs';
import { licenceProblems, licenceTexts } from './supply/licences.mjs';

/**
 * What a package is for, by the editor's name, and Node's name of the architecture. The binaries are static: those of
 * Alpine are the same, but the editor offers a host that has musl no package of another name.
 */
const targets = { 'linux-x64': 'x64', 'alpine-x64': 'x64', 'linux-arm64': 'arm64', 'alpine-arm64': 'arm64' };
const own = `linux-${process.arch}`;

export async function makePackage(wanted = [own]) {
  console.log('Package');
  for (const target of wanted) await packFor(target, targets[target]);
}

async function packFor(target, arch) {
  const [vsix, packedInputs] = [vsixFor(target), inRoot(`dist/.packed-inputs-${target}`)];
  await step(`bin/: stripped binaries, ${arch}`, () => copyBinaries(arch));
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
    writeFileSync(`${vsix}.sha256`, checksums([vsix, shipped('lineheat'), shipped('lineheat-sampler')]));
    // What it was made from: packing looks at every file of the folder, which takes longer than all the rest.
    writeFileSync(packedInputs, inputs);
  });
}

/** Packs the extension with what is in bin/; the same content always gives the same bytes. */
export async function pack(file, target = own) {
  const args = [
    ...['package', '--target', target, '--no-dependencies'],
    ...['--allow-missing-repository', '--no-rewrite-relative-links', '--out', file],
  ];
  // The time that every packed file gets: the start of 2000, in seconds.
  await run('node', [inRoot('node_modules/@vscode/vsce/vsce'), ...args], { env: { SOURCE_DATE_EPOCH: '946684800' } });
}

/** Refuses to ship what has a licence that nobody reviewed. */
async function writeSupply(arch) {
  const components = await shippedComponents(arch);
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

/** Copies the two binaries to bin/, without symbols and executable by all. */
export async function copyBinaries(arch = process.arch) {
  await mkdir(inRoot('bin'), { recursive: true });
  for (const name of ['lineheat', 'lineheat-sampler']) {
    const to = shipped(name);
    await rm(to, { force: true }); // a running engine keeps its file
    await copyFile(cargoBuiltFor(arch, name), to);
    await run(arch === process.arch ? 'strip' : 'aarch64-linux-gnu-strip', [to]);
    await chmod(to, 0o755);
  }
}

const shipped = (binary) => inRoot('bin', binary);

if (isMain(import.meta))
  main(async () => {
    await build();
    if (!process.argv.includes('--all')) return makePackage();
    for (const arch of new Set(Object.values(targets))) await buildHelper(arch);
    // That of this machine last: bin/ is used from the checkout, too.
    return makePackage(Object.keys(targets).sort((a, b) => Number(a === own) - Number(b === own)));
  });
