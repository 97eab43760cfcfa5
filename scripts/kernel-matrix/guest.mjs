// Boots a kernel with a small file system in memory and gives what its first process printed. Software emulation: it is
// the same on every machine and needs no rights; times inside mean nothing.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { findProgram, run, track } from '../steps/command.mjs';
import { cargoBuiltFor, inRoot, preloaded } from '../steps/paths.mjs';
import { Sentence } from '../steps/report.mjs';
import { arm64Tree } from './arm64-tree.mjs';

const applets = ['sh', 'mount', 'mkdir', 'cat', 'cp', 'grep', 'kill', 'mv', 'pidof', 'sleep', 'true', 'poweroff'];
/** A guest that prints nothing for so long is stuck; one that goes on slowly, on a busy machine, may take as long as it needs. */
const SILENT_LIMIT_MS = 300_000;

/** Programs with a known answer: one static, one with templates, one with threads, a child and system calls, one that waits … */
const programs = {
  hot_line: ['gcc', '-static', 'hot_line.c'],
  templates: ['g++', 'templates.cpp'],
  crew: ['gcc', '-pthread', 'crew.c'],
  secrets: ['gcc', 'secrets.c'],
  convoy: ['gcc', '-pthread', 'convoy.c'],
  counted_loops: ['gcc', 'counted_loops.c'],
  own_callers: ['gcc', '-pthread', 'own_callers.c'],
  red_zone: ['gcc', 'red_zone.c'],
};

const onlyOn = { red_zone: 'x64' };

/** What a guest runs first, by the name in its file system; all begin with the last. */
const scripts = {
  init: 'guest-init.sh',
  'counters-init': 'counters-init.sh',
  'probes-init': 'probes-init.sh',
  'guest-start.sh': 'guest-start.sh',
};

/** The source of a program, and the flags that it is built with. */
export const programSources = inRoot('helper/tests/programs');

/** What differs between guests of the machines, by Node's name. */
const machines = {
  x64: {
    compilers: '',
    qemu: ['qemu-system-x86_64', '-accel', 'tcg,thread=single', '-cpu', 'max'],
    serial: (console, results) => ['-serial', `file:${console}`, '-serial', `file:${results}`],
    words: 'console=ttyS0 results=ttyS1',
  },
  arm64: {
    compilers: 'aarch64-linux-gnu-',
    // Pointers are signed as the emulator likes: the architecture's own way takes ten seconds of each boot.
    qemu: [
      'qemu-system-aarch64',
      '-machine',
      'virt,gic-version=3',
      '-accel',
      'tcg,thread=single',
      '-cpu',
      'max,pauth-impdef=on',
    ],
    serial: (console, results) => [
      ...['-serial', `file:${console}`],
      ...['-chardev', `file,id=results,path=${results}`, '-device', 'pci-serial,chardev=results'],
    ],
    words: 'console=ttyAMA0 results=ttyS0',
  },
};

/** Writes the file system that all guests of a machine boot with to `work`, an existing folder; gives its file. */
export function packFileSystem(work, arch = 'x64') {
  return packTree(work, arch, async (tree, tool) => {
    const [engine, sampler] = ['lineheat', 'lineheat-sampler'].map((name) => cargoBuiltFor(arch, name));
    for (const [name, script] of Object.entries(scripts)) {
      await copyFile(inRoot('scripts/kernel-matrix', script), path.join(tree, name));
      await chmod(path.join(tree, name), 0o755);
    }
    const { compilers } = machines[arch];
    for (const binary of [engine, sampler, tool('setpriv', 'usr/bin'), tool('setcap', 'sbin')])
      await addBinary(tree, binary);
    await copyFile(cargoBuiltFor(arch, preloaded), path.join(tree, 'bin', preloaded));
    for (const binary of [engine, sampler])
      await run(`${compilers}strip`, [path.join(tree, 'bin', path.basename(binary))]);
    for (const [name, [compiler, ...rest]] of Object.entries(programs)) {
      if (onlyOn[name] && onlyOn[name] !== arch) continue;
      const built = path.join(work, `${name}-${arch}`);
      const flags = ['-O2', '-g', '-fomit-frame-pointer', ...rest.slice(0, -1)];
      await run(`${compilers}${compiler}`, [...flags, '-o', built, path.join(programSources, rest.at(-1))]);
      await addBinary(tree, built, name);
    }
  });
}

/**
 * Packs a file system of a shell and what `fill(tree, tool)` adds to the folder `tree`, `/init` at least; `tool(name, place)`
 * is the path of a program of that machine. Gives its file.
 */
