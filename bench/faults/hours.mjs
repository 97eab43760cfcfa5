// Memory of engine and sampler while a recording gets long: simulated by a high rate and ever new stacks. An hour at 999 Hz on
// eight busy threads, in memory alone, is a test of the engine's (`recorder/src/hours.rs`).
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { faulty } from '../programs/c.mjs';
import { begun, leftBehind, samplerOf, startRecording } from './recorded.mjs';
import { outcome, row } from './tally.mjs';

const ENGINE_BYTES_MAX = 512e6;
const SAMPLER_BYTES_MAX = 128e6;
/** How much more memory the second half of a recording may take whose stacks repeat. */
const GROWTH_BYTES_MAX = 32e6;

export async function hours(folder, { seconds }) {
  const program = await faulty();
  const rows = [];
  for (const [what, command, isFlat] of [
    ['the same stacks', [program, 'busy', String(1000 * seconds), '2'], true],
    ['ever new stacks', [program, 'branches', String(1000 * seconds), '24', '2'], false],
  ]) {
    const { result, text } = await watched(folder, command, isFlat);
    const of = row('F18', `${seconds} s at 9,999 Hz on two threads, ${what}`, [result]);
    rows.push({ ...of, goal: `${of.goal}; engine ≤ 512 MB, sampler ≤ 128 MB`, value: `${of.value}; ${text}` });
  }
  return rows;
}

async function watched(folder, command, isFlat) {
  const options = ['--freq', '9999'];
  const recording = startRecording(folder, command, { options, name: `hours-${isFlat}.pb.gz` });
  await begun(recording);
  const pids = { engine: recording.child.pid, sampler: samplerOf(recording.child.pid) };
  const seen = [];
  let peaks = { engine: 0, sampler: 0 };
  let cpuMs = 0;
  let running = true;
  recording.ended.then(() => {
    running = false;
  });
  while (running) {
    const now = { engine: memory(pids.engine, 'VmRSS'), sampler: memory(pids.sampler, 'VmRSS') };
    if (now.sampler > 0) seen.push(now);
    peaks = {
      engine: Math.max(peaks.engine, memory(pids.engine, 'VmHWM')),
      sampler: Math.max(peaks.sampler, memory(pids.sampler, 'VmHWM')),
    };
    cpuMs = Math.max(cpuMs, cpuOf(pids.engine));
    await sleep(50);
  }
  const { code } = await recording.ended;
  const run = await leftBehind(recording.file);
  const problems = [...run.problems];
  if (code !== 0) problems.push(`lineheat ended with ${code}: ${recording.text()}`);
  if (peaks.engine > ENGINE_BYTES_MAX) problems.push(`the engine took ${megabytes(peaks.engine)}`);
  if (peaks.sampler > SAMPLER_BYTES_MAX) problems.push(`the sampler took ${megabytes(peaks.sampler)}`);
  const half = seen[Math.floor(seen.length / 2)] ?? { engine: 0, sampler: 0 };
  const last = seen.at(-1) ?? half;
  const growth = { engine: last.engine - half.engine, sampler: last.sampler - half.sampler };
  if (isFlat && Math.max(growth.engine, growth.sampler) > GROWTH_BYTES_MAX)
    problems.push(`memory grows: ${megabytes(growth.engine)} and ${megabytes(growth.sampler)} in the second half`);
  const text = `engine ${megabytes(peaks.engine)} (second half ${signed(growth.engine)}, ${(cpuMs / 1000).toFixed(1)} s of CPU), sampler ${megabytes(peaks.sampler)} (${signed(growth.sampler)})`;
  return { result: outcome({ ...run, problems }), text };
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
const signed = (bytes) => `${bytes < 0 ? '−' : '+'}${megabytes(Math.abs(bytes))}`;

function memory(pid, name) {
  return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** User and system time so far; the kernel's ticks are 10 ms. */
function cpuOf(pid) {
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
