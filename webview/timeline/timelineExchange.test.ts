import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShownTimelineRequest } from '../../core/selectionMessages.ts';
import { TimelineExchange } from './timelineExchange.ts';

const request = (first: number): ShownTimelineRequest => ({
  ...{ fromNs: 0, toNs: 0, columns: 1, first, count: 1 },
  order: 'time',
});
const asker = () => ({ receive: () => {}, receiveFailure: () => {} });

function exchange(patienceMs?: number) {
  const [strip, table] = [asker(), asker()];
  const sent: number[] = [];
  const made = new TimelineExchange(strip, ({ first }) => sent.push(first), patienceMs);
  return { strip, table, sent, made };
}

test('one request is on its way at a time, the strip goes first, and each gets its own answer', () => {
  const { strip, table, sent, made } = exchange();
  made.ask(table, request(1));
  made.ask(table, request(2));
  made.ask(strip, request(3));
  assert.deepEqual(sent, [1]);
  assert.equal(made.answered(request(1)), table);
  assert.deepEqual(sent, [1, 3]);
  assert.equal(made.answered(request(3)), strip);
  assert.equal(made.failed(request(2)), table);
  assert.deepEqual(sent, [1, 3, 2]);
});

test('of what waits only the latest of each part is sent', () => {
  const { table, sent, made } = exchange();
  for (const first of [1, 2, 3]) made.ask(table, request(first));
  made.answered(request(1));
  assert.deepEqual(sent, [1, 3]);
  made.answered(request(3));
});

test('what nobody waits for is the strip’s, and does not end the waiting', () => {
  const { strip, table, sent, made } = exchange();
  made.ask(table, request(1));
  assert.equal(made.answered(request(9)), strip);
  assert.equal(made.answered(request(1)), table);
  assert.deepEqual(sent, [1]);
});

test('a failure that comes late is nobody’s, and does not end the waiting', async () => {
  const [strip, table] = [asker(), asker()];
  const sent = (first: number) => (first === 2 ? secondIsSent() : undefined);
  let secondIsSent = () => {};
  const second = new Promise<void>((resolve) => {
    secondIsSent = resolve;
  });
  const made = new TimelineExchange(strip, (asked) => sent(asked.first), 5);
  made.ask(table, request(1));
  made.ask(table, request(2));
  await second; // the first is taken as lost; no timer runs between this and the next lines
  assert.equal(made.failed(request(1)), undefined);
  assert.equal(made.failed({ ...request(2), tinted: undefined }), table, 'the answer to what is waited for');
  assert.equal(made.failed(request(2)), undefined, 'which is given once');
});

test('a lost answer does not stop the others', async () => {
  const { strip, table, sent, made } = exchange(5);
  made.ask(table, request(1));
  made.ask(strip, request(2));
  await new Promise((done) => setTimeout(done, 30));
  assert.deepEqual(sent, [1, 2]);
});
