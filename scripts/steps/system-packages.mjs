// The system packages that building and testing need, and how to see that they are there.
import { existsSync } from 'node:fs';
import { findProgram } from './command.mjs';

/** What each Debian package is for; `program` on PATH or `file` shows that it is installed. */
export const systemPackages = [
  { name: 'clang', program: 'clang', why: 'compiles the BPF program' },
  { name: 'llvm', program: 'llvm-strip', why: 'strips BPF objects' },
  { name: 'libelf-dev', file: '/usr/include/libelf.h', why: 'libbpf reads its object with it, linked statically' },
  { name: 'zlib1g-dev', file: '/usr/include/zlib.h', why: 'libbpf links it' },
  { name: 'pkg-config', program: 'pkg-config', why: 'finds libelf and zlib' },
  { name: 'binutils', program: 'readelf', why: 'strips the binaries and lists what they link' },
  { name: 'dwz', program: 'dwz', why: 'makes debug information that two files share, for a test' },
  { name: 'xz-utils', program: 'xz', why: 'makes mini debug info for a test' },
  { name: 'debuginfod', program: 'debuginfod-find', why: 'fetches debug information in a test' },
  { name: 'g++', program: 'g++', why: 'builds the samples and two modules of the test editor' },
  { name: 'gcc-aarch64-linux-gnu', program: 'aarch64-linux-gnu-gcc', why: 'builds an aarch64 program for a test' },
  { name: 'g++-aarch64-linux-gnu', program: 'aarch64-linux-gnu-g++', why: 'builds aarch64 programs for guests' },
  {
    name: 'libc6-dev-arm64-cross',
    file: '/usr/aarch64-linux-gnu/include/stdio.h',
    why: 'is the C library of that program',
  },
  { name: 'qemu-user', program: 'qemu-aarch64', why: 'runs that program, instruction by instruction' },
  { name: 'musl-tools', program: 'musl-gcc', why: 'builds programs with another C library that the tests record' },
  { name: 'golang-go', program: 'go', why: 'builds programs that the tests record' },
  { name: 'ocaml-nox', program: 'ocamlopt', why: 'builds programs that the tests record' },
  { name: 'make', program: 'make', why: 'builds libbpf and the C++ sample' },
  { name: 'cmake', program: 'cmake', why: 'builds the C++ sample' },
  { name: 'meson', program: 'meson', why: 'builds a workspace that the tests profile' },
  {
    name: 'libgtest-dev',
    file: '/usr/include/gtest/gtest.h',
    why: 'builds a GoogleTest program that the tests profile',
  },
  { name: 'catch2', file: '/usr/include/catch2/catch.hpp', why: 'builds a Catch2 program that the tests profile' },
  { name: 'python3', program: 'python3', why: 'builds two modules of the test editor' },
  { name: 'python3-dev', file: '/usr/bin/python3-config', why: 'builds a C extension that the tests profile' },
  { name: 'rpm', program: 'rpmbuild', why: 'makes the package for distributions that use it' },
  { name: 'git', program: 'git', why: 'names the commit of a run' },
  { name: 'postgresql', file: '/usr/lib/postgresql', why: 'a program of many processes that the tests record' },
  { name: 'chromium', program: 'chromium', why: 'shows the editor without a display' },
  { name: 'fonts-dejavu-core', file: '/usr/share/fonts/truetype/dejavu', why: 'text in screenshots' },
];

/** What booting other kernels needs on top. */
export const guestPackages = [
  { name: 'qemu-system-x86', program: 'qemu-system-x86_64', why: 'boots other kernels' },
  { name: 'qemu-system-arm', program: 'qemu-system-aarch64', why: 'boots kernels of arm64' },
  { name: 'busybox-static', program: 'busybox', why: 'is the shell of a guest' },
  { name: 'cpio', program: 'cpio', why: 'packs what a guest boots with' },
  { name: 'e2fsprogs', file: '/usr/sbin/mke2fs', why: 'makes the disks of a guest' },
  { name: 'libcap2-bin', file: '/usr/sbin/setcap', why: 'gives the sampler its capabilities in a guest' },
  { name: 'util-linux', program: 'setpriv', why: 'becomes an ordinary user in a guest' },
];

/** The packages of a list that are not here. */
export function missingPackages({
  packages = systemPackages,
  has = (name) => findProgram(name) !== undefined,
  exists = existsSync,
} = {}) {
  return packages.filter((item) => !(item.program ? has(item.program) : exists(item.file)));
}

/** How this user can install packages here: argument prefix, or undefined. */
export function installPrefix({ uid = process.getuid(), has = (name) => findProgram(name) !== undefined } = {}) {
  if (!has('apt-get')) return undefined;
  if (uid === 0) return ['apt-get'];
  return has('sudo') ? ['sudo', 'apt-get'] : undefined;
}

/** The command that a person types to get the packages. */
export const installCommand = (names) => `sudo apt-get install --no-install-recommends ${names.join(' ')}`;
