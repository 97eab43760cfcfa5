// The programs in C and C++: SQLite, DuckDB, lines of known cost, deep recursion, a storm of forks, the loopback server.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../scripts/steps/command.mjs';
import { inRoot } from '../../scripts/steps/paths.mjs';
import { Sentence } from '../../scripts/steps/report.mjs';
import { buildFolder, built, once, source } from './build-folder.mjs';
import { crateSource } from './crate-source.mjs';

const optimised = ['-O2', '-g', '-fomit-frame-pointer'];
const gcc = (args) => run('nice', ['gcc', ...args]);
const gxx = (args) => run('nice', ['g++', ...args]);

/** SQLite's one source file (from the crate that bundles it) under our load. */
export function sqlite() {
  return once('sqlite', 'build sqlite', async (program) => {
    const { folder, settings } = await sqliteSource();
    const files = [source('sqlite.c'), path.join(folder, 'sqlite3.c')];
    await gcc([...optimised, ...settings, ...files, '-o', program, '-lm']);
  });
}

/** The same load without call frame information, by `compiler`; `flags` are for the link. */
export async function bareSqlite(compiler, flags) {
  const bare = ['-O2', '-fomit-frame-pointer', '-fno-asynchronous-unwind-tables', '-fno-unwind-tables'];
  const { folder, settings } = await sqliteSource();
  const compile = (args) => run('nice', [compiler, ...bare, ...settings, ...args]);
  const library = await once(
    `sqlite-bare-${compiler}.o`,
    `build sqlite without unwind tables by ${compiler}`,
    (object) => compile(['-c', path.join(folder, 'sqlite3.c'), '-o', object]),
  );
  const name = ['sqlite-bare', compiler, ...flags].join('');
  return once(name, `link ${name}`, (program) =>
    compile([source('sqlite.c'), library, ...flags, '-o', program, '-lm']),
  );
}

async function sqliteSource() {
  const folder = path.join(await crateSource('libsqlite3-sys', '0.35.0'), 'sqlite3');
  return { folder, settings: ['-DSQLITE_THREADSAFE=0', '-DSQLITE_OMIT_LOAD_EXTENSION', `-I${folder}`] };
}

/**
 * DuckDB's library (from the crate that bundles it) under our load: more than 50 MB of DWARF. Half an hour of compiling on
 * two cores; a build that was cut short goes on where it was.
 */
export function duckdb() {
  return once('duckdb-load', 'build duckdb (half an hour)', async (program) => {
    const crate = await crateSource('libduckdb-sys', '1.3.2', ['bundled']);
    const folder = built('duckdb');
    await mkdir(folder, { recursive: true });
    // A second time nothing is written, so that the objects stay newer than their sources.
    const untar = ['-xzf', path.join(crate, 'duckdb.tar.gz'), '--skip-old-files', '--strip-components=1'];
    await run('tar', untar, { cwd: folder });
    const { base, extensions } = JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8'));
    const parts = [base, extensions.core_functions];
    const inFolder = (name) => name.replace('duckdb/', '');
    const sources = parts.flatMap((part) => part.cpp_files.map(inFolder));
    const includes = parts.flatMap((part) => part.include_dirs.map((name) => `-I${inFolder(name)}`));
    const flags = '-std=c++11 -O2 -g -w -pthread -DNDEBUG -DDUCKDB_EXTENSION_CORE_FUNCTIONS_LINKED=1';
    const makefile = [
      `libduckdb.a: ${sources.map((name) => `objects/${name}.o`).join(' ')}`,
      '\trm -f $@ && ar rcs $@ $^',
      'objects/%.o: %',
      '\t@mkdir -p $(@D)',
      `\tg++ ${flags} ${[...new Set(includes)].join(' ')} -c $< -o $@.part && mv $@.part $@`,
    ];
    await writeFile(path.join(folder, 'Makefile'), `${makefile.join('\n')}\n`);
    await run('nice', ['make', '-j2', 'libduckdb.a'], { cwd: folder });
    const load = [...flags.split(' '), `-I${path.join(folder, 'src/include')}`, source('duckdb.cpp')];
    await gxx([...load, path.join(folder, 'libduckdb.a'), '-o', program, '-ldl']);
  });
}