export async function packTree(work, arch, fill) {
  const tree = path.join(work, `tree-${arch}`);
  const foreign = arch === process.arch ? undefined : await arm64Tree();
  const tool = (name, place) =>
    foreign ? path.join(foreign, place, name) : (findProgram(name) ?? path.join('/', place, name));
  for (const folder of ['bin', 'proc', 'sys', 'dev', 'tmp']) await mkdir(path.join(tree, folder), { recursive: true });
  if (foreign)
    for (const folder of ['lib', 'usr/lib'])
      await cp(path.join(foreign, folder), path.join(tree, folder), { recursive: true, verbatimSymlinks: true });
  await copyFile(tool('busybox', 'bin'), path.join(tree, 'bin/busybox'));
  for (const applet of applets) await symlink('busybox', path.join(tree, 'bin', applet));
  await fill(tree, tool);
  const archive = path.join(work, `file-system-${arch}.cpio`);
  const files = await readdir(tree, { recursive: true });
  await run('cpio', ['-o', '-H', 'newc', '--quiet', '-O', archive], { cwd: tree, input: `.\n${files.join('\n')}\n` });
  return archive;
}

/** Copies a program to bin/ and its shared libraries to where the loader looks for them. */
async function addBinary(tree, binary, name = path.basename(binary)) {
  await copyFile(binary, path.join(tree, 'bin', name));
  // ldd fails for static programs, which need nothing, and for those of another machine, whose libraries are there already.
  const needed = await run('ldd', [binary]).catch(() => '');
  for (const [library] of needed.matchAll(/\/[^ )]+\.so[^ )]*/g)) {
    await mkdir(path.join(tree, path.dirname(library)), { recursive: true });
    await copyFile(library, path.join(tree, library));
  }
}

/** Words of the command line of a kernel that lets not even root read its memory. */
export const confidential = 'lsm=lockdown,capability lockdown=confidentiality';

/** What a guest writes is dropped. Which of them the kernel names first is left to chance. */
const drive = (disks) => [
  ...(disks.length > 0 ? ['-device', 'nvme,id=nvme0,serial=disks'] : []),
  ...disks.flatMap((file, index) => [
    ...['-drive', `file=${file},if=none,format=raw,snapshot=on,id=disk${index}`],
    ...['-device', `nvme-ns,bus=nvme0,drive=disk${index},nsid=${index + 1}`],
  ]),
];

/**
 * Boots `image` with a file system in memory and `disks`, each a file; `words` go to its command line, `emulator` to qemu's. `init`: what
 * it runs first. Gives the text of the second serial port. Throws a Sentence when the guest did not get to its end.
 */
export async function boot({
  image,
  fileSystem,
  disks = [],
  work,
  name,
  arch = 'x64',
  memory = 1024,
  words = '',
  emulator = [],
  init = 'init',
  silentLimitMs = SILENT_LIMIT_MS,
}) {
  const [console, results] = [path.join(work, `console.${name}`), path.join(work, `results.${name}`)];
  const machine = machines[arch];
  const [qemu, ...emulated] = machine.qemu;
  const args = [
    // One thread for both CPUs: with two, qemu may run code that the other CPU has just patched as it was half-way (an
    // int3 that nobody expects any more), and newer kernels patch their static branches whenever an event is opened.
    ...[...emulated, ...emulator, '-smp', '2', '-m', String(memory)],
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-monitor', 'none', '-no-reboot'],
    ...machine.serial(console, results),
    ...drive(disks),
    ...['-kernel', image, '-initrd', fileSystem, '-append', `${machine.words} quiet panic=-1 rdinit=/${init} ${words}`],
  ];
  const why = await ranWhileItPrints(qemu, args, { files: [console, results], silentLimitMs });
  const text = (await readFile(results, 'utf8').catch(() => '')).replaceAll('\r', '');
  if (text.includes('\n@ over\n')) return text;
  const last = (await readFile(console, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-30).join('\n');
  throw new Sentence(`The guest with Linux ${name} did not get to its end (${why}).\n${text.slice(-2000)}\n${last}`);
}

/**
 * Runs a program as long as one of `files` grows; says how it ended. qemu ends with 0 whatever happened inside: only what
 * was printed counts.
 */
export function ranWhileItPrints(program, args, { files, silentLimitMs, lookEveryMs = 1000 }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    track(child);
    const printed = () =>
      files.reduce((bytes, file) => bytes + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
    let last = { bytes: printed(), at: performance.now() };
    const look = setInterval(() => {
      const bytes = printed();
      if (bytes !== last.bytes) last = { bytes, at: performance.now() };
      else if (performance.now() - last.at > silentLimitMs) child.kill();
    }, lookEveryMs);
    child.once('error', (error) => {
      clearInterval(look);
      resolve(error.message);
    });
    child.once('close', (code, signal) => {
      clearInterval(look);
      resolve(
        signal ? `ended by ${signal}: it printed nothing for ${silentLimitMs / 1000} s` : `qemu ended with ${code}`,
      );
    });
  });
}

/** A folder for one use of the guests, removed afterwards. */
export async function withWorkFolder(work, use) {
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  try {
    return await use(work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
