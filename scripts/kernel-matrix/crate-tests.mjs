// Tests of the Rust crates, built here for arm64 and run in a guest of that machine.
import { chmod, copyFile, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { quickly } from '../build.mjs';
import { arm64Environment } from '../steps/arm64-toolchain.mjs';
import { run } from '../steps/command.mjs';
import { helper, inRoot, rustTargets, targetFolder } from '../steps/paths.mjs';
import { Sentence } from '../steps/report.mjs';
import { countsOfCargo } from '../suites/counts.mjs';
import { boot, packTree } from './guest.mjs';

/** Those that ask the kernel or read what differs by machine, and whose tests compile no program: a guest has no compiler. */
const crates = [
  ...['records', 'perf-events', 'stack-copies', 'supervision', 'user-files', 'target', 'unwind', 'wire'],
  'lineheat-sampler',
];

/** Gives { passed, failed, skipped, failures: [text] } of the tests of `crates` on this kernel. */
export async function crateTestsOn({ image, name, work }) {
  const fileSystem = await packTests(work, await builtTests());
  return verdictOf(await boot({ image, fileSystem, work, name: `crate-tests.${name}`, arch: 'arm64' }));
}

/** What the guest printed, read: a program that fails without naming a test counts as one failure. */
export function verdictOf(printed) {
  const sections = [...printed.matchAll(/^@ begin (\S+)\n(.*?)^@ end \1 (\d+)$/gms)];
  const failures = sections.filter(([, , , status]) => status !== '0').map(([, name, text]) => `${name}\n${text}`);
  const counts = countsOfCargo(printed);
  return { ...counts, failed: Math.max(counts.failed, failures.length), failures };
}

/** [{ program, folder }] of each test program, and the folder of its crate. */
async function builtTests() {
  const packages = crates.flatMap((name) => ['--package', name]);
  const where = ['--target', rustTargets.arm64, '--target-dir', targetFolder('arm64')];
  const args = ['test', '--no-run', '--release', '--locked', '--message-format=json', ...where];
  const env = { ...(await arm64Environment()), ...quickly };
  const messages = await run('cargo', [...args, ...packages], { cwd: helper, env });
  const built = messages
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ reason, executable, profile }) => reason === 'compiler-artifact' && executable && profile.test)
    .map(({ executable, manifest_path }) => ({ program: executable, folder: path.dirname(manifest_path) }));
  if (built.length === 0) throw new Sentence(`cargo built no test of ${crates.join(', ')}.`);
  return built;
}

/** Tests read files of the checkout by the path that they were built in. */
async function packTests(work, tests) {
  return packTree(work, 'arm64', async (tree, tool) => {
    // A shell that does not look at the name it is called by.
    await rm(path.join(tree, 'bin/sh'));
    await copyFile(tool('dash', 'bin'), path.join(tree, 'bin/sh'));
    await mkdir(path.join(tree, 'tests'));
    for (const { program } of tests) {
      const stripped = path.join(tree, 'tests', path.basename(program));
      await copyFile(program, stripped);
      await run('aarch64-linux-gnu-strip', [stripped]);
    }
    const list = tests.map(({ program, folder }) => `${path.basename(program)} ${folder}\n`);
    await writeFile(path.join(tree, 'tests/list'), list.join(''));
    for (const part of ['helper/tests', 'helper/crates', 'protocol'])
      await cp(inRoot(part), path.join(tree, inRoot(part)), { recursive: true });
    await mkdir(path.join(tree, 'etc'), { recursive: true });
    await writeFile(
      path.join(tree, 'etc/passwd'),
      'root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n',
    );
    await writeFile(path.join(tree, 'etc/group'), 'root:x:0:\ndaemon:x:1:\nnogroup:x:65534:\n');
    await copyFile(inRoot('scripts/kernel-matrix/crate-tests-init.sh'), path.join(tree, 'init'));
    await chmod(path.join(tree, 'init'), 0o755);
  });
}
