// Each test of the Rust crates is run: a crate that names its test programs names every file in `tests/`, and no test is in a
// doc comment, where `npm test` does not look.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { helper } from '../steps/paths.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';

/** The problems of one crate: its manifest, and its files of Rust as { path below the crate: text }. */
export function testFileProblems(crate, manifest, files) {
  const programs = new Set([...manifest.matchAll(/^path = "(tests\/.+\.rs)"$/gm)].map(([, file]) => file));
  const listed = (file) => new RegExp(`^mod ${path.basename(file, '.rs')};$`, 'm').test(files['tests/all.rs'] ?? '');
  const isRun = (file) => programs.has(file) || (programs.has('tests/all.rs') && listed(file));
  const isTestFile = (file) => /^tests\/([^/]+|[^/]+\/main)\.rs$/.test(file);
  const namesPrograms = /^autotests = false$/m.test(manifest);
  const notRun = Object.keys(files).filter((file) => namesPrograms && isTestFile(file) && !isRun(file));
  const inComments = Object.keys(files).filter((file) => /^\s*\/\/[/!]\s*```/m.test(files[file]));
  return [
    ...notRun.map(
      (file) =>
        `${crate}/${file} is in no test program. Add it to ${crate}/tests/all.rs, or as [[test]] to Cargo.toml.`,
    ),
    ...inComments.map((file) => `${crate}/${file} has code in a doc comment, which no test runs. Write it as a test.`),
  ];
}

/** @throws Sentence with every problem. */
export function checkRustTests() {
  const crates = path.join(helper, 'crates');
  const problems = [];
  let tests = 0;
  for (const crate of readdirSync(crates)) {
    const folder = path.join(crates, crate);
    const names = readdirSync(folder, { recursive: true }).filter((name) => /^(src|tests)\/.*\.rs$/.test(name));
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
    tests += names.filter((name) => name.startsWith('tests/')).length;
    problems.push(...testFileProblems(crate, readFileSync(path.join(folder, 'Cargo.toml'), 'utf8'), files));
  }
  if (tests < 50) problems.push(`Only ${tests} test files were found: the check would pass without reading.`);
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
}

if (isMain(import.meta)) main(checkRustTests);
