// A recording looked at from outside while it runs: the time of the BPF program, and the peak memory of engine and sampler.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engine } from '../scripts/steps/paths.mjs';
import { measured } from './measure.mjs';
import { readRun } from './run-file.mjs';

const bpfStats = '/proc/sys/kernel/bpf_stats_enabled';

/**
 * Records a command and gives what `measured` gives (output, wallMs, cpuMs), and
 * { run, bpf: { runs, nsPerRun } or undefined, engineBytes, workerBytes, samplerBytes }.
 */
export async function watchedRecording(options, command) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const file = path.join(folder, 'run.pb.gz');
  const seen = { engineBytes: 0, workerBytes: 0, samplerBytes: 0, bpf: undefined };
  const looking = setInterval(() => look(seen), 20);
  try {
    const result = await measured(engine, ['record', ...options, '--output', file, '--', ...command]);
    return { ...result, ...seen, run: readRun(file) };
  } finally {
    clearInterval(looking);
    rmSync(folder, { recursive: true });
  }
}

/** Lets the kernel time BPF programs while `work` runs, and sets the switch back. Needs root. */
export async function withBpfStatistics(work) {
  const before = readFileSync(bpfStats, 'utf8');
  writeFileSync(bpfStats, '1');
  try {
    return await work();
  } finally {
    writeFileSync(bpfStats, before);
  }
}

function look(seen) {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0symbolize-worker'))
        seen.workerBytes = Math.max(seen.workerBytes, residentPeak(pid));
      else if (name === 'lineheat') seen.engineBytes = Math.max(seen.engineBytes, residentPeak(pid));
      if (name !== 'lineheat-sample') continue; // the kernel keeps 15 letters
      seen.samplerBytes = Math.max(seen.samplerBytes, residentPeak(pid));
      seen.bpf = programTime(pid) ?? seen.bpf;
    } catch {
      // it ended while we looked
    }
  }
}

const residentPeak = (pid) =>
  1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

/** The perf_event program (type 7) among the open files of a process; undefined before it has run. */
function programTime(pid) {
  for (const fd of readdirSync(`/proc/${pid}/fdinfo`)) {
    const text = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
    if (!/^prog_type:\s+7$/m.test(text)) continue;
    const value = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    const runs = value('run_cnt');
    if (runs > 0) return { runs, nsPerRun: value('run_time_ns') / runs };
  }
  return undefined;
}
