// A pprof file whose every text is chosen by an enemy: function names, source files, modules, labels, types and units.
import { gzipSync } from 'node:zlib';

type Field = readonly [field: number, value: number | Uint8Array | readonly Field[]];

/** Protobuf bytes; a list is a message of its own. */
function encoded(fields: readonly Field[]): number[] {
  return fields.flatMap(([field, value]) => {
    if (typeof value === 'number') return [...varint(field * 8), ...varint(value)];
    const bytes = value instanceof Uint8Array ? [...value] : encoded(value as readonly Field[]);
    return [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes];
  });
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return [...bytes, left];
}

export interface EvilFunction {
  readonly name: string;
  readonly file: string;
  /** 1-based; the function begins there too. */
  readonly line: number;
}

/** The bytes of a profile: each function is called by the one before it and has 50 samples of its own. */
export function evilProfile(functions: readonly EvilFunction[], texts: { module: string; unit: string; type: string }) {
  const strings = new Map<string, number>([['', 0]]);
  const text = (words: string) => {
    const known = strings.get(words) ?? strings.size;
    strings.set(words, known);
    return known;
  };
  const values: Field = [
    1,
    [
      [1, text(texts.type)],
      [2, text(texts.unit)],
    ],
  ];
  const samples = functions.map((_, at): Field => {
    const stack = Array.from({ length: at + 1 }, (__, depth) => at - depth + 1);
    return [
      2,
      [
        ...stack.map((id): Field => [1, id]),
        [2, 50],
        [
          3,
          [
            [1, text(texts.type)],
            [2, text(texts.module)],
          ],
        ],
      ],
    ];
  });
  const mapping: Field = [
    3,
    [
      [1, 1],
      [2, 0x1000],
      [3, 0x100000],
      [5, text(texts.module)],
      [7, 1],
      [8, 1],
      [9, 1],
    ],
  ];
  const locations = functions.map(({ line }, at): Field => {
    return [
      4,
      [
        [1, at + 1],
        [2, 1],
        [3, 0x1000 + at * 16],
        [
          4,
          [
            [1, at + 1],
            [2, line],
          ],
        ],
      ],
    ];
  });
  const named = functions.map(({ name, file, line }, at): Field => {
    return [
      5,
      [
        [1, at + 1],
        [2, text(name)],
        [3, text(name)],
        [4, text(file)],
        [5, line],
      ],
    ];
  });
  const body = [values, ...samples, mapping, ...locations, ...named];
  const table = [...strings.keys()].map((words): Field => [6, new TextEncoder().encode(words)]);
  return gzipSync(Uint8Array.from(encoded([...body, ...table, [12, 1]])));
}
