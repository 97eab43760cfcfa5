// npm run kernel-matrix [-- fetch | run [KERNEL…] | crates [KERNEL…] | table]: records small programs under kernels from the oldest supported
// one to the newest, and under one that is too old. Kernels are named by series: 5.10, 6.1, 6.12, 6.18, 7; those of arm64
// are 6.1-arm64 …, and 6.12-arm64-16k, whose pages have 16 KiB.
//   fetch   gets the newest kernel of each series into the user's cache; what is there already is kept
//   run     fetches what is missing, boots each kernel in a guest, judges, and prints the table (without a word: this)
//   crates  runs the tests of most Rust crates on kernels of arm64 (without a word: on one), in a Debian with compilers
//   table   prints the table of the last run again
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { buildHelper } from './build.mjs';
import { allKernels, fetchNewest, kernelOf, kernels, kernelsHere } from './kernel-matrix/archive.mjs';
import { crateTestsOn } from './kernel-matrix/crate-tests.mjs';
import { boot, packFileSystem, withWorkFolder } from './kernel-matrix/guest.mjs';
import { judgeGuest, moreGuests } from './kernel-matrix/more-guests.mjs';
import { judge, tableOf } from './kernel-matrix/verdict.mjs';
import { installSystemPackages } from './setup.mjs';
import { inRoot } from './steps/paths.mjs';
import { isMain, main, Sentence, step } from './steps/report.mjs';
import { guestPackages } from './steps/system-packages.mjs';

const lastRun = inRoot('.cache/kernel-matrix.json');

async function kernelMatrix() {
  const [command = 'run', ...names] = process.argv.slice(2);
  const unknown = names.filter((name) => !allKernels.includes(name));
  if (unknown.length > 0)
    throw new Sentence(`No such kernel: ${unknown.join(', ')}. There are ${allKernels.join(', ')}.`);
  if (command === 'fetch') await fetchAll();
  else if (command === 'run') await runAll(names.length > 0 ? names : allKernels);
  else if (command === 'crates') await testCrates(names.length > 0 ? names : [CRATE_TESTS_ON]);
  else if (command === 'table') printTable();
  else throw new Sentence(`"${command}" is none of fetch, run, crates, table.`);
}

async function fetchAll() {
  console.log('Kernels');
  tellNotOffered(await step('newest of each series', () => fetchNewest()));
  for (const { name, release } of kernelsHere()) console.log(`  ${name.padEnd(14)} ${release}`);
}

async function runAll(wanted) {
  console.log('Kernel matrix');
  await installSystemPackages(guestPackages);
  for (const arch of new Set(wanted.map((name) => kernelOf(name).arch))) await buildHelper(arch);
  const { here, notOffered } = await step('kernels', () => kernels(wanted));
  tellNotOffered(notOffered);
  const verdicts = await verdictsOf(here);
  await mkdir(path.dirname(lastRun), { recursive: true });
  writeFileSync(lastRun, JSON.stringify(verdicts));
  printTable();
  const broken = verdicts.flatMap(({ release, promises }) =>
    promises
      .filter((promise) => !promise.ok)
      .map(({ what, got }) => `Linux ${release}: not kept: ${what}\n  got: ${got}`),
  );
  if (broken.length > 0) throw new Sentence(broken.join('\n'));
}

const CRATE_TESTS_ON = '6.12-arm64';

async function testCrates(wanted) {
  const others = wanted.filter((name) => kernelOf(name).arch !== 'arm64');
  if (others.length > 0) throw new Sentence(`crates wants kernels of arm64, and ${others.join(', ')} is none.`);
  console.log('Tests of the crates on arm64');
  await installSystemPackages(guestPackages);
  const { here, notOffered } = await step('kernels', () => kernels(wanted));
  tellNotOffered(notOffered);
  for (const kernel of here) {
    const tests = await step(`Linux ${kernel.release}`, () =>
      withWorkFolder(inRoot('.cache/crate-tests'), (work) => crateTestsOn({ ...kernel, work })),
    );
    for (const reason of tests.skipped) console.log(`  SKIPPED ${reason}`);
    console.log(`  ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped.length} skipped`);
    if (tests.failed > 0) throw new Sentence(tests.failures.join('\n'));
    if (tests.passed === 0) throw new Sentence('No test ran.');
  }
}

/** Boots the kernels one after the other and judges each. */
function verdictsOf(here) {
  return withWorkFolder(inRoot('.cache/kernel-matrix'), async (work) => {
    const fileSystems = {};
    for (const arch of new Set(here.map((kernel) => kernel.arch)))
      fileSystems[arch] = await step(`file system of the guests, ${arch}`, () => packFileSystem(work, arch));
    const verdicts = [];
    for (const { name, arch, release, image } of here) {
      const guest = { name, arch, image, fileSystem: fileSystems[arch], work };
      const verdict = await step(`Linux ${release}`, async () => judge(await boot(guest)));
      for (const more of moreGuests({ arch, release }))
        verdict.promises.push(...(await step(`Linux ${release}, ${more.title}`, () => judgeGuest(more, guest))));
      verdicts.push(verdict);
    }
    return verdicts;
  });
}

function printTable() {
  if (!existsSync(lastRun)) throw new Sentence('The matrix has not been run here yet: npm run kernel-matrix');
  console.log(`\n${tableOf(JSON.parse(readFileSync(lastRun, 'utf8')))}`);
}

function tellNotOffered(notOffered) {
  for (const name of notOffered) console.log(`  SKIPPED ${name}: the archive offers no kernel of this series`);
}

if (isMain(import.meta)) main(kernelMatrix);
