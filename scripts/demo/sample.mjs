// The demo's program: built, recorded, and its hot file shown as annotated source in the terminal.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../steps/command.mjs';
import { engine, inRoot } from '../steps/paths.mjs';
import { step } from '../steps/report.mjs';

export const sample = inRoot('samples/cpp-orders');
export const hotFile = path.join(sample, 'src/ledger.hpp');
const program = path.join(sample, 'build/orders');

export async function buildSample() {
  const build = path.join(sample, 'build');
  await step('build samples/cpp-orders (RelWithDebInfo)', async () => {
    await run('cmake', ['-S', sample, '-B', build, '-DCMAKE_BUILD_TYPE=RelWithDebInfo']);
    await run('cmake', ['--build', build]);
  });
}

/** Records the sample and gives the run file. */
export async function recordSample(name = 'demo', args = []) {
  const runs = path.join(sample, '.lineheat/runs');
  await mkdir(runs, { recursive: true });
  const output = path.join(runs, `${name}.pb.gz`);
  await step(`lineheat record -- ${path.relative(inRoot(), program)} ${args.join(' ')}`.trimEnd(), () =>
    run(engine, ['record', '--output', output, '--', program, ...args], { cwd: sample, show: true }),
  );
  return output;
}

/** Prints the annotated source of the hot file. */
export async function printAnnotated(runFile) {
  const color = process.stdout.isTTY ? ['--color', 'always'] : [];
  console.log(await run(engine, ['annotate', ...color, runFile, hotFile]));
}

/** The line of the hot file in which most time was spent, calls included; the first one of equals. */
export async function hottestLine(runFile) {
  const { lines } = JSON.parse(await run(engine, ['annotate', runFile, hotFile, '--json']));
  return lines.reduce((best, line) => (line.totalSamples > best.totalSamples ? line : best)).line;
}
