// What many mappings and many loaded libraries cost a recording: as many as a process may have, made as fast as the program can.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { inRoot } from '../scripts/steps/paths.mjs';
import { measured, quantile } from './measure.mjs';
import { once } from './programs/build-folder.mjs';
import { stackEnds } from './run-file.mjs';
import { watchedRecording } from './watched-recording.mjs';

export const title = 'Many mappings';

/** A process may have 65,530 areas (vm.max_map_count); some are the program's own. */
const COUNTS = [8_000, 16_000, 32_000, 65_000];

/** Each is loaded, called for 100 µs of CPU time, and stays. */
const LIBRARIES = [500, 1_000, 2_000, 3_000, 4_000];
/** In the library's source, the name of its source file and its build-id. */
const NUMBERED = 'plugin_00000';

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
      what: `${count} mappings: extra time of the recording, compared with one mapping`,
      goal: last ? '≤ 1 s' : 'for comparison',
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
  for (const count of LIBRARIES) rows.push(await storm(count, pairs));
  return rows;
}

async function storm(count, pairs) {
  const command = [await loader(), await libraries(), String(count), '100'];
  const [target, tool, whole] = [[], [], []];
  for (let pair = 0; pair < pairs; pair++) {
    const alone = await measured(command[0], command.slice(1));
    const recorded = await watchedRecording([], command);
    const { total, rooted } = stackEnds(recorded.run.info);
    target.push(alone.cpuMs);
    tool.push(recorded.cpuMs - alone.cpuMs);
    whole.push((100 * rooted) / total);
  }
  const [targetMs, toolMs] = [quantile(target, 0.5), quantile(tool, 0.5)];
  const percent = (100 * toolMs) / targetMs;
  const wholePercent = Math.min(...whole);
  return {
    what: `${count} libraries loaded: CPU time of the program; added by the recording; whole stacks`,
    goal: count === 3_000 ? '≤ 50 %, ≥ 99 % whole' : 'for comparison, ≥ 99 % whole',
    value: `${(targetMs / 1000).toFixed(2)} s; ${(toolMs / 1000).toFixed(2)} s (${percent.toFixed(0)} %); ${wholePercent.toFixed(1)} %`,
    ok: wholePercent >= 99 && (count !== 3_000 || percent <= 50),
  };
}

const loader = () =>
  once('libraries', 'build libraries', (program) =>
    run('gcc', ['-O2', '-g', inRoot('helper/tests/programs/libraries.c'), '-o', program]),
  );

/** A folder of libraries: the first by gcc, the others from its bytes, each with its own name, source and build-id. */
const libraries = () =>
  once('many-libraries', 'build libraries to load', async (folder) => {
    mkdirSync(folder, { recursive: true });
    const source = readFileSync(inRoot('helper/tests/programs/library.c'), 'utf8');
    const name = (number) => `plugin_${String(number).padStart(5, '0')}`;
    const file = (number) => path.join(folder, `${name(number).slice(-5)}.so`);
    const count = Math.max(...LIBRARIES);
    for (let number = 0; number < count; number++)
      writeFileSync(path.join(folder, `${name(number)}.c`), source.replaceAll(NUMBERED, name(number)));
    const buildId = Buffer.from(NUMBERED).toString('hex') + '00'.repeat(8);
    const flags = ['-O2', '-g', '-fomit-frame-pointer', '-fPIC', '-shared', `-Wl,--build-id=0x${buildId}`];
    await run('gcc', [...flags, '-o', file(0), path.join(folder, `${NUMBERED}.c`)]);
    const first = readFileSync(file(0), 'latin1');
    for (let number = 1; number < count; number++)
      writeFileSync(file(number), first.replaceAll(NUMBERED, name(number)), 'latin1');
  });

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
