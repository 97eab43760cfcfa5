// The test suites of the repository and how each is run. Each run gives { passed, failed, skipped, failures, ended, output }.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { artifacts, helper, inRoot } from '../steps/paths.mjs';
import { countsOfCargo, countsOfTap } from './counts.mjs';
import { allCrateTests } from './crates.mjs';
import { failuresOfCargo, failuresOfTap } from './failures.mjs';
import { ranToEnd } from './ran-to-end.mjs';

/** Crates whose tests need neither BPF nor a running engine. */
const notPure = ['lineheat', 'lineheat-sampler'];
/** Pure crates whose tests/ compile and step through whole programs: more than a quick loop can wait for. */
const slow = ['walk', 'symbolize'];
/** Unit tests that take a minute, by a part of their names. */
const long = ['an_hour_of_eight_busy_threads'];

const each = (flag, names) => names.flatMap((name) => [flag, name]);

const isUnit = (file) => !/^(webview|extension|bench)\/test\//.test(file);
const under = (folder) => (file) => file.startsWith(folder);

export const suites = {
  package: () =>
    nodeTests('package', (file) => /^scripts\/(package-test|terminal-packages)\//.test(file), { timeoutS: 180 }),
  scripts: () => nodeTests('scripts', under('scripts/test/')),
  unit: () =>
    nodeTests('unit', (file) => isUnit(file) && !file.startsWith('scripts/'), { together: true, timeoutS: 600 }),
  quickCrates: () => cargoTests(['--workspace', ...each('--exclude', [...notPure, ...slow])], each('--skip', long)),
  slowCratesUnit: () => cargoTests(['--lib', ...each('--package', slow)]),
  helper: allCrateTests,
  kernels: () => nodeTests('kernels', under('scripts/kernel-matrix/'), { timeoutS: 3600 }),
  roots: () => nodeTests('roots', under('scripts/roots/'), { timeoutS: 300 }),
  programs: () => nodeTests('programs', under('bench/test/'), { timeoutS: 300 }),
  // A page waits about as long as it computes.
  webview: () => nodeTests('webview', under('webview/test/'), { timeoutS: 300, atOnce: 2 }),
  editorApi: () => nodeTests('editor-api', under('extension/test/api/'), { timeoutS: 600 }),
  editor: () => nodeTests('editor', under('extension/test/e2e/'), { timeoutS: 900 }),
};

/** Runs the test files that `wanted` chooses with Node's own runner. */
async function nodeTests(name, wanted, options = {}) {
  const files = (await testFiles()).filter(wanted);
  if (files.length === 0)
    return { passed: 0, failed: 0, skipped: [], failures: [], ended: true, output: 'There is no test file.' };
  return nodeTestFiles(name, files, options);
}

/**
 * Runs these test files, `atOnce` of them at a time; `name` names the report. `timeoutS` is for a test, or for all where they run in one
 * process.
 */
export async function nodeTestFiles(name, files, { timeoutS = 120, together = false, atOnce } = {}) {
  const tap = path.join(artifacts, `${name}.tap`);
  await mkdir(artifacts, { recursive: true });
  await rm(tap, { force: true });
  const reporters = ['spec', 'stdout', 'tap', tap];
  const flags = reporters.map((word, i) => `--test-reporter${i % 2 ? '-destination' : ''}=${word}`);
  // What records or starts an editor shares two cores: one file at a time.
  const concurrency = atOnce ?? (timeoutS > 120 ? 1 : undefined);
  if (concurrency && !together) flags.push(`--test-concurrency=${concurrency}`);
  const timeoutMs = timeoutS * 1000;
  const runner = together ? [inRoot('scripts/suites/together.mjs')] : [];
  if (!together) flags.push('--test', `--test-timeout=${timeoutMs}`);
  const args = ['--import', 'tsx', ...flags, ...runner, ...files];
  const { ended, output } = await ranToEnd('node', args, together ? { timeoutMs } : {});
  const report = existsSync(tap) ? await readFile(tap, 'utf8') : '';
  return { ...countsOfTap(report), failures: failuresOfTap(report), ended, output };
}

async function testFiles() {
  const found = [];
  for (const folder of ['core', 'extension', 'webview', 'syntaxes', 'scripts', 'bench'])
    for (const file of await readdir(inRoot(folder), { recursive: true }))
      if (/[.]test[.](ts|mjs)$/.test(file)) found.push(`${folder}/${file}`);
  return found.sort();
}

const cargoTests = (args, ofTests = []) => cargoTestsIn(helper, ['--release', '--locked', ...args], ofTests);

/** Runs the tests of the crates in this folder; `ofTests` are arguments of the test programs. */
export async function cargoTestsIn(folder, args, ofTests = []) {
  const all = ['test', '--no-fail-fast', ...args, '--', '--show-output', ...ofTests];
  const { ended, output } = await ranToEnd('cargo', all, { cwd: folder });
  return { ...countsOfCargo(output), failures: failuresOfCargo(output), ended, output };
}

export const logFile = (name) => inRoot('artifacts', `${name}.log`);
