// npm run package: builds, then packs dist/lineheat-linux-x64.vsix.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from './build.mjs';
import { run } from './steps/command.mjs';
import { engine, inRoot, sampler, vsix } from './steps/paths.mjs';
import { isMain, main, Sentence, step } from './steps/report.mjs';
import { billOfMaterials, checksums } from './supply/bill-of-materials.mjs';
import { shippedComponents } from './supply/components.mjs';
import { licenceProblems, licenceTexts } from './supply/licences.mjs';

export async function makePackage() {
  console.log('Package');
  await step('bin/: stripped binaries', () => copyBinaries());
  await step('licences and bill of materials', () => writeSupply());
  const inputs = hashOfInputs();
  if (existsSync(vsix) && existsSync(packedInputs) && readFileSync(packedInputs, 'utf8') === inputs) {
    console.log('  ok      dist/lineheat-linux-x64.vsix is up to date');
    return;
  }
  await step('dist/lineheat-linux-x64.vsix', async () => {
    await rm(vsix, { force: true });
    await pack(vsix);
    writeFileSync(`${vsix}.sha256`, checksums([vsix, shipped('lineheat'), shipped('lineheat-sampler')]));
    writeFileSync(packedInputs, inputs);
  });
}

/** Packs the extension; the same content always gives the same bytes. */
export async function pack(file) {
  const args = [
    ...['package', '--target', 'linux-x64', '--no-dependencies'],
    ...['--allow-missing-repository', '--no-rewrite-relative-links', '--out', file],
  ];
  // The time that every packed file gets: the start of 2000, in seconds.
  await run('node', [inRoot('node_modules/@vscode/vsce/vsce'), ...args], { env: { SOURCE_DATE_EPOCH: '946684800' } });
}

/** Refuses to ship what has a licence that nobody reviewed. */
async function writeSupply() {
  const components = await shippedComponents();
  const problems = licenceProblems(components);
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
  const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  writeFileSync(inRoot('dist/bill-of-materials.cdx.json'), billOfMaterials(components, version));
  writeFileSync(inRoot('dist/THIRD-PARTY-LICENCES.txt'), licenceTexts(components));
}

/** What the packed file was made from: packing looks at every file of the folder, which takes longer than all the rest. */
const packedInputs = inRoot('dist/.packed-inputs');

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
export async function copyBinaries() {
  await mkdir(inRoot('bin'), { recursive: true });
  for (const [from, name] of [
    [engine, 'lineheat'],
    [sampler, 'lineheat-sampler'],
  ]) {
    const to = shipped(name);
    await rm(to, { force: true }); // a running engine keeps its file
    await copyFile(from, to);
    await run('strip', [to]);
    await chmod(to, 0o755);
  }
}

const shipped = (binary) => inRoot('bin', binary);

if (isMain(import.meta))
  main(async () => {
    await build();
    await makePackage();
  });
