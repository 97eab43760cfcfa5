import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asEditorWords, commandIn, withCommands } from './advisedCommands.ts';

test('a command of the command line is one of the editor', () => {
  const sentence = 'One execution per side cannot show noise: 3 % is assumed. Record both sides with --repeat 5.';
  const button = { command: 'profileRepeatedly', label: 'Profile Repeatedly…' };
  assert.deepEqual(withCommands(sentence), [sentence.slice(0, -11), button, '.']);
  assert.match(asEditorWords(sentence), /Record both sides with Profile Repeatedly…\.$/);
  assert.equal(asEditorWords('Record without --no-waiting.'), 'Record with the setting Record: Waiting.');
  assert.equal(commandIn('Record without --no-waiting.')?.command, 'waitingSetting');
  assert.equal(commandIn('Record with --alloc.')?.command, 'allocationsSetting');
  assert.equal(commandIn('Record with --calls.')?.command, 'callsSetting');
  assert.equal(commandIn('Record with --syscalls.')?.command, 'syscallsSetting');
  assert.equal(commandIn('Record with --faults.')?.command, 'faultsSetting');
  assert.equal(commandIn('To see what ended the waits, record with --wakeups.')?.command, 'wakeupsSetting');
  assert.equal(commandIn('`lineheat doctor` shows how to record kernel time.')?.command, 'doctor');
});

test('other sentences stay as they are', () => {
  for (const sentence of ['', '3 samples were lost.', 'Record with a higher --max-frames.', '--repeat']) {
    assert.equal(asEditorWords(sentence), sentence);
    assert.equal(commandIn(sentence), undefined);
  }
});
