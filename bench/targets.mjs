// Builds the programs that are measured, into bench/build/ (kept; nothing is built twice).
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { inRoot } from '../scripts/steps/paths.mjs';
import { step } from '../scripts/steps/report.mjs';

const build = inRoot('bench/build');
const source = (name) => inRoot('bench/targets', name);

/** The CPU-bound program of fixed work. */
export async function workTarget() {
  const program = path.join(build, 'work');
  await mkdir(build, { recursive: true });
  if (!existsSync(program))
    await step('build work', () => run('g++', ['-std=c++17', '-O2', '-g', source('work.cpp'), '-o', program]));
  return program;
}

// 12 units of 32 types each give a little more than 100 MB of debug information.
const units = 12;
const instances = 32;

/** The program with at least 100 MB of DWARF. Compiling it takes some minutes of CPU, once. */
export async function largeTarget() {
  const program = path.join(build, 'large');
  if (existsSync(program)) return program;
  await mkdir(build, { recursive: true });
  const numbers = Array.from({ length: units }, (_, number) => number);
  await writeFile(
    path.join(build, 'units.inc'),
    `#define EACH_UNIT(X) ${numbers.map((number) => `X(${number})`).join(' ')}\n`,
  );
  await step(`build large (${units} units of ${instances} types)`, async () => {
    await inParallel(numbers, Number(process.env.LINEHEAT_BENCH_JOBS) || os.availableParallelism(), compileUnit);
    await run('g++', [...numbers.map(object), '-o', program]);
  });
  return program;
}

const object = (number) => path.join(build, `large${number}.o`);

async function compileUnit(number) {
  if (existsSync(object(number))) return;
  const part = `${object(number)}.part`;
  const defines = [`-DUNIT=${number}`, `-DINSTANCES=${instances}`, `-I${build}`];
  await run('g++', ['-std=c++17', '-O1', '-g', ...defines, '-c', source('large.cpp'), '-o', part]);
  await run('mv', [part, object(number)]);
}

async function inParallel(items, width, work) {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Bytes of the debug sections of a program. */
export async function debugBytes(program) {
  const rows = (await run('readelf', ['-S', '-W', program])).matchAll(
    /\s\.debug_\w+\s+\w+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)/g,
  );
  return [...rows].reduce((sum, [, size]) => sum + Number.parseInt(size, 16), 0);
}
