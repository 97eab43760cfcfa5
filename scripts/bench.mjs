// npm run bench [-- NAME…] [--write]: measures what docs/benchmarks.md promises. --write puts the result there, each
// section as soon as it is measured. `hostile` stands for all of hostile/….
import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { inRoot } from './steps/paths.mjs';
import { isMain, main, Sentence } from './steps/report.mjs';

const benches = {
  overhead: '../bench/overhead.mjs',
  stacks: '../bench/stacks.mjs',
  'unwind-agreement': '../bench/unwind-agreement.mjs',
  accuracy: '../bench/accuracy.mjs',
  lines: '../bench/lines.mjs',
  cost: '../bench/cost.mjs',
  waiting: '../bench/waiting.mjs',
  latency: '../bench/latency.mjs',
  calls: '../bench/calls.mjs',
  'system-calls': '../bench/system-calls.mjs',
  'beside/allocations': '../bench/beside/allocations.mjs',
  'beside/system-calls': '../bench/beside/system-calls.mjs',
  'beside/waits': '../bench/beside/waits.mjs',
  'beside/calls': '../bench/beside/calls.mjs',
  'run-sizes': '../bench/run-sizes.mjs',
  mappings: '../bench/mappings.mjs',
  starters: '../bench/starters.mjs',
  'bare-code': '../bench/bare-code.mjs',
  'short-lives': '../bench/short-lives.mjs',
  saved: '../bench/saved.mjs',
  'error-rates': '../bench/error-rates.mjs',
  recomputation: '../bench/recomputation.mjs',
  'same-program': '../bench/same-program.mjs',
  'known-change': '../bench/known-change.mjs',
  compare: '../bench/compare.mjs',
  demangling: '../bench/demangling.mjs',
  'large-binary': '../bench/large-binary.mjs',
  'large-profile': '../bench/large-profile.mjs',
  'large-graph': '../bench/large-graph.mjs',
  'flame-graph': '../bench/flame-graph.mjs',
  timeline: '../bench/timeline.mjs',
  colours: '../bench/colours.mjs',
  activation: '../bench/activation.mjs',
  faults: '../bench/faults.mjs',
  'hostile/races': '../bench/hostile/races.mjs',
  'hostile/programs': '../bench/hostile/programs.mjs',
  'hostile/files': '../bench/hostile/files.mjs',
};
const page = inRoot('docs/benchmarks.md');

async function bench() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
  const known = Object.keys(benches);
  const meant = (name) => known.filter((one) => one === name || one.startsWith(`${name}/`));
  const unknown = positionals.filter((name) => meant(name).length === 0);
  if (unknown.length > 0)
    throw new Sentence(`No such measurement: ${unknown.join(', ')}. There are ${known.join(', ')}.`);
  const names = positionals.length > 0 ? positionals.flatMap(meant) : known;
  for (const name of names) {
    const { title, measure } = await import(benches[name]);
    console.log(`\n${title}`);
    const rows = [];
    // Rows may come one by one, hours apart: what was measured until then is on the terminal whatever happens.
    for await (const row of await measure()) {
      console.log(
        `  ${row.ok ? 'ok  ' : row.ok === undefined ? '?   ' : 'MISS'}  ${row.what}: ${row.value} (goal ${row.goal})`,
      );
      rows.push(row);
    }
    if (values.write) await writeSection(name, title, rows);
    if (rows.some((row) => row.ok === false)) process.exitCode = 1;
  }
}

/** Undefined: what was measured varied too much. */
const verdicts = { true: 'reached', false: '**missed**', undefined: 'not decided' };

/** Replaces the section of one measurement, which stands between two comments, or adds it at the end. */
async function writeSection(name, title, rows) {
  const table = rows.map(({ what, goal, value, ok }) => `| ${what} | ${goal} | ${value} | ${verdicts[ok]} |`);
  const machine = `${os.cpus().length} × ${os.cpus()[0].model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Linux ${os.release()}, ${new Date().toISOString().slice(0, 10)}`;
  const section = [
    `<!-- ${name} -->`,
    `## ${title}\n`,
    `\`npm run bench -- ${name}\` on ${machine}. Median (lowest to highest).\n`,
    '| what | goal | measured | |\n|---|---|---|---|',
    ...table,
    `<!-- end of ${name} -->`,
  ].join('\n');
  const text = await readFile(page, 'utf8');
  const old = new RegExp(`<!-- ${name} -->[^]*<!-- end of ${name} -->`);
  await writeFile(page, old.test(text) ? text.replace(old, () => section) : `${text.trimEnd()}\n\n${section}\n`);
}

if (isMain(import.meta)) main(bench);
