// How many stacks are whole where no call frame information says how functions are left: musl, whose own functions have
// none, and C that was built without.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engine } from '../scripts/steps/paths.mjs';
import { measured } from './measure.mjs';
import { bareSqlite } from './programs/c.mjs';
import { readRun, stackEnds } from './run-file.mjs';

export const title = 'Complete stacks without call frame information';

/** The compiler, its flags for the link, and whether the symbols are stripped. */
const builds = {
  'SQLite, gcc, without call frame information': { compiler: 'gcc' },
  'the same, stripped': { compiler: 'gcc', flags: ['-s'] },
  'SQLite, musl, dynamic': { compiler: 'musl-gcc' },
  'SQLite, musl, static': { compiler: 'musl-gcc', flags: ['-static'] },
  'SQLite, musl, static, stripped': { compiler: 'musl-gcc', flags: ['-static', '-s'] },
};

const GOAL = 99;

export async function* measure({ rounds = 30 } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const run = path.join(folder, 'run.pb.gz');
  try {
    for (const [what, { compiler, flags = [] }] of Object.entries(builds)) {
      const program = await bareSqlite(compiler, flags);
      await measured(engine, ['record', '--output', run, '--', program, String(rounds)]);
      const { total, rooted } = stackEnds(readRun(run).info);
      const share = (100 * rooted) / total;
      yield { what, goal: `≥ ${GOAL} %`, value: `${share.toFixed(2)} % of ${total}`, ok: share >= GOAL };
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
