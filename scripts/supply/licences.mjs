// Which licences may be shipped, whether all that is shipped has one of them, and the texts that they ask for.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Each lets us ship under MIT what contains it when its text is shipped, too. */
const acceptable = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC0-1.0',
    'ISC',
    'MIT',
    'Unicode-3.0',
    'Unlicense',
    'Zlib',
  ],
  'Apache-2.0 WITH LLVM-exception',
]);

/** What the copyright files of Debian's source packages say of the libraries themselves, as a person read them. */
export const libraryLicences = {
  bzip2: 'bzip2-1.0.6',
  elfutils: 'LGPL-3.0-or-later OR GPL-2.0-or-later',
  gcc: 'GPL-3.0-or-later WITH GCC-exception-3.1',
  glibc: 'LGPL-2.1-or-later',
  libzstd: 'BSD-3-Clause OR GPL-2.0-only',
  'xz-utils': '0BSD',
  zlib: 'Zlib',
};

/** A source package's name without the version that some have in it: `gcc-12`, `gcc-12-cross`. */
export const familyOf = (name) => name.replace(/-\d+(-cross)?$/, '');

/**
 * Of libraries that are linked statically, too. LGPL: whoever has the sources of all the rest, which are public, can link
 * another version of the library. Its text has to be shipped, and that of the GPL, to which version 3 is an addition. The
 * compiler's part of a program may have any licence by its exception.
 */
const acceptableLibraries = new Set([
  ...['LGPL-2.1-or-later', 'LGPL-3.0-or-later', 'bzip2-1.0.6'],
  'GPL-3.0-or-later WITH GCC-exception-3.1',
]);
const commonLicences = '/usr/share/common-licenses';
const furtherTexts = { elfutils: ['LGPL-3', 'GPL-3'], gcc: ['GPL-3'], glibc: ['LGPL-2.1'] };

/** A sentence for each component whose licence was not reviewed; empty when all were. */
export function licenceProblems(components) {
  if (components.length === 0) return ['No shipped component was found: nothing was checked.'];
  return components
    .filter(({ kind, licence }) => !isAcceptable(licence, kind === 'deb' ? acceptableLibraries : undefined))
    .map(
      ({ kind, name, version, licence }) =>
        `${kind} ${name} ${version} has the licence "${licence}", which is not on the list of scripts/supply/licences.mjs.`,
    );
}

/** Whether one of the alternatives of an SPDX expression consists of acceptable licences only, `also` among them. */
export function isAcceptable(expression, also = new Set()) {
  const tokens = expression.match(/\(|\)|[^\s()]+/g) ?? [];
  let at = 0;
  const either = () => {
    let value = both();
    while (tokens[at] === 'OR') {
      at += 1;
      value = both() || value;
    }
    return value;
  };
  const both = () => {
    let value = one();
    while (tokens[at] === 'AND') {
      at += 1;
      value = one() && value;
    }
    return value;
  };
  const one = () => {
    const token = tokens[at++];
    if (token === '(') {
      const value = either();
      at += 1;
      return value;
    }
    if (tokens[at] !== 'WITH') return acceptable.has(token) || also.has(token);
    at += 2;
    const excepted = `${token} WITH ${tokens[at - 1]}`;
    return acceptable.has(excepted) || also.has(excepted);
  };
  const value = either();
  return value && at === tokens.length;
}

/** The licences of all components, with the texts that their authors put beside them, as one document. */
export function licenceTexts(components) {
  const seen = new Map();
  const parts = components.map(({ kind, name, version, licence, folder }) => {
    const further = kind === 'deb' ? (furtherTexts[familyOf(name)] ?? []) : [];
    const read = (file) => readFileSync(path.join(commonLicences, file), 'utf8').trim();
    const texts = [...textsIn(folder), ...further.map(read)].map((text) => {
      const first = seen.get(text);
      if (first) return `(the same text as that of ${first})`;
      seen.set(text, name);
      return text;
    });
    return [`${name} ${version}`, `Licence: ${licence}`, ...texts].join('\n\n');
  });
  return `Lineheat contains the following components.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

const textsIn = (folder) =>
  readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice|unlicense|copyright)/i.test(file) && path.extname(file) !== '.html')
    .sort()
    .flatMap((file) => {
      try {
        return [readFileSync(path.join(folder, file), 'utf8').trim()];
      } catch {
        return []; // a folder of that name
      }
    });
