// Runs a command and measures it; and says what a set of measurements tells.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Runs a command and gives { output, wallMs, cpuMs, peakBytes }: `cpuMs` of it and all its children, `peakBytes` of
 * itself (highest resident size, looked at every 5 ms).
 */
export function measured(program, args, { cwd, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    // bash's `time` counts children that were waited for, which Node does not offer.
    const child = spawn('bash', ['-c', 'TIMEFORMAT="%3U %3S"; time "$@"', 'bash', program, ...args], {
      cwd,
      env: { ...process.env, ...env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    let peakBytes = 0;
    const looking = setInterval(() => {
      peakBytes = Math.max(peakBytes, ...childrenOf(child.pid).map(residentPeak));
    }, 5);
    child.stdout.on('data', (bytes) => {
      output += bytes;
    });
    child.stderr.on('data', (bytes) => {
      errors += bytes;
    });
    child.once('close', (code) => {
      clearInterval(looking);
      const wallMs = performance.now() - start;
      const [, user, system] = /([\d.]+) ([\d.]+)\s*$/.exec(errors) ?? [];
      if (code !== 0) reject(new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}${errors}`));
      else resolve({ output, errors, wallMs, cpuMs: 1000 * (Number(user) + Number(system)), peakBytes });
    });
  });
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  } catch {
    return []; // it ended
  }
}

function residentPeak(pid) {
  try {
    return 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The value that `share` of the values do not exceed, between neighbours by straight line. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = Math.floor(at);
  const next = sorted[Math.min(below + 1, sorted.length - 1)];
  return sorted[below] + (next - sorted[below]) * (at - below);
}

/** "median (lowest to highest, n runs)" in the unit given. */
export function spread(values, digits, unit) {
  const number = (value) => value.toFixed(digits);
  return `${number(quantile(values, 0.5))} ${unit} (${number(Math.min(...values))} to ${number(Math.max(...values))}, ${values.length} runs)`;
}

/** The 95 % interval of the median, between two of the values (by signs: half of all that could be measured are below it). */
export function medianInterval(values) {
  const sorted = [...values].sort((a, b) => a - b);
  let outside = 0; // so many at each end
  let chance = 2 * 0.5 ** sorted.length; // that the median is beyond these
  for (let term = chance; chance <= 0.05 && outside < sorted.length / 2; chance += term) {
    outside++;
    term *= (sorted.length - outside + 1) / outside;
  }
  if (outside === 0) return { low: -Infinity, high: Infinity };
  return { low: sorted[outside - 1], high: sorted[sorted.length - outside] };
}
