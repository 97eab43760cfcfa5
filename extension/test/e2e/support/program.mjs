// A small program in a folder of a test, compiled with line tables, and runs of it that the command line records.
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../../../scripts/steps/command.mjs';
import { engine } from '../../../../scripts/steps/paths.mjs';

export const HOT_LINE = 'for (long i = 1; i <= turns; i++)';
const source = `#include <cstdio>
#include <cstdlib>

static double burn(long turns) {
  double sum = 0;
  ${HOT_LINE} sum += 1.0 / (double)(i % 7 + 1) / (double)i;
  return sum;
}

int main(int, char** argv) {
  std::printf("%f\\n", burn(std::atol(argv[1])));
}
`;

/** Writes burn.cpp into `folder` and compiles it; gives the program, which takes the turns of its loop. */
export async function compileProgram(folder, flags = ['-O2', '-g']) {
  const [file, program] = [path.join(folder, 'burn.cpp'), path.join(folder, 'burn')];
  writeFileSync(file, source);
  await run('g++', [...flags, '-o', program, file]);
  return program;
}

/** Records `program` into the runs of `folder`; gives the run file. */
export async function recordRun(folder, name, program, turns = 200_000_000) {
  const output = path.join(folder, `.lineheat/runs/${name}.pb.gz`);
  await mkdir(path.dirname(output), { recursive: true });
  await run(engine, ['record', '--output', output, '--', program, String(turns)], { cwd: folder });
  return output;
}
