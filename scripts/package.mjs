// npm run package: dist/lineheat-linux-x64.vsix from what `npm run build` made.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { run } from './steps/command.mjs';
import { engine, inRoot, sampler, vsix } from './steps/paths.mjs';
import { isMain, main, step } from './steps/report.mjs';

export async function makePackage() {
  console.log('Package');
  await step('bin/: stripped binaries', () => copyBinaries());
  const inputs = hashOfInputs();
  if (existsSync(vsix) && existsSync(packedInputs) && readFileSync(packedInputs, 'utf8') === inputs) {
    console.log('  ok      dist/lineheat-linux-x64.vsix is up to date');
    return;
  }
  await step('dist/lineheat-linux-x64.vsix', async () => {
    await rm(vsix, { force: true });
    await run('node', [
      inRoot('node_modules/@vscode/vsce/vsce'),
      ...['package', '--target', 'linux-x64', '--no-dependencies'],
      ...['--allow-missing-repository', '--no-rewrite-relative-links', '--out', vsix],
    ]);
    writeFileSync(packedInputs, inputs);
  });
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
    ...['package.json', 'package.nls.json', '.vscodeignore', 'README.md', 'CHANGELOG.md', 'LICENSE', 'docs/images'],
    ...['dist/extension.js', 'dist/webview', 'bin', 'syntaxes', 'resources'],
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
    const to = inRoot('bin', name);
    await rm(to, { force: true }); // a running engine keeps its file
    await copyFile(from, to);
    await run('strip', [to]);
    await chmod(to, 0o755);
  }
}

if (isMain(import.meta)) main(makePackage);
