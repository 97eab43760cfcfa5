// Samples of `perf record` as counts by line of one program; other modules and the kernel count by their name.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';

/** One perf run of a command as a map from key (see `lineKey`) to samples. */
export async function perfLines(program, args, hz = 999) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const data = path.join(folder, 'perf.data');
  try {
    await run('perf', ['record', '-q', '-F', String(hz), '-e', 'cpu-clock', '-o', data, '--', program, ...args]);
    const script = await run('perf', ['script', '-i', data, '-F', 'ip,dso', '--show-mmap-events']);
    return await countedLines(script, program);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function countedLines(script, program) {
  const segments = mappedSegments(script, program);
  const counts = new Map();
  const vaddrs = new Map();
  const bump = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const [, ip, dso] of script.matchAll(/^\s*([0-9a-f]+) \((.*)\)$/gm)) {
    const address = BigInt(`0x${ip}`);
    const segment = dso === program && segments.find((s) => s.start <= address && address < s.end);
    if (segment) bump(vaddrs, address - segment.start + segment.offset);
    else bump(counts, moduleKey(dso));
  }
  const addresses = [...vaddrs.keys()];
  const lines = await linesOf(program, addresses);
  addresses.forEach((address, i) => {
    counts.set(lines[i], (counts.get(lines[i]) ?? 0) + vaddrs.get(address));
  });
  return counts;
}

/** Executable mappings of the program. Segments whose vaddr is their file offset only, which gcc's linker gives code. */
function mappedSegments(script, program) {
  const event = /MMAP2? \S+ \[0x([0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*?\]: r-xp (\S+)/g;
  return [...script.matchAll(event)]
    .filter(([, , , , file]) => file === program)
    .map(([, start, size, offset]) => {
      const from = BigInt(`0x${start}`);
      return { start: from, end: from + BigInt(size), offset: BigInt(offset) };
    });
}

/** The innermost line at each vaddr, by binutils. */
async function linesOf(program, vaddrs) {
  const input = vaddrs.map((vaddr) => `0x${vaddr.toString(16)}`).join('\n');
  const output = await run('addr2line', ['-e', program], { input });
  return output
    .trim()
    .split('\n')
    .map((text) => lineKey(...text.replace(/ \(discriminator \d+\)$/, '').split(/:(?=[\d?]+$)/)));
}

export const lineKey = (file, line) => `${path.basename(file)}:${line}`;
export const moduleKey = (file) => (file.startsWith('[kernel') ? '[kernel]' : path.basename(file));
