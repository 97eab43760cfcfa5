import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOfCargo, countsOfTap, verdict } from '../suites/counts.mjs';

test('TAP totals and the reasons of skipped tests are read', () => {
  const tap = [
    'TAP version 13',
    'ok 1 - adds',
    'ok 2 - records # SKIP needs a kernel',
    'not ok 3 - fails',
    '# pass 1',
    '# fail 1',
    '# cancelled 0',
  ].join('\n');
  assert.deepEqual(countsOfTap(tap), { passed: 1, failed: 1, skipped: ['records: needs a kernel'] });
});

test('cargo totals are added up over binaries, and a test that could not run counts as skipped', () => {
  const output = [
    'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out',
    'test finds_hot_line ... ok',
    '---- finds_hot_line stdout ----',
    'SKIPPED: this machine cannot record, so nothing was tested.',
    'test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out',
  ].join('\n');
  assert.deepEqual(countsOfCargo(output), {
    passed: 6,
    failed: 2,
    skipped: ['finds_hot_line: this machine cannot record, so nothing was tested.'],
  });
});

const fine = { passed: 1, failed: 0, skipped: [], ended: true };
const verdicts = [
  ['all passed', fine, { ci: true }, undefined],
  ['a failed test', { ...fine, failed: 1 }, { ci: false }, '1 failed'],
  ['a runner that broke', { ...fine, ended: false }, { ci: false }, 'the runner failed'],
  ['no test at all', { ...fine, passed: 0 }, { ci: false }, 'ran no test'],
  ['a skip at home', { ...fine, skipped: ['a: no go'] }, { ci: false }, undefined],
  ['a skip on CI', { ...fine, skipped: ['a: no go'] }, { ci: true }, 'skipped on CI: a: no go'],
  ['a skip on CI without BPF', { ...fine, skipped: ['a: this machine cannot record'] }, { ci: true }, undefined],
];
for (const [name, result, where, expected] of verdicts)
  test(`verdict on ${name}`, () => assert.equal(verdict(result, where), expected));
