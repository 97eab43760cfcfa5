// What many mappings cost a recording: as many as a process may have, made as fast as the program can.

import { run } from '../scripts/steps/command.mjs';
import { inRoot } from '../scripts/steps/paths.mjs';
import { measured, quantile } from './measure.mjs';
import { once } from './programs/build-folder.mjs';
import { watchedRecording } from './watched-recording.mjs';

export const title = 'Many mappings';

/** A process may have 65,530 areas (vm.max_map_count); some are the program's own. */
const COUNTS = [8_000, 16_000, 32_000, 65_000];

const mapper = () =>
  once('mapper', 'build mapper', (program) =>
    run('gcc', ['-O2', '-g', inRoot('helper/tests/programs/mapper.c'), '-o', program]),
  );

export async function measure({ pairs = 5 } = {}) {
  const program = await mapper();
  const command = (count) => [program, 'spread', String(count), program, 'work', '1000'];
  const none = await extra(command(1), pairs);
  const rows = [];
  for (const count of COUNTS) {
    const with_ = await extra(command(count), pairs);
    const last = count === COUNTS.at(-1);
    const moreMs = with_.wallMs - none.wallMs;
    rows.push({
      what: `${count} mappings: time that recording adds, more than with one mapping`,
      goal: last ? '≤ 1 s' : 'beside it',
      value: `${(moreMs / 1000).toFixed(2)} s; ${((1000 * (with_.cpuMs - none.cpuMs)) / count).toFixed(1)} µs of CPU time a mapping, the program's own left out`,
      ok: !last || moreMs <= 1000,
    });
    rows.push({
      what: `${count} mappings: records lost`,
      goal: '0',
      value: `${with_.lost}`,
      ok: with_.lost === 0,
    });
  }
  return rows;
}

/** Medians of what a recorded command takes more than the command alone, and the most records that were lost. */
async function extra(command, pairs) {
  const [wall, cpu, lost] = [[], [], []];
  for (let pair = 0; pair < pairs; pair++) {
    const alone = await measured(command[0], command.slice(1));
    const recorded = await watchedRecording([], command);
    wall.push(recorded.wallMs - alone.wallMs);
    cpu.push(recorded.cpuMs - alone.cpuMs);
    const note = recorded.run.info.problems.find((text) => /records of .* lost/.test(text));
    lost.push(note ? Number(/(\d+) records/.exec(note)[1]) : 0);
  }
  return { wallMs: quantile(wall, 0.5), cpuMs: quantile(cpu, 0.5), lost: Math.max(...lost) };
}
