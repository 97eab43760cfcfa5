// Writes a large pprof file of made-up but regular stacks, straight as protobuf bytes (protocol/profile.proto).
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** Protobuf bytes, appended to one growing buffer. */
class Bytes {
  #buffer;
  length = 0;
  constructor(capacity = 256) {
    this.#buffer = Buffer.allocUnsafe(capacity);
  }
  #reserve(more) {
    if (this.length + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.length + more));
    this.#buffer.copy(larger, 0, 0, this.length);
    this.#buffer = larger;
  }
  varint(value) {
    this.#reserve(10);
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) this.#buffer[this.length++] = (left % 128) | 128;
    this.#buffer[this.length++] = left;
  }
  number(field, value) {
    this.varint(field * 8);
    this.varint(value);
  }
  bytes(field, content) {
    this.varint(field * 8 + 2);
    this.varint(content.length);
    this.#reserve(content.length);
    content.copy(this.#buffer, this.length);
    this.length += content.length;
  }
  done() {
    return this.#buffer.subarray(0, this.length);
  }
}

/** The bytes of a message whose fields `fill` writes. */
export function message(fill) {
  const bytes = new Bytes();
  fill(bytes);
  return bytes.done();
}

function packed(numbers) {
  return message((to) => {
    for (const number of numbers) to.varint(number);
  });
}

/** A message of numbers, from [field, value] pairs. */
export function numbers(...pairs) {
  return message((to) => {
    for (const [field, value] of pairs) to.number(field, value);
  });
}

/** Park and Miller, "Random number generators: good ones are hard to find", 1988. */
function generator() {
  let state = 1;
  return (limit) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
}

/** A call tree of `nodes` nodes with a mean depth of about 44, as the parent of each node; node 0 is the root. */
function callTree(nodes, draw) {
  const reach = Math.max(1, Math.round(nodes / 44));
  return Array.from({ length: nodes }, (_, node) => Math.max(0, node - 1 - draw(reach)));
}

/** A profile of `samples` samples over a call tree of `nodes` nodes; about 96 bytes per sample. Gives its size unpacked. */
export function writeLargeProfile(file, { samples, nodes = 50_000, locations = 16_000, functions = 6_000 }) {
  const draw = generator();
  const parents = callTree(nodes, draw);
  const profile = new Bytes(128 * samples);
  const words = ['', 'cpu', 'nanoseconds', 'samples', 'count', 'large.cpp', '/usr/bin/large'];
  profile.bytes(1, numbers([1, 3], [2, 4]));
  profile.bytes(1, numbers([1, 1], [2, 2]));
  const value = packed([1, 1_001_001]);
  for (let i = 0; i < samples; i++) {
    const stack = [];
    for (let node = 1 + draw(nodes - 1); node > 0; node = parents[node]) stack.push(1 + (node % locations));
    const sample = message((to) => {
      to.bytes(1, packed(stack));
      to.bytes(2, value);
    });
    profile.bytes(2, sample);
  }
  profile.bytes(3, numbers([1, 1], [2, 0x400000], [3, 0x4000000], [5, 6]));
  for (let id = 1; id <= locations; id++) {
    const location = message((to) => {
      to.number(1, id);
      to.number(2, 1);
      to.number(3, 0x400000 + 64 * id);
      to.bytes(4, numbers([1, 1 + (id % functions)], [2, id]));
    });
    profile.bytes(4, location);
  }
  for (let id = 1; id <= functions; id++) {
    const name = words.length + id - 1;
    profile.bytes(5, numbers([1, id], [2, name], [3, name], [4, 5]));
  }
  for (const word of words) profile.bytes(6, Buffer.from(word));
  for (let id = 1; id <= functions; id++) profile.bytes(6, Buffer.from(`large::function_${id}(int)`));
  profile.bytes(11, numbers([1, 1], [2, 2]));
  profile.number(12, 1_001_001);
  const bytes = profile.done();
  writeFileSync(file, gzipSync(bytes, { level: 6 }));
  return bytes.length;
}
