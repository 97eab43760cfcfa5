import assert from 'node:assert/strict';
import test from 'node:test';
import { wire } from '../../core/wire.ts';
import { readTimeline } from './timeline.ts';
import { MalformedContent } from './wireReader.ts';

const track = {
  pid: 7,
  tid: 8,
  process: 'shop',
  thread: 'io',
  samples: 40,
  own: [1, 2],
  library: [0, 300],
  kernel: [5, 0],
};
const good = {
  endNs: 4e9,
  fromNs: 1e9,
  toNs: 2e9,
  columns: 2,
  full: 12.5,
  cpus: 4,
  all: { ...track, tid: 0 },
  trackCount: 3,
  tracks: [track],
  executions: [{ number: 1, fromNs: 0, toNs: 2e9 }],
  samplesWithoutTime: 5,
};
const read = (more: object = {}) => readTimeline(wire.Timeline.encode({ ...good, ...more }).finish());

test('a timeline comes as it was sent', () => {
  const { tracks, all, executions, ...rest } = read();
  assert.deepEqual(rest, {
    endNs: 4e9,
    fromNs: 1e9,
    toNs: 2e9,
    columns: 2,
    full: 12.5,
    cpus: 4,
    trackCount: 3,
    samplesWithoutTime: 5,
    shows: 'samples',
    memory: undefined,
  });
  assert.deepEqual(
    tracks.map(({ thread, tid }) => [thread, tid]),
    [['io', 8]],
  );
  assert.deepEqual([...tracks[0]!.library], [0, 300]);
  assert.equal(tracks[0]!.tinted, undefined);
  assert.equal(all.tid, 0);
  assert.deepEqual(executions, [{ number: 1, fromNs: 0, toNs: 2e9 }]);
});

test('counts of a function are a column of their own', () =>
  assert.deepEqual([...read({ tracks: [{ ...track, tinted: [1, 1] }] }).tracks[0]!.tinted!], [1, 1]));

test('memory in use has the columns of the timeline, and its peaks', () => {
  const { shows, memory } = read({
    shows: 2,
    memory: { highestBytes: [1, 2 ** 40], peaks: [{ timeNs: 15e8, peakBytes: 2 ** 40 }] },
  });
  assert.equal(shows, 'memory');
  assert.deepEqual([...memory!.highestBytes], [1, 2 ** 40]);
  assert.deepEqual(memory!.peaks, [{ timeNs: 15e8, peakBytes: 2 ** 40 }]);
});

const wrong: Record<string, object> = {
  'memory with too few columns': { shows: 2, memory: { highestBytes: [1], peaks: [] } },
  'memory that is not there': { shows: 2 },
  'something unknown to show': { shows: 4 },
  'a track with too few columns': { tracks: [{ ...track, kernel: [1] }] },
  'a track with too many columns': { tracks: [{ ...track, own: [1, 2, 3] }] },
  'a track without a column': { tracks: [{ ...track, library: [] }] },
  'counts of a function that end early': { tracks: [{ ...track, tinted: [1] }] },
  'more tracks than the run has': { trackCount: 0 },
  'more columns than can be asked for': { columns: 5000 },
  'a range that ends before it begins': { fromNs: 3e9 },
  'an execution that ends before it begins': { executions: [{ number: 1, fromNs: 2, toNs: 1 }] },
  'a height that is none': { full: Number.NaN },
  'a negative height': { full: -1 },
};
for (const [name, more] of Object.entries(wrong))
  test(`${name} is malformed`, () => assert.throws(() => read(more), MalformedContent));

test('no bytes are an empty timeline', () => {
  const { trackCount, tracks, columns } = readTimeline(new Uint8Array());
  assert.deepEqual([trackCount, tracks, columns], [0, [], 0]);
});

test('bytes that end early are malformed, and never more', () => {
  const bytes = wire.Timeline.encode(good).finish();
  for (let length = 1; length < bytes.length; length++)
    try {
      readTimeline(bytes.slice(0, length));
    } catch (error) {
      assert.ok(error instanceof MalformedContent, String(error));
    }
});
