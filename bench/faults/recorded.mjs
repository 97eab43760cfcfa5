// One recording that a fault is going to happen to: started, looked at from outside, and what it left behind.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { engine } from '../../scripts/steps/paths.mjs';
import { readRun } from '../run-file.mjs';

/** How long our processes may outlive what ended them, and what may be lost at most, ms. */
export const promisedMs = () => 1000 * Math.max(1, os.loadavg()[0] / (BUSY * os.cpus().length));

/** Processes for each processor beyond which everything waits for its turn, our timers too. */
const BUSY = 4;

/** Runs a program and gives { child, ended }: `ended` becomes { code, signal, text, atMs } once all it printed is read, and never rejects. */
export function started(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
  const ended = new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const end = { code, signal, atMs: Date.now(), text: () => text };
      child.once('close', () => resolve(end));
      // A target that goes on holds the pipes open.
      setTimeout(resolve, 1000, end).unref();
    });
    child.once('error', (error) => resolve({ code: -1, signal: null, atMs: Date.now(), text: () => `${error}` }));
  });
  return { child, ended, text: () => text };
}

/** Starts `lineheat record`; gives what `started` does and `file`. */
export function startRecording(folder, command, { options = [], name = 'run.pb.gz', ...spawning } = {}) {
  const file = path.join(folder, name);
  return { file, ...started(engine, ['record', ...options, '--output', file, '--', ...command], spawning) };
}

/** Waits until `look` gives something, and gives that; undefined after `patienceMs`. */
export async function eventually(look, patienceMs = 15_000) {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const seen = look();
    if (seen || Date.now() > deadline) return seen || undefined;
    await sleep(10);
  }
}

/** Waits until the target has said when it began; ms since 1970. */
export const begun = async (recording) =>
  Number((await eventually(() => /^begin (\d+)/m.exec(recording.text())))?.[1] ?? Number.NaN);

/** Children of all threads of a process: [{ pid, name, program }]; `program` is the path of its file. */
export function childrenOf(pid) {
  const found = [];
  for (const thread of list(`/proc/${pid}/task`))
    for (const child of read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean))
      found.push({ pid: Number(child), name: read(`/proc/${child}/comm`).trim(), program: programOf(child) });
  return found;
}

export const samplerOf = (pid) => childrenOf(pid).find(({ name }) => name.startsWith('lineheat-sample'))?.pid;
/** The engine starts itself, too, to open and read files, by a path that gives another name. */
export const targetOf = (pid) =>
  childrenOf(pid).find(({ name, program }) => !name.startsWith('lineheat') && program !== programOf(pid))?.pid;

function programOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined; // it ended
  }
}

/** As in proc_pid_stat(5): 't' is stopped by its tracer. */
export const stateOf = (pid) => /^\d+ \(.*\) (\S)/s.exec(read(`/proc/${pid}/stat`))?.[1];

/** A process that has ended and was not waited for counts as gone. */
export function isAlive(pid) {
  const state = stateOf(pid);
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Ids of the BPF programs that a process holds. */
export function programsOf(pid) {
  const ids = new Set();
  for (const fd of list(`/proc/${pid}/fdinfo`)) {
    const id = /^prog_id:\s+(\d+)$/m.exec(read(`/proc/${pid}/fdinfo/${fd}`))?.[1];
    if (id) ids.add(Number(id));
  }
  return [...ids];
}

/** Waits until all of these have ended; gives those that still run after `withinMs`. */
export async function leftRunning(pids, withinMs = promisedMs()) {
  const deadline = Date.now() + withinMs;
  const known = pids.filter(Boolean);
  while (known.some(isAlive) && Date.now() < deadline) await sleep(20);
  return known.filter(isAlive);
}

/**
 * Opens what a recording has left, as the user does, and checks the sums:
 * { opened, why, info, taken, kept, lost, coveredUntilMs, problems }. `why` says why it does not open.
 */
export async function leftBehind(file) {
  const report = started(engine, ['report', file, '--json', '--limit', '1']);
  const { code } = await report.ended;
  if (code !== 0) return { opened: false, why: report.text().trim(), taken: 0, kept: 0, lost: 0, problems: [] };
  const { info, profile } = readRun(file);
  const { totalSamples } = JSON.parse(report.text());
  const kept = profile.sample.reduce((sum, sample) => sum + sample.value[0], 0);
  const lost = info.losses.reduce((sum, { count }) => sum + count, 0);
  const problems = [];
  if (kept !== info.samples_kept || kept !== totalSamples)
    problems.push(`${kept} samples in the file, ${info.samples_kept} kept, ${totalSamples} reported`);
  if (info.samples_taken !== kept + lost)
    problems.push(`${info.samples_taken} taken are not ${kept} kept + ${lost} lost`);
  const coveredUntilMs = (info.started_unix_ns + info.wall_ns) / 1e6;
  return { opened: true, why: '', info, profile, taken: info.samples_taken, kept, lost, coveredUntilMs, problems };
}

/** Whether something of a recording is there to be opened. */
export const leftSomething = (file) => existsSync(file) || existsSync(`${file}.journal`);

/** Does `work` for each number below `count`, `width` at a time; gives the results in order. */
export async function inParallel(count, width, work) {
  const results = new Array(count);
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const number = next++;
      results[number] = await work(number);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}

function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it has ended
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
