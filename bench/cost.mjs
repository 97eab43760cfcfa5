// What a recording costs: time in the kernel per sample, bytes on disk, samples kept, CPU time and memory of our processes,
// and the CPU time of unwind tables.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { helper } from '../scripts/steps/paths.mjs';
import { quantile, spread } from './measure.mjs';
import { deep } from './programs/c.mjs';
import { programs } from './programs/programs.mjs';
import { framesPerSample } from './run-file.mjs';
import { watchedRecording, withBpfStatistics } from './watched-recording.mjs';

export const title = 'Cost of a recording';

export async function measure({ size = 0.4, longSize = 1, repeats = 3 } = {}) {
  return [
    ...(await withBpfStatistics(() => inKernel(size))),
    ...(await keptAndDisk(size)),
    ...(await ownProcesses(longSize)),
    ...(await memory(size)),
    await tables(repeats),
  ];
}

/** The time of the BPF program. At 14 user frames about half of the samples have a kernel stack, too. */
async function inKernel(size) {
  const rows = [];
  const fourteen = await fourteenFrames(size * 10_000);
  for (const [what, command] of [
    ['recursion to 14 user frames, half in the kernel', fourteen],
    ['SQLite', await programs.sqlite.command(size)],
    ['OCaml', await programs.ocaml.command(size)],
    ['Go', await programs.go.command(size)],
    ['PostgreSQL', await programs.postgres.command(size)],
  ]) {
    const { run, bpf } = await watchedRecording([], command);
    const { frames, kernelShare } = framesPerSample(run.profile);
    const us = bpf.nsPerRun / 1000;
    const isGoal = command === fourteen;
    rows.push({
      what: `time in the kernel a sample, ${what}: ${frames.toFixed(1)} user frames, ${(100 * kernelShare).toFixed(0)} % with a kernel stack`,
      goal: isGoal ? '≤ 5 µs' : 'beside it',
      value: `${us.toFixed(2)} µs (${bpf.runs} samples)`,
      ok: !isGoal || us <= 5,
    });
  }
  return rows;
}

/** `main`, what starts it and what it calls stand around the recursion: its depth is chosen so that there are 14 frames. */
const fourteenFrames = async (milliseconds) => [await deep(), '8', String(milliseconds), 'kernel'];

async function keptAndDisk(size) {
  const rows = [];
  for (const [hz, goal] of [
    [999, 99.5],
    [9999, 97],
  ]) {
    const { run } = await watchedRecording(['--freq', String(hz)], await programs.sqlite.command(size));
    const { samples_taken: taken, samples_kept: kept, achieved_hz: achieved } = run.info;
    const share = (100 * kept) / taken;
    rows.push({
      what: `samples kept at ${hz} Hz, SQLite`,
      goal: `≥ ${goal} %`,
      value: `${share.toFixed(2)} % of ${taken}; ${achieved.toFixed(0)} taken a CPU second`,
      ok: share >= goal,
    });
    if (hz === 999) rows.push(onDisk(run));
  }
  return rows;
}

function onDisk({ bytes, info }) {
  const each = bytes / info.samples_kept;
  return {
    what: 'on disk a sample, with symbols, lines and times, SQLite',
    goal: '≤ 40 bytes',
    value: `${each.toFixed(1)} bytes (${(bytes / 1000).toFixed(0)} kB, ${info.samples_kept} samples)`,
    ok: each <= 40,
  };
}

async function ownProcesses(size) {
  const { output, cpuMs, wallMs } = await watchedRecording([], await programs.sqlite.command(size));
  const share = (100 * (cpuMs - JSON.parse(/\{.*\}/.exec(output)[0]).cpuNs / 1e6)) / wallMs;
  return [
    {
      what: `engine and sampler, of one core, over ${(wallMs / 1000).toFixed(0)} s of SQLite at 999 Hz`,
      goal: '≤ 3 %',
      value: `${share.toFixed(2)} %`,
      ok: share <= 3,
    },
  ];
}

async function memory(size) {
  const rows = [];
  for (const [name, goal] of [
    ['sqlite', 110],
    ['ripgrep', 250],
  ]) {
    const command = await programs[name].command(size);
    const { engineBytes, workerBytes, samplerBytes } = await watchedRecording([], command);
    const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
    const all = engineBytes + workerBytes + samplerBytes;
    const size_ = megabytes(statSync(command[0]).size);
    rows.push({
      what: `peak memory of engine, symbolizer and sampler, ${programs[name].what} (a file of ${size_} MB)`,
      goal: `≤ ${goal} MB`,
      value: `${megabytes(all)} MB (engine ${megabytes(engineBytes)}, symbolizer ${megabytes(workerBytes)}, sampler ${megabytes(samplerBytes)})`,
      ok: all <= goal * 1e6,
    });
  }
  return rows;
}

/** Tables of a large library that every Rust toolchain has. */
async function tables(repeats) {
  const library = await compilerLibrary();
  const args = ['run', '--release', '--quiet', '--example', 'table_cost', '-p', 'unwind', '--', library];
  const results = [];
  for (let i = 0; i < repeats; i++) results.push(JSON.parse(await run('cargo', args, { cwd: helper })));
  const ms = results.map((result) => result.cpuMs);
  const { rows, bytes } = results[0];
  const goalMs = (150 * bytes) / 130e6;
  return {
    what: `unwind tables of ${path.basename(library)} (${(bytes / 1e6).toFixed(0)} MB, ${rows} rows), CPU time`,
    goal: `≤ 150 ms for 130 MB: ${goalMs.toFixed(0)} ms`,
    value: spread(ms, 0, 'ms'),
    ok: quantile(ms, 0.5) <= goalMs,
  };
}

/** The compiler's own library: 150 MB, a million rows. */
async function compilerLibrary() {
  const folder = path.join((await run('rustc', ['--print', 'sysroot'])).trim(), 'lib');
  return path.join(
    folder,
    readdirSync(folder).find((name) => /^librustc_driver-\w+\.so$/.test(name)),
  );
}
