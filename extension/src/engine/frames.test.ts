import assert from 'node:assert/strict';
import test from 'node:test';
import { FRAME_BYTES_MAX, FrameReader, frame } from './frames.ts';

const payloads = [Uint8Array.of(1, 2, 3), Uint8Array.of(), Uint8Array.from({ length: 300 }, (_, at) => at % 251)];
const stream = Uint8Array.from(payloads.flatMap((payload) => [...frame(payload)]));

test('frames come out whole however the bytes arrive', () => {
  for (const step of [1, 2, 3, 5, 100, stream.length]) {
    const reader = new FrameReader();
    const got: Uint8Array[] = [];
    for (let at = 0; at < stream.length; at += step) got.push(...reader.push(stream.subarray(at, at + step)));
    assert.deepEqual(
      got.map((payload) => [...payload]),
      payloads.map((payload) => [...payload]),
    );
  }
});
test('a frame that announces too much is refused before a byte of it is kept', () => {
  const header = new Uint8Array(4);
  new DataView(header.buffer).setUint32(0, FRAME_BYTES_MAX + 1, true);
  assert.throws(() => new FrameReader().push(header), /announced a frame of 16777217 bytes/);
});
test('a payload that does not fit is refused', () => {
  assert.throws(() => frame(new Uint8Array(FRAME_BYTES_MAX + 1)), RangeError);
});
