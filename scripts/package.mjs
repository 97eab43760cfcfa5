// npm run package: dist/lineheat-linux-x64.vsix from what `npm run build` made.
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';
import { run } from './steps/command.mjs';
import { engine, inRoot, sampler, vsix } from './steps/paths.mjs';
import { isMain, main, step } from './steps/report.mjs';

export async function makePackage() {
  console.log('Package');
  await step('bin/: stripped binaries', () => copyBinaries());
  await step('dist/lineheat-linux-x64.vsix', async () => {
    await rm(vsix, { force: true });
    await run('node', [
      inRoot('node_modules/@vscode/vsce/vsce'),
      ...['package', '--target', 'linux-x64', '--no-dependencies'],
      ...['--allow-missing-repository', '--no-rewrite-relative-links', '--out', vsix],
    ]);
  });
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
