// Packages of the command line, for the binaries in bin/: a tarball, a .deb and an .rpm. The same content always gives the
// same bytes.
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { run } from '../steps/command.mjs';
import { EPOCH, fill, layouts } from './contents.mjs';
import { debFiles, rpmSpec } from './installing.mjs';

/** What Debian and Red Hat call the machine, by Node's name. */
const debianNames = { x64: 'amd64', arm64: 'arm64' };
const redHatNames = { x64: 'x86_64', arm64: 'aarch64' };

export const packageNames = {
  tar: ({ version, arch }) => `lineheat-${version}-linux-${arch}.tar.gz`,
  deb: ({ version, arch }) => `lineheat_${version}_${debianNames[arch]}.deb`,
  rpm: ({ version, arch }) => `lineheat-${version}-1.${redHatNames[arch]}.rpm`,
};

/** Writes the package of this kind into `folder`; gives its path. `of`: { version, arch }, of what is in bin/. */
export async function makeTerminalPackage(kind, of, folder) {
  const work = await mkdtemp(path.join(os.tmpdir(), 'lineheat-pack-'));
  try {
    const tree = path.join(work, 'tree');
    await mkdir(tree);
    await fill(tree, layouts[kind]);
    const made = path.join(work, 'made');
    await packers[kind](tree, of, made);
    const to = path.join(folder, packageNames[kind](of));
    await copyFile(made, to);
    return to;
  } finally {
    await rm(work, { recursive: true });
  }
}

const env = { SOURCE_DATE_EPOCH: `${EPOCH}`, LC_ALL: 'C' };

/** Each packs a folder into a file, and may use the folder that both are in. */
const packers = { tar: packTar, deb: packDeb, rpm: packRpm };

async function packTar(tree, of, made) {
  const top = packageNames.tar(of).replace('.tar.gz', '');
  const same = ['--sort=name', `--mtime=@${EPOCH}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  await run('tar', [...same, `--transform=s,^[.],${top},`, '--create', '--file', made, '--directory', tree, '.']);
  await run('gzip', ['--no-name', '--best', made]);
  await rename(`${made}.gz`, made);
}

async function packDeb(tree, { version, arch }, made) {
  const control = path.join(tree, 'DEBIAN');
  await mkdir(control);
  await chmod(control, 0o755);
  for (const [name, text] of Object.entries(debFiles({ version, architecture: debianNames[arch] }))) {
    await writeFile(path.join(control, name), text);
    await chmod(path.join(control, name), name === 'control' ? 0o644 : 0o755);
  }
  await run('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', tree, made], { env });
}

async function packRpm(tree, { version, arch }, made) {
  const folder = path.dirname(made);
  const spec = path.join(folder, 'lineheat.spec');
  await writeFile(spec, rpmSpec({ version, layout: layouts.rpm }));
  const macros = { _topdir: folder, _rpmdir: folder, _rpmfilename: path.basename(made), _buildhost: 'localhost' };
  const defines = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  await run('rpmbuild', ['-bb', '--buildroot', tree, '--target', `${redHatNames[arch]}-linux`, ...defines, spec], {
    env,
  });
}
