// Whether the stacks are right: registers and stack bytes of one perf recording, unwound by our walk and by perf itself,
// compared frame by frame.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { cargoBuilt, helper } from '../scripts/steps/paths.mjs';
import { programs } from './programs/programs.mjs';

export const title = 'Stacks compared with perf’s unwinding';

/** The least share of identical stacks, in percent. */
const goal = 99;
/** Recorded is 32 KB of stack a sample: few samples a second, for the disk's sake. */
const sampleHz = 199;
/** Not Go: perf does not read its .debug_frame and gives the leaf only; crates/walk watches it at every instruction. */
const compared = ['sqlite', 'duckdb', 'ripgrep', 'word-count', 'ocaml', 'tcp-send', 'deep'];

export async function measure({ size = 0.3, names = compared } = {}) {
  await run('nice', ['cargo', 'build', '--release', '--locked', '-p', 'walk', '--examples'], { cwd: helper });
  const rows = [];
  for (const name of names) {
    const { samples, identical, identicalToCopyEnd, oursGoesOn, perfGoesOn, different, whole } = await agreement(
      name,
      size,
    );
    const share = (100 * (identical + identicalToCopyEnd)) / samples;
    const others = Object.entries({
      'of these up to the last caller in the copied stack': identicalToCopyEnd,
      'perf ends earlier': oursGoesOn,
      'we end earlier': perfGoesOn,
      different,
    }).filter(([, count]) => count > 0);
    rows.push({
      what: programs[name].what,
      goal: `≥ ${goal} % identical`,
      value: [
        `${share.toFixed(2)} % of ${samples}`,
        ...others.map(([how, count]) => `${count} ${how}`),
        `${((100 * whole) / samples).toFixed(1)} % of ours reach the start`,
      ].join(', '),
      ok: samples > 0 && share >= goal,
    });
  }
  return rows;
}

/** The counts of `unwind_agreement`, and examples of what differs. */
async function agreement(name, size) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    const data = path.join(folder, 'perf.data');
    const text = path.join(folder, 'script.txt');
    const record = ['record', '-q', '-F', String(sampleHz), '-e', 'cpu-clock', '--call-graph', 'dwarf,32768'];
    await run('perf', [...record, '-o', data, '--', ...(await programs[name].command(size))]);
    const script = ['script', '-i', data, '--ns', '--no-inline', '--max-stack', '2048', '-F', 'tid,time,ip'];
    writeFileSync(text, await run('perf', script));
    return JSON.parse(await run(cargoBuilt('examples/unwind_agreement'), [data, text]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
