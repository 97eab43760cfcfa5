import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_SELECTION, type ShownSelection } from '../../../core/selectionMessages.ts';
import { fileRun, type RunRef } from '../engine/runRef.ts';
import { RunSelections } from './runSelections.ts';

const thread = (name: string): ShownSelection => ({ ...EMPTY_SELECTION, threads: [name] });
const RUN = fileRun('/runs/a.pb.gz');
const OTHER = fileRun('/runs/b.pb.gz');

test('undo and redo go through the steps, and a new step ends what could be redone', () => {
  const selections = new RunSelections();
  for (const name of ['a', 'b', 'c']) selections.select(RUN, thread(name), false);
  selections.undo(RUN);
  selections.undo(RUN);
  assert.deepEqual(selections.get(RUN), { selection: thread('a'), preview: false, canUndo: true, canRedo: true });
  selections.redo(RUN);
  assert.deepEqual(selections.get(RUN).selection, thread('b'));
  selections.select(RUN, thread('d'), false);
  assert.equal(selections.get(RUN).canRedo, false);
  for (let step = 0; step < 9; step++) selections.undo(RUN);
  assert.deepEqual(selections.get(RUN), { selection: EMPTY_SELECTION, preview: false, canUndo: false, canRedo: true });
});

test('a preview is no step', () => {
  const selections = new RunSelections();
  selections.select(RUN, thread('a'), false);
  selections.select(RUN, thread('b'), true);
  selections.select(RUN, thread('c'), true);
  assert.deepEqual(selections.get(RUN), { selection: thread('c'), preview: true, canUndo: true, canRedo: false });
  selections.undo(RUN);
  assert.deepEqual(selections.get(RUN).selection, thread('a'));
  selections.select(RUN, thread('b'), true);
  selections.select(RUN, thread('a'), true); // as it was
  assert.equal(selections.get(RUN).preview, false);
  selections.select(RUN, thread('b'), true);
  selections.select(RUN, thread('b'), false);
  selections.undo(RUN);
  assert.deepEqual(selections.get(RUN).selection, thread('a'));
});

test('what was refused is gone, as if it had not been made', () => {
  const selections = new RunSelections();
  selections.select(RUN, thread('a'), false);
  selections.select(RUN, thread('b'), false);
  selections.refuse(RUN, thread('b'));
  assert.deepEqual(selections.get(RUN), { selection: thread('a'), preview: false, canUndo: true, canRedo: false });
  selections.select(RUN, thread('c'), true);
  selections.refuse(RUN, thread('c'));
  assert.deepEqual(selections.get(RUN).selection, thread('a'));
  selections.refuse(RUN, thread('z')); // replaced since
  assert.deepEqual(selections.get(RUN).selection, thread('a'));
});

test('what is selected of a recording in progress is selected of its saved run, with its steps', () => {
  const selections = new RunSelections();
  const recording: RunRef = { kind: 'recording', recording: 1 };
  selections.carry(recording, RUN);
  assert.deepEqual(selections.get(RUN).selection, EMPTY_SELECTION);
  selections.select(recording, thread('a'), false);
  selections.select(recording, thread('b'), false);
  const heard: RunRef[] = [];
  selections.onDidChange((run) => heard.push(run));
  selections.carry(recording, RUN);
  assert.deepEqual([selections.get(RUN).selection, heard], [thread('b'), [RUN]]);
  selections.undo(RUN);
  assert.deepEqual(selections.get(RUN).selection, thread('a'));
  assert.deepEqual(selections.get(recording).selection, EMPTY_SELECTION);
});

test('each change is heard with its run, until nobody listens', () => {
  const selections = new RunSelections();
  const heard: RunRef[] = [];
  const listening = selections.onDidChange((run) => heard.push(run));
  selections.select(RUN, thread('a'), true);
  selections.clear(OTHER);
  selections.undo(RUN);
  listening.dispose();
  selections.redo(RUN);
  assert.deepEqual(heard, [RUN, OTHER, RUN]);
  assert.deepEqual(selections.get(OTHER).selection, EMPTY_SELECTION);
});
