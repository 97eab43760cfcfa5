// Whether the lines are the right ones: against lines of known cost, and against perf on the same program.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engine } from '../scripts/steps/paths.mjs';
import { callgrindLines } from './callgrind-lines.mjs';
import { measured } from './measure.mjs';
import { lineKey, moduleKey, perfLines } from './perf-lines.mjs';
import { source } from './programs/build-folder.mjs';
import { sqlite, uniform } from './programs/c.mjs';
import { readRun } from './run-file.mjs';
import { noiseAgainstTruth, noiseOfTwo, totalVariation } from './sampling-noise.mjs';

export const title = 'Accuracy of the lines: total variation distance, 0 = identical, 1 = nothing in common';

export async function measure({ uniformRounds = 8_000_000, sqliteRounds = 300, perfRuns = 10, perfRounds = 100 } = {}) {
  return [
    await knownCost(4, uniformRounds, 'goal'),
    await knownCost(16, uniformRounds / 4, 'beside'),
    ...(await againstPerf(sqliteRounds, perfRuns, perfRounds)),
  ];
}

async function knownCost(k, rounds, standing) {
  const run = await recorded(['--freq', '4999'], [await uniform(k), String(rounds)]);
  const samples = leafLines(run);
  const truth = trueShares();
  const counted = new Map([...truth.keys()].map((key) => [key, samples.get(key) ?? 0]));
  const n = [...counted.values()].reduce((sum, count) => sum + count, 0);
  const distance = totalVariation(counted, truth);
  const noise = noiseAgainstTruth(truth, n);
  return {
    what: `16 lines of known cost, ${k} to ${8 * k} dependent multiplications each, ${n} samples`,
    goal: standing === 'goal' ? `≤ noise + 0.01 = ${(noise + 0.01).toFixed(4)}` : 'for comparison',
    value: `${distance.toFixed(4)} (noise alone ${noise.toFixed(4)})`,
    ok: standing !== 'goal' || distance <= noise + 0.01,
  };
}

/** Line → its `w`, read from the source. */
function trueShares() {
  const file = source('uniform.c');
  const rows = readFileSync(file, 'utf8').split('\n');
  const entries = rows.map((row, i) => [lineKey(file, i + 1), Number(/^\s+CHAIN\((\d)\);/.exec(row)?.[1])]);
  return new Map(entries.filter(([, w]) => w > 0));
}

async function againstPerf(rounds, perfRuns, perfRounds) {
  const program = await sqlite();
  const ours = leafLines(await recorded([], [program, String(rounds)]), program);
  const runs = [];
  for (let i = 0; i < perfRuns; i++) runs.push(await perfLines(program, [String(perfRounds)]));
  const perf = pooled(runs);
  const shares = pooled([ours, perf]);
  const noise = noiseOfTwo(shares, total(ours), total(perf));
  const distance = totalVariation(ours, perf);
  const [first, ...others] = runs;
  const rest = pooled(others);
  const ofPerf = totalVariation(first, rest);
  const noiseOfPerf = noiseOfTwo(perf, total(first), total(rest));
  const instructions = await callgrindLines(program, ['1']);
  return [
    {
      what: `SQLite, ${total(ours)} samples against ${total(perf)} of ${perfRuns} pooled \`perf\` runs, by line`,
      goal: `≤ noise + 0.03 = ${(noise + 0.03).toFixed(4)}`,
      value: `${distance.toFixed(4)} (noise alone ${noise.toFixed(4)})`,
      ok: distance <= noise + 0.03,
    },
    {
      what: `one of these \`perf\` runs (${total(first)} samples) against the others`,
      goal: 'for comparison',
      value: `${ofPerf.toFixed(4)} (noise alone ${noiseOfPerf.toFixed(4)})`,
      ok: true,
    },
    {
      what: 'SQLite, samples compared with instructions counted by Callgrind, which do not measure time',
      goal: 'for comparison',
      value: totalVariation(ours, instructions).toFixed(4),
      ok: true,
    },
  ];
}

async function recorded(options, command) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    const run = path.join(folder, 'run.pb.gz');
    await measured(engine, ['record', ...options, '--output', run, '--', ...command]);
    return readRun(run).profile;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Samples by the line of their innermost frame; outside `program` (when given) by module. */
function leafLines(profile, program) {
  const text = (index) => profile.string_table[index];
  const locations = new Map(profile.location.map((location) => [location.id, location]));
  const functions = new Map(profile.function.map((one) => [one.id, one]));
  const modules = new Map(profile.mapping.map((one) => [one.id, text(one.filename)]));
  const counts = new Map();
  for (const { location_id: stack, value } of profile.sample) {
    const leaf = locations.get(stack[0]);
    const line = leaf.line[0];
    const module = modules.get(leaf.mapping_id) ?? '[unknown]';
    const inside = !program || module === program;
    const file = line && text(functions.get(line.function_id).filename);
    const key = inside && file ? lineKey(file, line.line) : moduleKey(module);
    counts.set(key, (counts.get(key) ?? 0) + value[0]);
  }
  return counts;
}

const total = (counts) => [...counts.values()].reduce((sum, count) => sum + count, 0);

function pooled(maps) {
  const sum = new Map();
  for (const map of maps) for (const [key, count] of map) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}
