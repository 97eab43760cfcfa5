// What a guest prints of the crates' tests, read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../kernel-matrix/crate-tests.mjs';

const section = (name, text, status) => `@ begin ${name}\n${text}\n@ end ${name} ${status}\n`;
const fine = 'test a ... ok\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured;\n';

test('what passed, failed and was left out is counted over all programs', () => {
  const bad = 'test b ... FAILED\ntest result: FAILED. 1 passed; 2 failed; 0 ignored;\n';
  const { passed, failed, failures } = verdictOf(`${section('one', fine, 0)}${section('two', bad, 101)}@ over\n`);
  assert.deepEqual([passed, failed], [4, 2]);
  assert.deepEqual(failures, [`two\n${bad}\n`]);
});

test('a program that died before it could count is a failure', () => {
  const { failed, failures } = verdictOf(`${section('one', fine, 0)}${section('two', 'test b ... ', 139)}@ over\n`);
  assert.equal(failed, 1);
  assert.equal(failures.length, 1);
});
