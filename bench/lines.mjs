// Whether our chains of frames are those of `addr2line -i`, at random addresses of real programs' code.
import { run } from '../scripts/steps/command.mjs';
import { cargoBuilt, helper } from '../scripts/steps/paths.mjs';
import { programs } from './programs/programs.mjs';

export const title = 'Lines and inlined calls compared with addr2line -i';

/** Whose addr2line is asked: that of binutils 2.40 knows neither Go's nor LLVM's units well. */
const references = {
  sqlite: 'binutils',
  duckdb: 'binutils',
  ripgrep: 'llvm',
  'word-count': 'llvm',
  ocaml: 'binutils',
  go: 'llvm',
};

export async function measure({ addresses = 20_000, names = Object.keys(references) } = {}) {
  await run('cargo', ['build', '--release', '--locked', '-p', 'symbolize', '--example', 'compare_lines'], {
    cwd: helper,
  });
  const rows = [];
  for (const name of names) rows.push(await row(name, addresses));
  return rows;
}

async function row(name, addresses) {
  const [program] = await programs[name].command(0.1);
  const output = await run(cargoBuilt('examples/compare_lines'), [program, String(addresses), references[name]]);
  const classes = JSON.parse(output.trim().split('\n').at(-1));
  const sumOf = (isWanted) =>
    Object.entries(classes).reduce((sum, [kind, count]) => sum + (isWanted(kind) ? count : 0), 0);
  // Code without a line is the C library's start-up and padding.
  const total = sumOf((kind) => !kind.startsWith('no line'));
  // Those whose classes begin so have equal lines and inlined calls; what else they are called is told.
  const equal = sumOf((kind) => kind.startsWith('equal'));
  const share = (100 * equal) / total;
  const others = Object.entries(classes)
    .filter(([kind]) => kind !== 'equal')
    .map(([kind, count]) => `${count} ${kind}`);
  return {
    what: `${programs[name].what}, ${total} of ${addresses} addresses have a line, addr2line of ${references[name]}`,
    goal: '≥ 99.5 % equal',
    value: `${share.toFixed(2)} %${others.length > 0 ? `: ${others.join(', ')}` : ''}`,
    ok: share >= 99.5,
  };
}
