import assert from 'node:assert/strict';
import test from 'node:test';
import { LatestOnly } from './latestOnly.ts';

const fresh = () => {
  const sent: number[] = [];
  return { sent, queue: new LatestOnly<number>((wanted) => sent.push(wanted)) };
};

test('one at a time, and the latest last', () => {
  const { sent, queue } = fresh();
  for (const wanted of [1, 2, 3, 4]) queue.want(wanted);
  assert.deepEqual(sent, [1]);
  queue.answered();
  assert.deepEqual(sent, [1, 4]);
  assert.ok(queue.busy);
  queue.answered();
  assert.ok(!queue.busy);
  assert.deepEqual(sent, [1, 4]);
});
test('what waits can be forgotten', () => {
  const { sent, queue } = fresh();
  queue.want(1);
  queue.want(2);
  queue.drop();
  queue.answered();
  assert.deepEqual(sent, [1]);
});
test('an answer that nobody asked for changes nothing', () => {
  const { sent, queue } = fresh();
  queue.answered();
  queue.want(1);
  assert.deepEqual(sent, [1]);
  queue.answered();
});
test('an answer that is lost holds nothing up for ever', async () => {
  const sent: number[] = [];
  const queue = new LatestOnly<number>((wanted) => sent.push(wanted), 1);
  queue.want(1);
  queue.want(2);
  while (sent.length < 2) await new Promise((done) => setTimeout(done, 1));
  queue.answered();
  assert.deepEqual(sent, [1, 2]);
});
