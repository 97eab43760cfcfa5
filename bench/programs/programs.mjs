// The real programs that the measurements record, by name. Building one fetches it when it is not there.
import { deep, duckdb, emptyLog, leveldb, sqlite, storm, tcpSend, unsteady } from './c.mjs';
import { corpus } from './corpus.mjs';
import { largeProfile } from './large-profile.mjs';
import {
  dAnagrams,
  gofmt,
  goLibrary,
  goWords,
  nimFormulas,
  ocamlEncode,
  ownEngine,
  ripgrep,
  wordCount,
} from './other-languages.mjs';
import { pgbench } from './postgres.mjs';

/**
 * What each is, and `command(size)`: builds it and gives the argument list for a load. Size 1 is about ten seconds of CPU
 * on the machine of docs/benchmarks.md.
 */
export const programs = {
  sqlite: {
    what: 'SQLite, C, gcc -O2, no frame pointers',
    command: async (size) => [await sqlite(), rounds(300, size)],
  },
  leveldb: {
    what: 'LevelDB, C++, stripped library',
    command: async (size) => [await leveldb(), rounds(20, size)],
  },
  duckdb: {
    what: 'DuckDB, C++, 2 threads',
    command: async (size) => [await duckdb(), rounds(20, size), '2'],
  },
  ripgrep: {
    what: 'ripgrep, Rust, full debug information',
    command: async (size) => [
      await ripgrep(),
      ...['-j1', '--count-matches', '--no-ignore', '-e', '(\\w+)_(\\w+)\\s*\\([^)]*(lock|free|alloc)'],
      ...Array(Number(rounds(400, size))).fill(await corpus()),
    ],
  },
  lineheat: {
    what: 'our own engine, Rust, full debug information',
    command: async (size) => [
      await ownEngine(),
      ...['diff', ...Array(Number(rounds(6, size))).fill(await largeProfile()), '--against', await largeProfile()],
    ],
  },
  'word-count': {
    what: 'word count, Rust with Rayon, 2 threads',
    command: async (size) => [await wordCount(), '--documents', rounds(64_000, size)],
  },
  ocaml: {
    what: 'recursive encoding, OCaml',
    command: async (size) => [await ocamlEncode(), 'each', rounds(1800, size)],
  },
  go: {
    what: 'word lists, Go, 4 goroutines',
    command: async (size) => [await goWords(), rounds(5500, size)],
  },
  gofmt: {
    what: 'gofmt over its own library, Go',
    command: async (size) => [await gofmt(), '-l', ...Array(Number(rounds(8, size))).fill(await goLibrary())],
  },
  d: {
    what: 'groups of anagrams, D, gdc',
    command: async (size) => [await dAnagrams(), rounds(280, size)],
  },
  nim: {
    what: 'formulas as closures, Nim',
    command: async (size) => [await nimFormulas(), rounds(4300, size)],
  },
  postgres: {
    what: 'PostgreSQL under pgbench, stripped, many processes',
    command: (size) => pgbench(Math.max(1, Math.round(10 * size))),
  },
  'tcp-send': {
    what: 'loopback TCP server, C',
    command: async (size) => [await tcpSend(), '--messages', rounds(400_000, size)],
  },
  'tcp-send-more': {
    what: 'the same with MSG_MORE',
    command: async (size) => [await tcpSend(), '--more', '--messages', rounds(1_200_000, size)],
  },
  deep: {
    what: 'recursion 1,500 deep, C',
    command: async (size) => [await deep(), '1500', rounds(10_000, size)],
  },
  storm: {
    what: 'a storm of fork and exec, C',
    command: async (size) => [await storm(), rounds(2000, size)],
  },
  'two-speeds': {
    what: 'one of two speeds by the address layout, C',
    command: async (size) => [await unsteady(), 'two-speeds', rounds(1200, size)],
  },
  drifts: {
    what: 'slower by 0.2 % with each execution, C',
    command: async (size) => [await unsteady(), 'drifts', rounds(1200, size), await emptyLog()],
  },
  'page-faults': {
    what: 'page faults, C',
    command: async (size) => [await unsteady(), 'page-faults', rounds(200, size)],
  },
  threads: {
    what: 'four threads and one lock, C',
    command: async (size) => [await unsteady(), 'threads', rounds(440_000, size)],
  },
};

const rounds = (atSizeOne, size) => String(Math.max(1, Math.round(atSizeOne * size)));
