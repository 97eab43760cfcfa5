// What a recording costs: time in the kernel per sample, bytes on disk, samples kept, CPU time and memory of our processes,
// and the CPU time of unwind tables.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { helper } from '../scripts/steps/paths.mjs';
import { quantile, spread } from './measure.mjs';
import { programs } from './programs/programs.mjs';
import { timeInKernel } from './time-in-kernel.mjs';
import { watchedRecording } from './watched-recording.mjs';

export const title = 'Cost of a recording';

export async function measure({ size = 0.4, longSize = 1, repeats = 3, rounds = 5 } = {}) {
  return [
    ...(await timeInKernel({ size: size / 2, rounds })),
    ...(await keptAndDisk(size)),
    ...(await ownProcesses(longSize)),
    ...(await memory(size)),
    ...(await tables(repeats)),
  ];
}

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
    what: 'disk space per sample, with symbols, lines and times, SQLite',
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
      what: `engine and sampler, share of one core, ${(wallMs / 1000).toFixed(0)} s of SQLite at 999 Hz`,
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
  const keptMs = results.map((result) => result.keptCpuMs);
  const { rows, bytes, keptBytes } = results[0];
  const goalMs = (150 * bytes) / 130e6;
  return [
    {
      what: `unwind tables of ${path.basename(library)} (${(bytes / 1e6).toFixed(0)} MB, ${rows} rows), CPU time`,
      goal: `≤ 150 ms for 130 MB: ${goalMs.toFixed(0)} ms`,
      value: spread(ms, 0, 'ms'),
      ok: quantile(ms, 0.5) <= goalMs,
    },
    {
      what: `the same from the ${(keptBytes / 1e6).toFixed(1)} MB that a recording keeps for the next`,
      goal: '≤ 10 ms',
      value: spread(keptMs, 1, 'ms'),
      ok: quantile(keptMs, 0.5) <= 10,
    },
  ];
}

/** The compiler's own library: 150 MB, a million rows. */
async function compilerLibrary() {
  const folder = path.join((await run('rustc', ['--print', 'sysroot'])).trim(), 'lib');
  return path.join(
    folder,
    readdirSync(folder).find((name) => /^librustc_driver-\w+\.so$/.test(name)),
  );
}
