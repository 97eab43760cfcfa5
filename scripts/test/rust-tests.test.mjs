import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testFileProblems } from '../checks/rust-tests.mjs';

const manifest = (...paths) =>
  `[package]\nautotests = false\n${paths.map((file) => `\n[[test]]\nname = "x"\npath = "${file}"\n`).join('')}`;
const all = { 'tests/all.rs': 'mod support;\nmod calls;\n' };

test('a test file that no program has is named', () => {
  const files = { ...all, 'tests/calls.rs': '', 'tests/new.rs': '', 'tests/alone.rs': '', 'tests/support/mod.rs': '' };
  assert.deepEqual(testFileProblems('lineheat', manifest('tests/all.rs', 'tests/alone.rs'), files), [
    'lineheat/tests/new.rs is in no test program. Add it to lineheat/tests/all.rs, or as [[test]] to Cargo.toml.',
  ]);
});

test('so is a folder of tests, and a file that only another one of that name has', () => {
  const files = { ...all, 'tests/serve/main.rs': '', 'tests/call.rs': '' };
  const problems = testFileProblems('lineheat', manifest('tests/all.rs'), files);
  assert.deepEqual(
    problems.map((problem) => problem.split(' ')[0]),
    ['lineheat/tests/serve/main.rs', 'lineheat/tests/call.rs'],
  );
});

test('where cargo finds the test programs, it finds all', () => {
  assert.deepEqual(testFileProblems('records', '[package]\n', { 'tests/new.rs': '' }), []);
});

test('code in a doc comment is named', () => {
  const files = { 'src/lib.rs': '/// Adds.\n///\n/// ```\n/// assert_eq!(add(1, 1), 2);\n/// ```\npub fn add() {}\n' };
  assert.deepEqual(testFileProblems('records', '[package]\n', files), [
    'records/src/lib.rs has code in a doc comment, which no test runs. Write it as a test.',
  ]);
});
