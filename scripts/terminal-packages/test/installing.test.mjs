// The packages of the command line, installed, used by an ordinary user and removed, on a copy of this machine that keeps nothing.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { copyBinaries } from '../../package.mjs';
import { CommandFailed, run } from '../../steps/command.mjs';
import { inRoot } from '../../steps/paths.mjs';
import { makeTerminalPackage, packageNames } from '../make.mjs';

const of = { version: JSON.parse(await readFile(inRoot('package.json'), 'utf8')).version, arch: process.arch };
const skip = process.getuid() !== 0 && 'only root installs packages';
const kinds = Object.keys(packageNames);
let folder;
/** By kind, the package's path. */
const packages = {};

before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'lineheat-packages-'));
  await copyBinaries();
  for (const kind of kinds) packages[kind] = await makeTerminalPackage(kind, of, folder);
});
after(() => rm(folder, { recursive: true }));

/**
 * What the shell script prints and leaves, in a root folder that shows this machine and keeps what is written apart. `$1` is
 * `file` there. Gives { output, written }: paths.
 */
async function onACopy(script, file) {
  const layer = await mkdtemp(path.join(folder, 'copy-'));
  const written = path.join(layer, 'upper');
  for (const name of ['store', 'root']) await mkdir(path.join(layer, name));
  const enter = `
set -e
mount -t tmpfs -o mode=0755,size=256m lineheat store
mkdir store/upper store/work
mount -t overlay -o lowerdir=/,upperdir=store/upper,workdir=store/work lineheat root
for part in proc sys dev; do mount --rbind /$part root/$part; done
mkdir -p root/package
cp "$2" root/package
chroot root sh -c "$1" sh "/package/$(basename "$2")" 2>&1
rm -r store/upper/package
cp -a store/upper upper
`;
  const args = ['--mount', '--propagation', 'private', 'sh', '-c', enter, 'sh', script, file];
  try {
    const output = await run('unshare', args, { cwd: layer });
    return { output, written: await filesBelow(written) };
  } catch (error) {
    throw error instanceof CommandFailed ? new Error(`${error.message}\n${error.output}`) : error;
  }
}

async function filesBelow(root) {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => !entry.isDirectory());
  return files.map((entry) => path.join('/', path.relative(root, entry.parentPath ?? entry.path), entry.name)).sort();
}

/** Whoever is in the group records kernel time, whoever is not is told how to get in, and neither changes the sampler. */
const installedAndUsed = (install, remove) => `set -e
${install} "$1"
stat --format='%U %G %a' /usr/libexec/lineheat/lineheat-sampler
useradd --create-home member
useradd --create-home other
usermod --append --groups lineheat member
record="lineheat record --privileged -- sh -c"
spend='i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
cd /home/member
runuser --user member -- $record "$spend; exit 1"
! runuser --user member -- sh -c 'echo >> /usr/libexec/lineheat/lineheat-sampler'
cd /home/other
! runuser --user other -- $record "exit 2"
runuser --user other -- lineheat doctor --install --print
SUDO_USER=other SUDO_UID=$(id --user other) SUDO_GID=$(id --group other) lineheat doctor --install --yes
runuser --user other -- $record "$spend; exit 3"
! lineheat doctor --uninstall --yes
zcat /usr/share/man/man1/lineheat-record.1.gz | grep '^.TH'
bash -c '
. /usr/share/bash-completion/completions/lineheat
COMP_WORDS=(lineheat rec) COMP_CWORD=1
_lineheat lineheat rec lineheat
echo "completed: \${COMPREPLY[*]}"'
userdel --remove member
userdel --remove other
${remove} lineheat
getent group lineheat || echo 'no group'
`;

function wasUsed({ output, written }) {
  for (const expected of [
    /^root lineheat 750$/m,
    /samples in .* at 999 Hz, none lost; the command exited with 1/,
    /Permission denied/,
    /you are not in the group lineheat/,
    /^usermod --append --groups lineheat other$/m,
    /other, after the next login, can record without sudo/,
    /samples in .* at 999 Hz, none lost; the command exited with 3/,
    /belongs to the package lineheat/,
    /^[.]TH lineheat-record 1 /m,
    /^completed: record$/m,
    /^no group$/m,
  ])
    assert.match(output, expected, output);
  // But for the diary that dpkg keeps of every package.
  const left = written.filter((file) => file.includes('lineheat') && !file.startsWith('/var/log/'));
  assert.deepEqual(left, []);
}

test('the .deb is installed, used and purged without a trace', { skip }, async () => {
  wasUsed(
    await onACopy(installedAndUsed("dpkg --path-include='/usr/share/*' --install", 'dpkg --purge'), packages.deb),
  );
});

test('the .rpm is installed, used and removed without a trace', { skip }, async () => {
  wasUsed(await onACopy(installedAndUsed('rpm --install --nodeps', 'rpm --erase --nodeps'), packages.rpm));
});

test('the tarball works where it is unpacked', { skip }, async () => {
  const { output } = await onACopy(
    `set -e
cd /tmp
tar xzf "$1"
cd lineheat-*
./lineheat record --privileged -- sh -c 'exit 3'
grep '^.TH' man/man1/lineheat.1`,
    packages.tar,
  );
  assert.match(output, /the command exited with 3/, output);
  assert.match(output, /^[.]TH lineheat 1 /m, output);
});

test('each package made again has the same bytes', async () => {
  const again = await mkdtemp(path.join(folder, 'again-'));
  for (const kind of kinds) {
    const [first, second] = [packages[kind], await makeTerminalPackage(kind, of, again)];
    assert.ok((await readFile(first)).equals(await readFile(second)), kind);
  }
});
