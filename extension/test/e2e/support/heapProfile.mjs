// A profile of memory as other tools write it: values that nobody has counted samples for.
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

function varint(value) {
  const bytes = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}
const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const bytes = (field, content) => Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
const packed = (field, values) => bytes(field, Buffer.concat(values.map(varint)));

/**
 * Writes a pprof file. `types` are [name, unit], the last one the default; `lines` are { line, values } of one function in
 * `source`, each a sample of its own.
 */
export function writeHeapProfile(file, { source, types, lines }) {
  const texts = ['', 'work', source, ...types.flat()];
  const text = (value) => texts.indexOf(value);
  const type = ([name, unit]) => bytes(1, Buffer.concat([number(1, text(name)), number(2, text(unit))]));
  const samples = lines.map(({ values }, at) => bytes(2, Buffer.concat([packed(1, [at + 1]), packed(2, values)])));
  const locations = lines.map(({ line }, at) => {
    const place = bytes(4, Buffer.concat([number(1, 1), number(2, line)]));
    return bytes(4, Buffer.concat([number(1, at + 1), number(3, 0x1000 + at), place]));
  });
  const work = bytes(
    5,
    Buffer.concat([number(1, 1), number(2, text('work')), number(3, text('work')), number(4, text(source))]),
  );
  const strings = texts.map((one) => bytes(6, Buffer.from(one)));
  const content = [...types.map(type), ...samples, ...locations, work, ...strings];
  writeFileSync(file, gzipSync(Buffer.concat(content)));
}