/** Lines of known cost, `k` multiplications for each unit of it. */
export const uniform = (k) =>
  once(`uniform${k}`, `build uniform (k = ${k})`, (program) =>
    gcc(['-O2', '-g', `-DK=${k}`, source('uniform.c'), '-o', program]),
  );

/** Counts the time that is taken from it. */
export const pauses = () =>
  once('pauses', 'build pauses', (program) => gcc([...optimised, source('pauses.c'), '-o', program]));

/** Two threads that lose their CPU to each other. */
export const turns = () =>
  once('turns', 'build turns', (program) => gcc([...optimised, '-pthread', source('turns.c'), '-o', program]));

/** Four threads that sleep in turns, one mutex, and what they waited by their own clocks; as the tests have it. */
export const convoy = () =>
  once('convoy', 'build convoy', (program) =>
    gcc([...optimised, '-pthread', inRoot('helper/tests/programs/convoy.c'), '-o', program]),
  );

/** Cheap system calls, or first touches of pages. */
export const kernelWork = () =>
  once('kernel-work', 'build kernel-work', (program) => gcc([...optimised, source('kernel-work.c'), '-o', program]));

/** A function that is called very often. */
export const calls = () =>
  once('calls', 'build calls', (program) => gcc([...optimised, source('calls.c'), '-o', program]));

/** A function that is called seldom, for a time that the program knows. */
export const paced = () =>
  once('paced', 'build paced', (program) => gcc([...optimised, source('paced.c'), '-o', program]));

/** Allocates and frees as often as it is said, in C. */
export const allocationPairs = () =>
  once('allocation-pairs', 'build allocation-pairs', (program) =>
    gcc([...optimised, source('allocation-pairs.c'), '-o', program]),
  );

/** A map of C++ that knows what it allocates. */
export const ledger = () =>
  once('ledger', 'build ledger', (program) => gxx(['-std=c++17', ...optimised, source('ledger.cpp'), '-o', program]));

export const deep = () => once('deep', 'build deep', (program) => gcc([...optimised, source('deep.c'), '-o', program]));

/** See the file: the measure of a machine. With frame pointers, by which the kernel finds user stacks. */
export const yardstick = () =>
  once('yardstick', 'build yardstick', (program) =>
    gcc(['-O2', '-fno-omit-frame-pointer', source('yardstick.c'), '-o', program]),
  );

export function leveldb() {
  if (!existsSync('/usr/include/leveldb/db.h'))
    throw new Sentence('LevelDB is needed and not installed. On Debian: apt-get install libleveldb-dev');
  return once('leveldb', 'build leveldb', (program) =>
    gxx(['-O2', '-g', '-std=c++17', source('leveldb.cpp'), '-o', program, '-lleveldb']),
  );
}

export const storm = () =>
  once('storm', 'build storm', (program) => gcc([...optimised, source('storm.c'), '-o', program]));

/** Differs from execution to execution; see the file for how. */
export const unsteady = () =>
  once('unsteady', 'build unsteady', (program) => gcc([...optimised, '-pthread', source('unsteady.c'), '-o', program]));

/** A file to drift by, empty. */
export async function emptyLog() {
  const file = built('drifting.log');
  await mkdir(buildFolder, { recursive: true });
  await writeFile(file, '');
  return file;
}

/** The target of the fault harness. */
export const faulty = () =>
  once('faulty', 'build faulty', (program) => gcc([...optimised, '-pthread', source('faulty.c'), '-o', program]));

/** A sample, built as its page says. */
async function builtSample(name, program) {
  const folder = built(name);
  await once(`${name}/${name}-built`, `build ${name}`, async (mark) => {
    await mkdir(folder, { recursive: true });
    const type = '-DCMAKE_BUILD_TYPE=RelWithDebInfo';
    await run('cmake', ['-S', inRoot('samples', name), '-B', folder, type]);
    await run('cmake', ['--build', folder]);
    await run('touch', [mark]);
  });
  return path.join(buildFolder, name, program);
}

export const tcpSend = () => builtSample('tcp-send', 'tcp-send');
export const cells = () => builtSample('cpp-cells', 'cells');
