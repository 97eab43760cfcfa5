// Root folders of other systems: what is there beside the program that is recorded. Each is made of packages of the Debian
// archive, kept in the user's cache, or of files of this machine.
import { chmod, copyFile, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../steps/command.mjs';
import { filledOnce, withArchive } from '../steps/debian-archive.mjs';
import { engine, inRoot, rootFolder, sampler } from '../steps/paths.mjs';

/** Uid and gid of the ordinary user, who is in the list of each root that has one. */
export const user = 1000;

/** A shell, `getent`, and lists of users that systemd has, too, which is where libc would load a library for them. */
const packages = ['libc6', 'libc-bin', 'dash', 'libcap2', 'libnss-systemd'];

/**
 * By name: `make(folder)` fills an empty folder and gives the command that is recorded there, `function` the name of what
 * takes its time ('' where the program has no names).
 */
export const roots = {
  'an empty root': { function: 'spend', make: (folder) => compiled(folder, ['gcc', '-static']) },
  'a root with musl': { function: 'spend', make: withMusl },
  'Debian 11': { function: '', make: (folder) => withDash(folder, 'debian-11', 'bullseye') },
  'Debian 13': { function: '', make: (folder) => withDash(folder, 'debian-13', 'trixie') },
};

/** Puts the two binaries into a root: as they are, and with a sampler that has the two capabilities of the kernel. */
export async function addLineheat(folder) {
  for (const place of ['lineheat', 'installed']) {
    await mkdir(path.join(folder, 'opt', place), { recursive: true });
    for (const binary of [engine, sampler]) {
      const copy = path.join(folder, 'opt', place, path.basename(binary));
      await copyFile(binary, copy);
      await run('strip', [copy]);
      await chmod(copy, 0o755);
    }
  }
  await run('setcap', ['cap_bpf,cap_perfmon=ep', path.join(folder, 'opt/installed/lineheat-sampler')]);
  await mkdir(path.join(folder, 'tmp'), { recursive: true });
  await chmod(path.join(folder, 'tmp'), 0o1777);
  await chmod(folder, 0o755);
}

async function compiled(folder, [compiler, ...flags]) {
  const source = inRoot('helper/tests/programs/hot_line.c');
  await run(compiler, [...flags, '-O2', '-g', source, '-o', path.join(folder, 'program')]);
  return ['/program'];
}

/** As Alpine has it: musl's loader, lists of users, no nsswitch.conf. */
async function withMusl(folder) {
  const loader = 'lib/ld-musl-x86_64.so.1';
  await mkdir(path.join(folder, 'lib'));
  await copyFile(path.join('/', loader), path.join(folder, loader));
  await addUsers(folder);
  return compiled(folder, ['musl-gcc']);
}

async function withDash(folder, name, suite) {
  await cp(await debian(name, suite), folder, { recursive: true, verbatimSymlinks: true });
  await addUsers(folder);
  await writeFile(path.join(folder, 'etc/nsswitch.conf'), 'passwd: files systemd\ngroup: files systemd\n');
  return ['/bin/dash', '-c', 'i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done; exit 3'];
}

async function addUsers(folder) {
  await mkdir(path.join(folder, 'etc'), { recursive: true });
  await writeFile(path.join(folder, 'etc/passwd'), `root:x:0:0::/root:/bin/sh\ndev:x:${user}:${user}::/tmp:/bin/sh\n`);
  await writeFile(path.join(folder, 'etc/group'), `root:x:0:\ndev:x:${user}:\n`);
}

/** The unpacked packages of a suite, from the cache once they are there. */
function debian(name, suite) {
  const cache = rootFolder();
  return filledOnce(path.join(cache, name), async (tree) => {
    // Since Debian 12, packages have /usr/bin and /usr/lib only, and a package that we do not take has these.
    if (suite !== 'bullseye')
      for (const part of ['bin', 'lib', 'lib64']) await symlink(`usr/${part}`, path.join(tree, part));
    await withArchive({ suites: [{ archive: 'debian', suite }], beside: cache }, async (archive) => {
      for (const part of packages) await archive.unpack(part, tree);
    });
  });
}
