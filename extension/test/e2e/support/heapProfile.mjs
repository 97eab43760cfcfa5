// A profile of memory as other tools write it: values that nobody has counted samples for.
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { message, numbers } from '../../../../bench/pprof-writer.mjs';

/**
 * Writes a pprof file. `types` are [name, unit], the last one the default; `lines` are { line, values } of one function in
 * `source`, each a sample of its own.
 */
export function writeHeapProfile(file, { source, types, lines }) {
  const texts = ['', 'work', source, ...types.flat()];
  const text = (value) => texts.indexOf(value);
  const content = message((to) => {
    for (const [name, unit] of types) to.bytes(1, numbers([1, text(name)], [2, text(unit)]));
    for (const [at, { line, values }] of lines.entries()) {
      to.bytes(2, numbers([1, at + 1], ...values.map((value) => [2, value])));
      const location = message((into) => {
        into.number(1, at + 1);
        into.number(3, 0x1000 + at);
        into.bytes(4, numbers([1, 1], [2, line]));
      });
      to.bytes(4, location);
    }
    to.bytes(5, numbers([1, 1], [2, text('work')], [3, text('work')], [4, text(source)]));
    for (const one of texts) to.bytes(6, Buffer.from(one));
  });
  writeFileSync(file, gzipSync(content));
}
