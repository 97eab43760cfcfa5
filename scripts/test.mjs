// npm test: everything, from set-up to a real editor. Closes with one line, `N passed, N failed, N skipped`.
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { build } from './build.mjs';
import { check } from './check.mjs';
import { installEditor } from './editor/install.mjs';
import { makePackage } from './package.mjs';
import { installSystemPackages, setup } from './setup.mjs';
import { run } from './steps/command.mjs';
import { artifacts, inRoot } from './steps/paths.mjs';
import { isMain, main, seconds } from './steps/report.mjs';
import { guestPackages } from './steps/system-packages.mjs';
import { verdict } from './suites/counts.mjs';
import { summaryOf } from './suites/failures.mjs';
import { logFile, suites } from './suites/suites.mjs';

const inOrder = [
  ['package', suites.package],
  ['scripts', suites.scripts],
  ['unit', suites.unit],
  ['helper', suites.helper],
  ['roots', suites.roots],
  ['programs', suites.programs],
  ['webview', suites.webview],
  ['editor-api', suites.editorApi],
  ['editor', suites.editor],
];

async function test() {
  const ci = process.env.CI === 'true';
  await setup();
  // The build first: generated code and built binaries are what the checks look at.
  await build();
  await check({ withTests: false });
  await makePackage();
  await installEditor();
  await mkdir(artifacts, { recursive: true });
  // Before the first suite, for some look at what is installed. What could not be, the suite of kernels names.
  await installSystemPackages(guestPackages).catch(() => {});
  console.log('Tests');
  const guests = prepareGuests();
  const rows = [];
  for (const [name, suite] of inOrder) rows.push(await runSuite(name, suite, ci));
  await guests;
  rows.push(await runSuite('kernels', suites.kernels, ci));
  summarize(rows);
}

/** Builds for the guests in the time of the CPUs that the suites leave. What fails here fails again in the suite, which tells it. */
async function prepareGuests() {
  await run('chrt', ['--idle', '0', 'node', inRoot('scripts/kernel-matrix/tested.mjs')]).catch(() => {});
}

async function runSuite(name, suite, ci) {
  const start = performance.now();
  const cpus = cpuTimes();
  const result = await suite();
  const why = verdict(result, { ci });
  const busy = shareBusy(cpus, cpuTimes());
  const row = { name, ...result, why, time: seconds(performance.now() - start) };
  await writeFile(logFile(name), result.output);
  console.log(`  ${why ? 'FAILED' : 'ok    '}  ${name}  ${row.time}, CPUs ${Math.round(100 * busy)} % busy`);
  return row;
}

/** Of all CPUs together, in ms: a suite that leaves them idle may have another one beside it. */
function cpuTimes() {
  const times = os.cpus().map(({ times }) => times);
  const idle = times.reduce((sum, of) => sum + of.idle, 0);
  return { idle, all: times.reduce((sum, of) => sum + Object.values(of).reduce((a, b) => a + b), 0) };
}

const shareBusy = (before, after) => 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all);

function summarize(rows) {
  console.log(
    `\n${'suite'.padEnd(12)} ${'passed'.padStart(6)} ${'failed'.padStart(6)} ${'skipped'.padStart(7)} ${'time'.padStart(8)}`,
  );
  for (const { name, passed, failed, skipped, time } of rows)
    console.log(
      `${name.padEnd(12)} ${count(passed, 6)} ${count(failed, 6)} ${count(skipped.length, 7)} ${time.padStart(8)}`,
    );
  for (const { name, skipped } of rows) for (const reason of skipped) console.log(`SKIPPED in ${name}: ${reason}`);
  const bad = rows.filter((row) => row.why);
  if (bad.length > 0) process.exitCode = 1;
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const passed = sum(rows.map((row) => row.passed));
  // A suite that failed without naming a test counts as one failure.
  const failed = sum(rows.map((row) => row.failed || (row.why ? 1 : 0)));
  // What failed is the last that is read, above the line of the counts alone.
  for (const row of bad) console.log(`\n${summaryOf({ ...row, log: logFile(row.name) }).join('\n')}`);
  console.log(`\n${passed} passed, ${failed} failed, ${sum(rows.map((row) => row.skipped.length))} skipped`);
}

const count = (number, width) => String(number).padStart(width);

if (isMain(import.meta)) main(test);
