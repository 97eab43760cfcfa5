// How the programs of the Rust tests are run, with real ones.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { run } from '../steps/command.mjs';
import { ranPrograms } from '../suites/crates.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-crates-'));
after(() => rmSync(folder, { recursive: true }));

async function built(name, text) {
  const source = path.join(folder, `${name}.rs`);
  writeFileSync(source, text);
  await run('rustc', ['--test', '--edition', '2024', '-o', path.join(folder, name), source]);
  return path.join(folder, name);
}

/** Two files of tests, each of which wants to be the first in its process. */
const files = `use std::sync::atomic::{AtomicBool, Ordering};
static TAKEN: AtomicBool = AtomicBool::new(false);
mod one { #[test] fn is_first() { assert!(!super::TAKEN.swap(true, super::Ordering::SeqCst)); } }
mod one_more {
    #[test] fn is_first() { assert!(!super::TAKEN.swap(true, super::Ordering::SeqCst)); }
    #[test] fn is_skipped() { println!("SKIPPED: there is no reason."); }
}
`;

test('the files of the engine have a process each, and those of another crate share one', async () => {
  const program = await built('all', files);
  const ran = (crate) => ranPrograms([{ crate, source: 'tests/all.rs', folder, program }]);
  const apart = await ran('lineheat');
  assert.deepEqual([apart.passed, apart.failed, apart.ended], [2, 0, true]);
  assert.deepEqual(apart.skipped, ['one_more::is_skipped: there is no reason.']);
  const together = await ran('profile');
  assert.deepEqual([together.passed, together.failed, together.ended], [1, 1, false]);
  assert.match(together.failures[0].name, /^one(_more)?::is_first$/);
});

test('a program that ends before it tells a result is a failure, and the next one is run', async () => {
  const dies = await built('dies', '#[test] fn ends() { std::process::exit(0); }');
  const well = await built('well', '#[test] fn is_well() {}');
  const programs = [dies, well].map((program) => ({ crate: 'profile', source: 'src/lib.rs', folder, program }));
  const { passed, failed, ended } = await ranPrograms(programs);
  assert.deepEqual([passed, failed, ended], [1, 0, false]);
});

test('no program at all is a failure', async () => assert.equal((await ranPrograms([])).ended, false));
