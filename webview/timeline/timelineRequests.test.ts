import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShownTimelineRequest } from '../../core/selectionMessages.ts';
import { TimelineRequests } from './timelineRequests.ts';

const request = (fromNs: number): ShownTimelineRequest => ({
  ...{ fromNs, toNs: 10, columns: 1, first: 0, count: 1 },
  order: 'time',
});

function requests() {
  const sent: number[] = [];
  return { sent, made: new TimelineRequests(({ fromNs }) => sent.push(fromNs)) };
}

test('what could not be answered is not asked again, and something else is', () => {
  const { sent, made } = requests();
  made.want(request(1));
  assert.ok(made.failed({ order: 'time', count: 1, first: 0, columns: 1, toNs: 10, fromNs: 1 }), 'in any order');
  made.want(request(1));
  assert.deepEqual(sent, [1]);
  made.want(request(2));
  assert.deepEqual(sent, [1, 2]);
  made.answered();
});

test('a late failure does not make a newer request one that cannot be answered', () => {
  const { sent, made } = requests();
  made.want(request(1));
  made.answered();
  made.want(request(2));
  assert.equal(made.failed(request(1)), false);
  made.want(request(3));
  assert.deepEqual(sent, [1, 2], 'the second is still waited for');
  made.answered();
  made.answered();
  made.want(request(2));
  assert.deepEqual(sent, [1, 2, 3, 2]);
  made.answered();
});
