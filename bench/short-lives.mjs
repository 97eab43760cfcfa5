// Whether the samples of programs that live shorter than a sampling period, or little longer, add up to their CPU time.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { engine, inRoot } from '../scripts/steps/paths.mjs';
import { measured, quantile } from './measure.mjs';
import { once } from './programs/build-folder.mjs';
import { pgbench } from './programs/postgres.mjs';
import { readRun } from './run-file.mjs';

export const title = 'All of the CPU time of short lives';

const RECORDINGS = 20;
const FILES = 200;
const TEST_BINARIES = 200;
/** Enough for about 2,000 samples: chance alone moves a few hundred by more than 3 %. */
const TEST_ROUNDS = 5;
const SHELL_PROGRAMS = 3000;

const shortLives = async (...lives) => [
  await once('short_lives', 'build short_lives', (program) =>
    run('gcc', ['-O2', '-g', inRoot('helper/tests/programs/short_lives.c'), '-o', program, '-pthread']),
  ),
  ...lives,
];

/** Each gives the command, and may prepare it in the folder. */
const programs = {
  '2,000 threads of 1.7 ms': () => shortLives('threads', '2000', '1700'),
  '2,000 child processes of 0.6 ms': () => shortLives('children', '2000', '600'),
  [`\`sh\` that runs \`/bin/true\` ${SHELL_PROGRAMS.toLocaleString('en')} times`]: () =>
    repeated(SHELL_PROGRAMS, '/bin/true'),
  [`\`make -j2\` of ${FILES} small C files`]: makeOfSmallFiles,
  [`\`cargo test\` of ${TEST_BINARIES} binaries, ${TEST_ROUNDS} times`]: cargoTest,
  'PostgreSQL under pgbench, half of the time with a connection for each transaction': () => pgbench(1),
};

export async function* measure({ recordings = RECORDINGS, names = Object.keys(programs) } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    for (const what of names) {
      const shares = [];
      for (let number = 0; number < recordings; number++) {
        shares.push(await recorded([], await programs[what](folder), folder));
      }
      const byThreads = await recorded(['--timers', 'thread'], await programs[what](folder), folder);
      const value = `${percent(quantile(shares, 0.5))} (${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}); by the threads' own timers ${percent(byThreads)}`;
      const ok = shares.every((share) => Math.abs(share - 1) <= 0.03);
      yield { what, goal: `97 to 103 % in each of ${recordings}`, value, ok };
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** Sampled CPU time for each second that the kernel counted. */
async function recorded(options, command, folder) {
  const file = path.join(folder, 'run.pb.gz');
  await measured(engine, ['record', ...options, '--output', file, '--', ...command]);
  const { info } = readRun(file);
  return info.samples_taken / info.asked_hz / (info.kernel_counted_ns / 1e9);
}

const repeated = (times, command) => ['sh', '-c', `for i in $(seq ${times}); do ${command}; done`];

function makeOfSmallFiles(folder) {
  const sources = path.join(folder, 'make');
  rmSync(sources, { recursive: true, force: true });
  mkdirSync(sources);
  for (let number = 0; number < FILES; number++)
    writeFileSync(path.join(sources, `f${number}.c`), `int f${number}(int x) { return x * ${number}; }\n`);
  const rules = 'all: $(patsubst %.c,%.o,$(wildcard *.c))\n%.o: %.c\n\t@gcc -O2 -c $< -o $@\n';
  writeFileSync(path.join(sources, 'Makefile'), rules);
  return ['make', '--no-print-directory', '-j2', '-C', sources];
}

async function cargoTest(folder) {
  const crate = path.join(folder, 'crate');
  const command = ['cargo', 'test', '--quiet', '--offline', '--manifest-path', path.join(crate, 'Cargo.toml')];
  mkdirSync(path.join(crate, 'tests'), { recursive: true });
  mkdirSync(path.join(crate, 'src'), { recursive: true });
  writeFileSync(path.join(crate, 'Cargo.toml'), '[package]\nname = "many"\nversion = "0.1.0"\nedition = "2021"\n');
  writeFileSync(path.join(crate, 'src/lib.rs'), '');
  for (let number = 0; number < TEST_BINARIES; number++) {
    const test = path.join(crate, 'tests', `t${number}.rs`);
    writeFileSync(
      test,
      `#[test]\nfn works() {\n    assert_eq!((0..${number}u64).sum::<u64>() % 2, ${((number * (number - 1)) / 2) % 2});\n}\n`,
    );
  }
  // Built before it is recorded: its tests alone are measured, not the compiler.
  await measured(command[0], [...command.slice(1), '--no-run']);
  return repeated(TEST_ROUNDS, command.join(' '));
}
