import assert from 'node:assert/strict';
import test from 'node:test';
import { fileRun, type RunRef } from '../engine/runRef.ts';
import { RunMeasures } from './runMeasures.ts';

const [A, B] = [fileRun('/a'), fileRun('/b')];
const opened = { values: ['samples', 'cpu', 'alloc_space'], defaultValue: 1 };

test('each run has its own measure, the default until one is chosen', () => {
  const measures = new RunMeasures();
  measures.choose(A, 2);
  assert.deepEqual([measures.of(A, opened), measures.of(B, opened)], [2, 1]);
  assert.deepEqual([measures.get(A), measures.get(B)], [2, undefined]);
});
test('a measure that the file no longer has is not asked for', () => {
  const measures = new RunMeasures();
  measures.choose(A, 3);
  assert.equal(measures.of(A, opened), 1);
});
test('a choice is told once, and to nobody who has left', () => {
  const measures = new RunMeasures();
  const heard: RunRef[] = [];
  const listening = measures.onDidChange((run) => heard.push(run));
  measures.choose(A, 2);
  measures.choose(A, 2);
  listening.dispose();
  measures.choose(A, 0);
  assert.deepEqual(heard, [A]);
});
test('the measure of a recording in progress is that of its saved run', () => {
  const measures = new RunMeasures();
  const recording: RunRef = { kind: 'recording', recording: 1 };
  measures.carry(recording, A);
  assert.equal(measures.get(A), undefined);
  measures.choose(recording, 2);
  measures.carry(recording, A);
  assert.deepEqual([measures.get(A), measures.get(recording)], [2, undefined]);
});
