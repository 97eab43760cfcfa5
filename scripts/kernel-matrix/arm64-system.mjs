// A Debian of arm64 with the compilers and tools that tests of the crates call, as a disk of a guest: from Debian's packages, in
// the user's cache.
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../steps/command.mjs';
import { filledOnce, ownSuite, withArchive } from '../steps/debian-archive.mjs';
import { guestFolder } from '../steps/paths.mjs';

const packages = [
  ...[
    'bash',
    'busybox-static',
    'coreutils',
    'dash',
    'diffutils',
    'findutils',
    'grep',
    'gzip',
    'mawk',
    'sed',
    'tar',
    'xz-utils',
  ],
  ...['git', 'libc-bin', 'libcap2-bin', 'login', 'mount', 'passwd', 'procps', 'sudo', 'util-linux'],
  ...[
    'binutils',
    'clang',
    'dwz',
    'g++',
    'gcc',
    'golang-go',
    'llvm',
    'make',
    'musl-tools',
    'nodejs',
    'ocaml-nox',
    'qemu-user',
    'rustc-web',
  ],
];

/** What the packages' own scripts would write; sudo asks nobody. */
const files = {
  'etc/passwd':
    'root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/sh\n',
  'etc/group': 'root:x:0:\ndaemon:x:1:\nnogroup:x:65534:\n',
  'etc/shadow': 'root:*:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\n',
  'etc/gshadow': 'root:*::\ndaemon:*::\nnogroup:*::\n',
  'etc/hosts': '127.0.0.1 localhost guest\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files\n',
  'etc/pam.d/other': 'auth required pam_deny.so\naccount required pam_deny.so\nsession required pam_deny.so\n',
  'etc/pam.d/common-auth': 'auth sufficient pam_permit.so\n',
  'etc/pam.d/common-account': 'account sufficient pam_permit.so\n',
  'etc/pam.d/common-session': 'session optional pam_permit.so\n',
  'etc/pam.d/common-session-noninteractive': 'session optional pam_permit.so\n',
};

/** The file of the disk. Guests leave it as it is. */
export async function arm64System() {
  const folder = await filledOnce(path.join(guestFolder(), 'arm64-system'), async (whole) => {
    const tree = path.join(whole, 'tree');
    await mkdir(tree);
    await unpack(tree);
    await run('/usr/sbin/mke2fs', ['-q', '-t', 'ext4', '-d', tree, path.join(whole, 'disk'), '8G']);
    await rm(tree, { recursive: true });
  });
  return path.join(folder, 'disk');
}

async function unpack(tree) {
  const suite = ownSuite();
  const suites = [
    { archive: 'debian', suite },
    { archive: 'debian-security', suite: `${suite}-security` },
  ];
  await withArchive({ suites, architecture: 'arm64', beside: guestFolder() }, (archive) =>
    archive.unpackWhole(packages, tree),
  );
  // As on every Debian; some packages still have files in the old places.
  for (const part of ['bin', 'lib', 'sbin']) {
    await cp(path.join(tree, part), path.join(tree, 'usr', part), { recursive: true, verbatimSymlinks: true });
    await rm(path.join(tree, part), { recursive: true });
    await symlink(`usr/${part}`, path.join(tree, part));
  }
  for (const part of ['dev', 'proc', 'sys', 'tmp', 'root', 'run', 'tests'])
    await mkdir(path.join(tree, part), { recursive: true });
  for (const [name, program] of Object.entries({ awk: 'mawk', cc: 'gcc' }))
    await symlink(program, path.join(tree, 'usr/bin', name));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.join(tree, path.dirname(file)), { recursive: true });
    await writeFile(path.join(tree, file), text, { mode: file.includes('shadow') ? 0o640 : 0o644 });
  }
}
