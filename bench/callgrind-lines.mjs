// Instructions by line as Callgrind counts them: no truth for time, shown for comparison.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { lineKey } from './perf-lines.mjs';

/** A map from line (as in perf-lines.mjs) to instructions executed on it. */
export async function callgrindLines(program, args) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const out = path.join(folder, 'callgrind.out');
  try {
    await run('valgrind', ['--tool=callgrind', `--callgrind-out-file=${out}`, '--compress-pos=no', program, ...args]);
    return selfCosts(readFileSync(out, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads the profile format of Callgrind (its manual, "Callgrind Format Specification"). */
export function selfCosts(text) {
  const names = new Map(); // "(7) name" gives 7 its name at first use
  const costs = new Map();
  let file = '???';
  let isCall = false;
  for (const row of text.split('\n')) {
    const [, kind, id, name] = /^(fl|fi|fe)=\((\d+)\)(?: (.*))?$/.exec(row) ?? [];
    if (kind) {
      if (name) names.set(id, name);
      file = names.get(id);
    } else if (row.startsWith('calls=')) {
      isCall = true; // the next row is what the callee cost
    } else if (/^\d+ \d+$/.test(row)) {
      const [line, cost] = row.split(' ').map(Number);
      if (!isCall) costs.set(lineKey(file, line), (costs.get(lineKey(file, line)) ?? 0) + cost);
      isCall = false;
    }
    // Names of called files share the numbers.
    const [, calledId, calledName] = /^cf[il]=\((\d+)\) (.+)$/.exec(row) ?? [];
    if (calledName) names.set(calledId, calledName);
  }
  return costs;
}
