// How many stacks reach the thread's start, program by program, and how the others ended.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engine } from '../scripts/steps/paths.mjs';
import { measured } from './measure.mjs';
import { programs } from './programs/programs.mjs';
import { framesPerSample, readRun, stackEnds } from './run-file.mjs';

export const title = 'Stacks that reach the thread’s start';

/** The least share of whole stacks, in percent. */
const goals = {
  sqlite: 99.9,
  duckdb: 99.9,
  ripgrep: 99.9,
  'word-count': 99.9,
  ocaml: 99.9,
  go: 99.9,
  'tcp-send': 99.9,
  postgres: 99,
  deep: 99,
  storm: 98,
};

/** What the recording of a program needs beside the defaults. */
const options = { deep: ['--max-frames', '1600'] };

export async function measure({ size = 0.7, names = Object.keys(goals) } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const rows = [];
  try {
    for (const name of names) rows.push(await row(name, size, path.join(folder, `${name}.pb.gz`)));
  } finally {
    rmSync(folder, { recursive: true });
  }
  return rows;
}

async function row(name, size, run) {
  const command = await programs[name].command(size);
  await measured(engine, ['record', ...(options[name] ?? []), '--output', run, '--', ...command]);
  const { info, profile } = readRun(run);
  const { ends, total, rooted } = stackEnds(info);
  const share = (100 * rooted) / total;
  const others = Object.entries(ends)
    .filter(([end]) => end !== 'root')
    .map(([end, count]) => `${count} ${end}`);
  const { frames } = framesPerSample(profile);
  return {
    what: `${programs[name].what} (${frames.toFixed(0)} frames)`,
    goal: `≥ ${goals[name]} %`,
    value: `${share.toFixed(2)} % of ${total}${others.length > 0 ? `: ${others.join(', ')}` : ''}`,
    ok: share >= goals[name],
  };
}
