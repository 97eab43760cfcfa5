// How many stacks are whole, sample by sample from the first on, by what starts the program: unwind rows of what others
// start can only be made while it runs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engine, inRoot } from '../scripts/steps/paths.mjs';
import { measured } from './measure.mjs';
import { programs } from './programs/programs.mjs';
import { readRun, stackEnds } from './run-file.mjs';

export const title = 'Whole stacks, whatever starts the program';

const source = inRoot('helper/tests/programs/templates.cpp');
const compilation = (compiler) => [compiler, '-O2', '-c', '-o', '/dev/null', source];

const started = {
  'clang++ itself': { command: () => compilation('clang++') },
  'g++ itself': { command: () => compilation('g++') },
  ...Object.fromEntries(
    ['sqlite', 'word-count', 'go', 'ocaml'].map((name) => [
      programs[name].what,
      { command: () => programs[name].command(0.2) },
    ]),
  ),
};

const quoted = (command) => command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');

/** Each gives the command that starts the command. */
const starters = {
  direct: (command) => command,
  'sh -c': (command) => ['sh', '-c', `${quoted(command)}; true`],
  make: (command, folder) => {
    writeFileSync(path.join(folder, 'Makefile'), `all:\n\t@${quoted(command).replaceAll('$', '$$$$')}\n`);
    return ['make', '--no-print-directory', '-C', folder];
  },
  'env -i': (command) => ['env', '-i', `PATH=${process.env.PATH}`, ...command],
  setsid: (command) => ['setsid', '--wait', ...command],
  Python: (command) => ['python3', '-c', 'import subprocess, sys; subprocess.run(sys.argv[1:])', ...command],
};

const GOAL = 99;

export async function measure({ names = Object.keys(started), by = Object.keys(starters) } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const rows = [];
  try {
    for (const name of names) {
      const command = await started[name].command();
      const [shares, without] = [[], []];
      for (const starter of by) {
        const whole = starters[starter](command, folder);
        shares.push([starter, await wholeShare(whole, [], folder)]);
        without.push([starter, await wholeShare(whole, ['--no-stack-copies'], folder)]);
      }
      rows.push({
        what: name,
        goal: `≥ ${GOAL} %`,
        value: `${inWords(shares)}; without copies of stacks ${inWords(without)}`,
        ok: shares.every(([, share]) => share >= GOAL),
      });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return rows;
}

const inWords = (shares) => shares.map(([starter, share]) => `${starter} ${share.toFixed(2)}`).join(', ');

async function wholeShare(command, options, folder) {
  const run = path.join(folder, 'run.pb.gz');
  await measured(engine, ['record', ...options, '--output', run, '--', ...command]);
  const { total, rooted } = stackEnds(readRun(run).info);
  return (100 * rooted) / total;
}
