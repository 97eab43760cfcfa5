import assert from 'node:assert/strict';
import test from 'node:test';
import { type DoctorReport, wire } from '../../../core/wire.ts';
import { doctorText } from './doctorText.ts';

const { OK, WARNING, MISSING } = wire.Check.State;
const check = (id: string, state: number, detail = '', command = '') => ({
  id,
  title: `The ${id}`,
  state,
  detail,
  command,
});
const report = (canRecord: boolean, ...checks: ReturnType<typeof check>[]): DoctorReport => ({ checks, canRecord });

test('each check is a word, a title, what it costs, and the command on lines of its own', () => {
  const { text, checks } = doctorText(
    report(
      true,
      check('kernel', OK, 'Linux 6.18'),
      check('counters', WARNING, 'none here'),
      check('recording', MISSING, 'no permission', 'sudo one\nsudo two'),
    ),
  );
  assert.equal(
    text,
    `# Lineheat Doctor

This machine can record in user space only: kernel time is missing until you fix the items marked ✗.

✓ ok       The kernel
           Linux 6.18
! costs    The counters
           none here
✗ missing  The recording
           no permission

               sudo one
               sudo two
`,
  );
  assert.deepEqual(
    checks.map(({ word, titleLine, commandLine }) => [word, titleLine, commandLine]),
    [
      ['ok', 5, 0],
      ['costs', 7, 0],
      ['missing', 9, 12],
    ],
  );
});

test('the first sentence says what this machine can do', () => {
  const verdict = (of: DoctorReport) => doctorText(of).text.split('\n')[2];
  assert.equal(verdict(report(true, check('recording', OK))), 'This machine can record.');
  assert.match(verdict(report(true, check('recording', MISSING))) ?? '', /in user space only/);
  assert.match(verdict(report(false, check('recording', MISSING))) ?? '', /cannot record yet/);
});

test('what cannot be seen in a detail or a command is shown', () => {
  const { text } = doctorText(report(false, check('sampler', MISSING, 'at /x\u202e\u001b[31m', 'sudo a\u0007')));
  assert.match(text, /at \/x\\u202e\\x1b\[31m\n\n +sudo a\\x07\n/);
});
