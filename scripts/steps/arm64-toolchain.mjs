// What builds for arm64 on an x86-64 Debian: a compiler whose standard library there is for both, and the libraries to link,
// unpacked from Debian's packages into the user's cache. Nothing is installed, and the Rust that is there is not touched.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { filledOnce, ownSuite, withArchive } from './debian-archive.mjs';
import { arm64Folder, rustTargets } from './paths.mjs';
import { Sentence } from './report.mjs';

const target = rustTargets.arm64;

/** Debian's compiler for browsers: the newest that a stable release has, its standard library for every machine. */
const compiler = 'rustc-web';
/** What it needs beside libraries that any Debian has. */
const partsOfCompiler = /^(libstd-rust-web|libllvm)/;
/** The standard library of the target, the C library, and what the sampler links. */
const ofTarget = ['libstd-rust-web-dev', 'libc6-dev', 'libelf-dev', 'zlib1g-dev'];

/** Its own libraries lie beside it, as does the standard library of both machines. */
const wrapper = `#!/bin/sh
here=$(dirname "$0")
libraries=$here/usr/lib/x86_64-linux-gnu
for folder in "$here"/usr/lib/llvm-*/lib; do libraries=$libraries:$folder; done
LD_LIBRARY_PATH=$libraries exec "$here/usr/bin/rustc" --sysroot "$here/usr" "$@"
`;

/** Debian's compiler for the target comes with a C library that is older than that of its own packages. */
const linker = `#!/bin/sh
here=$(dirname "$0")
exec aarch64-linux-gnu-gcc "-L$here/usr/lib/aarch64-linux-gnu" "$@"
`;

/** The variables with which cargo builds for arm64; unpacks the compiler at the first time. */
export async function arm64Environment() {
  const folder = arm64Folder();
  await filledOnce(folder, unpack);
  const name = target.toUpperCase().replaceAll('-', '_');
  const underscored = target.replaceAll('-', '_');
  return {
    RUSTC: path.join(folder, 'rustc'),
    [`CARGO_TARGET_${name}_LINKER`]: path.join(folder, 'linker'),
    [`CC_${underscored}`]: 'aarch64-linux-gnu-gcc',
    [`AR_${underscored}`]: 'aarch64-linux-gnu-ar',
    [`LIBBPF_SYS_LIBRARY_PATH_${underscored}`]: path.join(folder, 'usr/lib/aarch64-linux-gnu'),
  };
}

async function unpack(tree) {
  const suite = ownSuite();
  const suites = [
    { archive: 'debian', suite },
    { archive: 'debian-security', suite: `${suite}-security` },
  ];
  const beside = path.dirname(tree);
  await withArchive({ suites, architecture: 'amd64', beside }, async (archive) => {
    const parts = (await archive.needs(compiler)).filter((name) => partsOfCompiler.test(name));
    if (parts.length < 2) throw new Sentence(`The archive of ${suite} has no ${compiler}, which builds for arm64.`);
    for (const name of [compiler, ...parts]) await archive.unpack(name, tree);
  });
  await withArchive({ suites, architecture: 'arm64', beside }, async (archive) => {
    for (const name of ofTarget) await archive.unpack(name, tree);
  });
  await writeFile(path.join(tree, 'rustc'), wrapper, { mode: 0o755 });
  await writeFile(path.join(tree, 'linker'), linker, { mode: 0o755 });
}
