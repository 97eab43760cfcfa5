// The system packages that building and testing need, and how to see that they are there.
import { existsSync } from 'node:fs';
import { findProgram } from './command.mjs';

/** What each Debian package is for; `program` on PATH or `file` shows that it is installed. */
export const systemPackages = [
  { name: 'clang', program: 'clang', why: 'compiles the BPF program' },
  { name: 'llvm', program: 'llvm-strip', why: 'strips BPF objects' },
  { name: 'libelf-dev', file: '/usr/include/libelf.h', why: 'libbpf reads its object with it' },
  { name: 'zlib1g-dev', file: '/usr/include/zlib.h', why: 'libbpf links it' },
  { name: 'pkg-config', program: 'pkg-config', why: 'finds libelf and zlib' },
  { name: 'binutils', program: 'readelf', why: 'strips the binaries and lists what they link' },
  { name: 'g++', program: 'g++', why: 'builds the samples and two modules of the test editor' },
  { name: 'make', program: 'make', why: 'builds libbpf and the C++ sample' },
  { name: 'cmake', program: 'cmake', why: 'builds the C++ sample' },
  { name: 'python3', program: 'python3', why: 'builds two modules of the test editor' },
  { name: 'git', program: 'git', why: 'names the commit of a run' },
  { name: 'chromium', program: 'chromium', why: 'shows the editor without a display' },
  { name: 'fonts-dejavu-core', file: '/usr/share/fonts/truetype/dejavu', why: 'text in screenshots' },
];

/** The packages that are not here. */
export function missingPackages({ has = (name) => findProgram(name) !== undefined, exists = existsSync } = {}) {
  return systemPackages.filter((item) => !(item.program ? has(item.program) : exists(item.file)));
}

/** How this user can install packages here: argument prefix, or undefined. */
export function installPrefix({ uid = process.getuid(), has = (name) => findProgram(name) !== undefined } = {}) {
  if (!has('apt-get')) return undefined;
  if (uid === 0) return ['apt-get'];
  return has('sudo') ? ['sudo', 'apt-get'] : undefined;
}

/** The command that a person types to get the packages. */
export const installCommand = (names) => `sudo apt-get install --no-install-recommends ${names.join(' ')}`;
