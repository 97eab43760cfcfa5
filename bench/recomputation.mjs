// Every figure of comparisons computed a second time, by Python and SciPy straight from the runs: how far they disagree.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { engine, inRoot } from '../scripts/steps/paths.mjs';
import { compared, recordings } from './compared-runs.mjs';
import { once, source } from './programs/build-folder.mjs';
import { sqlite } from './programs/c.mjs';

export const title = 'Comparisons recomputed by SciPy';

const AGREEMENT = 1e-4;
const scripts = inRoot('bench/recomputation');

/**
 * `ks`: executions of each side. For each k, a comparison of each program and `generated` of generated counts; `others` of
 * counts whose totals contradict the whole, and as many of cost that moves.
 */
export async function measure({
  ks = [3, 5, 10],
  generated = 2,
  others = 6,
  programs = ['parts', 'parts-slower', 'sqlite'],
} = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    const python = await interpreter();
    const comparisons = [];
    for (const k of ks) {
      for (const name of programs) comparisons.push(await recorded(name, k, folder));
      for (let seed = 0; seed < generated; seed++) comparisons.push(await made(python, k, seed, folder));
    }
    // One side after the other, and several files a side.
    for (const k of ks) comparisons.push(await apart(k, folder));
    for (const k of [5, 8]) comparisons.push(await made(python, k, 100 + k, folder));
    // Totals of nearly everything against a whole that is noise, and cost that moved.
    for (let seed = 200; seed < 200 + others; seed++) {
      comparisons.push(await made(python, 10, seed, folder, 'within'));
      comparisons.push(await made(python, 5, seed, folder, 'moved'));
    }
    for (const one of comparisons) {
      one.json = path.join(folder, `${comparisons.indexOf(one)}.json`);
      writeFileSync(one.json, JSON.stringify(await compared(one.base, one.new)));
    }
    const list = path.join(folder, 'comparisons.json');
    writeFileSync(list, JSON.stringify(comparisons));
    return rows(JSON.parse(await run(python, [path.join(scripts, 'recompute.py'), list])));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Python with NumPy and SciPy, in an environment of its own that is kept. */
async function interpreter() {
  const environment = await once('recomputation-venv', 'install NumPy and SciPy', async (made) => {
    await run('python3', ['-m', 'venv', made]);
    await run(path.join(made, 'bin/python'), ['-m', 'pip', 'install', '--quiet', 'numpy', 'scipy']);
  });
  return path.join(environment, 'bin/python3');
}

const parts = () =>
  once('parts', 'build parts', (program) => run('gcc', ['-O2', '-g', source('parts.c'), '-o', program]));

async function commands(name) {
  if (name === 'sqlite')
    return [
      [await sqlite(), '8'],
      [await sqlite(), '9'],
    ];
  const program = await parts();
  return [[program], name === 'parts' ? [program] : [program, '0', '10']];
}

/** Both sides in turns. */
async function recorded(name, k, folder) {
  const [base, other] = await commands(name);
  const files = ['base', 'new'].map((side) => path.join(folder, `${name}-${k}-${side}.pb.gz`));
  const sides = ['--output-base', files[0], '--output-new', files[1]];
  await run(engine, ['compare-commands', '--repeat', String(k), ...sides, '--', ...base, ':::', ...other]);
  return { name: `${name}, ${k} in turns`, base: [files[0]], new: [files[1]] };
}

/** Files of one execution each, all of base before all of new. */
async function apart(k, folder) {
  const [command] = await commands('parts');
  const { apart: files } = await recordings({ apart: command }, 2 * k, folder);
  return { name: `parts, ${k} after ${k}`, base: files.slice(0, k), new: files.slice(k) };
}

async function made(python, k, seed, parent, ...kind) {
  const folder = path.join(parent, ['made', k, seed, ...kind].join('-'));
  mkdirSync(folder);
  await run(python, [path.join(scripts, 'generate.py'), folder, String(seed), String(k), ...kind]);
  const files = (side) => Array.from({ length: k }, (_, number) => path.join(folder, `${side}-${number}.pb.gz`));
  return { name: `generated ${[...kind, seed].join(' ')}, ${k} each`, base: files('base'), new: files('new') };
}

function rows({ comparisons, rows: tested, figures, verdicts, overruled, judged, largest, unknown, flips }) {
  const worst = Math.max(...Object.values(largest));
  const each = Object.entries(largest).map(([name, value]) => `${name} ${value.toExponential(1)}`);
  for (const flip of flips) console.log(`  ${flip}`);
  return [
    {
      what: `${comparisons} comparisons, ${figures} figures of ${tested} self times and totals: largest relative disagreement`,
      goal: `≤ ${AGREEMENT.toExponential(0)}`,
      value: `${worst.toExponential(1)} (${each.join(', ')})`,
      ok: figures > 0 && worst <= AGREEMENT,
    },
    {
      what: `${verdicts} verdicts (${judged.moved} moved; of totals against the whole ${judged['moved-within']} moved within, ${judged.noise} noise, ${judged.kept} kept), of which another rule decides ${overruled}: different`,
      goal: '0',
      value: String(flips.length),
      ok: flips.length === 0,
    },
    {
      what: 'self times and totals that were not recomputed: several functions of one name',
      goal: '≤ 1 %',
      value: `${unknown.length} of ${tested + unknown.length}`,
      ok: unknown.length <= 0.01 * (tested + unknown.length),
    },
  ];
}
