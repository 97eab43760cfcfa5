// Tests of the Rust crates, built here for arm64 and run in a guest of that machine.
import { chmod, copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildHelper, quickly } from '../build.mjs';
import { arm64Environment } from '../steps/arm64-toolchain.mjs';
import { run } from '../steps/command.mjs';
import { cargoBuiltFor, helper, inRoot, preloaded, rustTargets, targetFolder } from '../steps/paths.mjs';
import { Sentence } from '../steps/report.mjs';
import { countsOfCargo } from '../suites/counts.mjs';
import { arm64System } from './arm64-system.mjs';
import { boot, packTree } from './guest.mjs';

/** What tests read of the checkout, beside the binaries. */
const readParts = ['helper/tests', 'helper/crates', 'protocol'];

/** Emulated, a compiler takes minutes to build the standard library of a language. */
const silentLimitMs = 1_800_000;

/** Of the engine only its unit tests: the others record, with limits in real time, which an emulated machine does not keep. */
const engine = 'lineheat';
/** Recordings, reading within a limit in time, and the walk at each step of an emulated program: it would be emulated twice. */
const leftOutPrograms = ['stack-copies/tests/own_threads.rs', 'walk/tests/every_instruction/main.rs'];
/** By the program that has them. */
const leftOutModules = { 'symbolize/tests/all.rs': 'go' };

/** Gives { passed, failed, skipped, failures: [text] } of the tests of the crates, but for those that are left out, on this kernel. */
export async function crateTestsOn({ image, name, work }) {
  const disks = [await arm64System(), await packTests(work, await builtTests())];
  const guest = { name: `crate-tests.${name}`, arch: 'arm64', memory: 3072, silentLimitMs };
  return verdictOf(await boot({ image, fileSystem: await packStart(work), disks, work, ...guest }));
}

/** What the guest printed, read: a program that fails without naming a test counts as one failure. */
export function verdictOf(printed) {
  const sections = [...printed.matchAll(/^@ begin (\S+)\n(.*?)^@ end \1 (\d+)$/gms)];
  const failures = sections.filter(([, , , status]) => status !== '0').map(([, name, text]) => `${name}\n${text}`);
  const counts = countsOfCargo(printed);
  return { ...counts, failed: Math.max(counts.failed, failures.length), failures };
}

/** [{ program, folder, args }] of each test program, and the folder of its crate. */
async function builtTests() {
  await buildHelper('arm64', quickly);
  const where = ['--target', rustTargets.arm64, '--target-dir', targetFolder('arm64')];
  const env = { ...(await arm64Environment()), ...quickly };
  const builtOf = async (which) => {
    const args = ['test', '--no-run', '--release', '--locked', '--message-format=json', ...which, ...where];
    const messages = (await run('cargo', args, { cwd: helper, env })).split('\n');
    return messages.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  };
  // Without examples: some execute programs as only x86-64 does.
  const messages = [
    ...(await builtOf(['--workspace', '--exclude', engine, '--lib', '--bins', '--tests'])),
    ...(await builtOf(['--package', engine, '--bins'])),
  ];
  const built = messages
    .filter(({ reason, executable, profile }) => reason === 'compiler-artifact' && executable && profile.test)
    .filter(({ target }) => !leftOutPrograms.some((source) => target.src_path.endsWith(source)))
    .map(({ executable, manifest_path, target }) => ({
      program: executable,
      folder: path.dirname(manifest_path),
      args: argumentsFor(target.src_path),
    }));
  if (built.length === 0) throw new Sentence('cargo built no test.');
  return built;
}

function argumentsFor(source) {
  const [, module] = Object.entries(leftOutModules).find(([end]) => source.endsWith(end)) ?? [];
  return module ? ['--skip', `${module}::`] : [];
}

/** A file system that finds the disks, and goes on from them. */
function packStart(work) {
  return packTree(work, 'arm64', async (tree) => {
    await copyFile(inRoot('scripts/kernel-matrix/from-disks-init.sh'), path.join(tree, 'init'));
    await chmod(path.join(tree, 'init'), 0o755);
  });
}

/** The file of a disk with the tests, and what they read of the checkout. */
async function packTests(work, tests) {
  const tree = path.join(work, 'tests');
  const programs = path.join(tree, 'programs');
  const checkout = (part) => path.join(tree, 'checkout', path.relative(inRoot(), part));
  await mkdir(programs, { recursive: true });
  for (const { program } of tests) await strippedTo(path.join(programs, path.basename(program)), program);
  for (const name of ['lineheat', 'lineheat-sampler', preloaded]) {
    const built = cargoBuiltFor('arm64', name);
    await mkdir(path.dirname(checkout(built)), { recursive: true });
    await strippedTo(checkout(built), built);
  }
  for (const part of readParts) await cp(inRoot(part), checkout(inRoot(part)), { recursive: true });
  await writeFile(path.join(tree, 'checkout-path'), `${inRoot()}\n`);
  const list = tests.map(({ program, folder, args }) => `${[path.basename(program), folder, ...args].join(' ')}\n`);
  await writeFile(path.join(tree, 'list'), list.join(''));
  await copyFile(inRoot('scripts/kernel-matrix/crate-tests-init.sh'), path.join(tree, 'init'));
  await chmod(path.join(tree, 'init'), 0o755);
  const disk = path.join(work, 'tests.disk');
  await run('/usr/sbin/mke2fs', ['-q', '-t', 'ext4', '-d', tree, disk, '2G']);
  return disk;
}

async function strippedTo(file, program) {
  await copyFile(program, file);
  await run('aarch64-linux-gnu-strip', [file]);
}
