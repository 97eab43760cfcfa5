// The stacks of `perf record --call-graph dwarf` with perf's defaults: it copies 8 KB of stack per sample and unwinds them
// when they are read.
import { existsSync } from 'node:fs';
import { run } from '../scripts/steps/command.mjs';
import { Sentence } from '../scripts/steps/report.mjs';

/** The outermost frames of a command's stacks, as `wholeStacks` wants them; `data` is the file to record into. */
export async function perfDwarfStacks(command, data) {
  if (!existsSync('/usr/lib/debug'))
    throw new Sentence("The names of libc's inner functions are missing. On Debian: apt-get install libc6-dbg");
  const options = ['-q', '-F', '999', '-e', 'cpu-clock', '--call-graph', 'dwarf'];
  await run('perf', ['record', ...options, '-o', data, '--', ...command]);
  const script = ['script', '-i', data, '--no-inline', '--max-stack', '2048', '-F', 'ip,sym,dso'];
  return outermostFrames(await run('perf', script));
}

/** Without samples that have kernel frames only: the process has no stack yet, or none any more. */
export function outermostFrames(script) {
  return script
    .split('\n\n')
    .map((sample) => [...sample.matchAll(/^\s+([0-9a-f]+) (.*) \(.*\)$/gm)].filter(([, ip]) => !inKernel(ip)))
    .filter((frames) => frames.length > 0)
    .map((frames) => ({ outermost: frames.slice(-2).map(([, , name]) => name), count: 1 }));
}

/** The upper half of the addresses is the kernel's. */
const inKernel = (ip) => BigInt(`0x${ip}`) >= 1n << 63n;
