import assert from 'node:assert/strict';
import test from 'node:test';
import { RunMeasures } from './runMeasures.ts';

const opened = { values: ['samples', 'cpu', 'alloc_space'], defaultValue: 1 };

test('each run has its own measure, the default until one is chosen', () => {
  const measures = new RunMeasures();
  measures.choose('/a', 2);
  assert.deepEqual([measures.of('/a', opened), measures.of('/b', opened)], [2, 1]);
  assert.deepEqual([measures.get('/a'), measures.get('/b')], [2, undefined]);
});
test('a measure that the file no longer has is not asked for', () => {
  const measures = new RunMeasures();
  measures.choose('/a', 3);
  assert.equal(measures.of('/a', opened), 1);
});
test('a choice is told once, and to nobody who has left', () => {
  const measures = new RunMeasures();
  const heard: string[] = [];
  const listening = measures.onDidChange((run) => heard.push(run));
  measures.choose('/a', 2);
  measures.choose('/a', 2);
  listening.dispose();
  measures.choose('/a', 0);
  assert.deepEqual(heard, ['/a']);
});
