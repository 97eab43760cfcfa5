// Whether C++ names are right: every mangled symbol of large libraries, compared with what GNU c++filt makes of it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { cargoBuilt, helper } from '../scripts/steps/paths.mjs';
import { Sentence } from '../scripts/steps/report.mjs';

export const title = 'C++ names compared with c++filt';

/** The least share of names that are the same, in percent. */
const goal = 99.9;
const system = '/usr/lib/x86_64-linux-gnu';
const duckdb = 'duckdb==1.4.1';

export async function* measure() {
  await run('cargo', ['build', '--release', '--locked', '-p', 'symbolize', '--example', 'cpp_names'], { cwd: helper });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    for (const { what, file } of await libraries(folder)) yield compared(what, symbolsOf(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function libraries(folder) {
  await run('python3', [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--no-deps',
    '--only-binary',
    ':all:',
    '-d',
    folder,
    duckdb,
  ]);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  await run('python3', ['-m', 'zipfile', '-e', path.join(folder, wheel), folder]);
  const module = readdirSync(folder).find((name) => name.endsWith('.so'));
  return [
    { what: 'libstdc++', file: (await run('g++', ['-print-file-name=libstdc++.a'])).trim() },
    { what: 'LLVM', file: installed(/^libLLVM-?[\d.]+\.so(\.1)?$/, 'llvm') },
    { what: 'Clang', file: installed(/^libclang-cpp\.so\.[\d.]+$/, 'libclang-cpp14') },
    { what: `DuckDB (${duckdb})`, file: path.join(folder, module) },
  ];
}

function installed(pattern, debianPackage) {
  const name = readdirSync(system).find((one) => pattern.test(one));
  if (!name) throw new Sentence(`No file in ${system} matches ${pattern}. Install it: apt install ${debianPackage}`);
  return path.join(system, name);
}

/** Of the symbol table and of the dynamic one, each once. */
function symbolsOf(file) {
  const names = new Set();
  for (const table of [[], ['--dynamic']]) {
    // Without symbols, nm fails; the other table has them.
    const { stdout } = spawnSync('nm', [...table, file], { encoding: 'utf8', maxBuffer: 2 ** 30 });
    for (const line of stdout.split('\n')) {
      const name = line.split(' ').at(-1).split('@')[0];
      if (name.startsWith('_Z')) names.add(name);
    }
  }
  return [...names].sort();
}

function compared(what, symbols) {
  const ours = through(cargoBuilt('examples/cpp_names'), symbols);
  // We leave out what a compiler appends to copies of a function.
  const theirs = through('c++filt', symbols).map((name) => name.replace(/ \[clone [^\]]*\]/g, ''));
  const counts = { equal: 0, unread: 0 };
  for (const [index, symbol] of symbols.entries()) {
    const kind = kindOf(symbol, ours[index], theirs[index]);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  const { equal, unread, ...others } = counts;
  const share = (100 * equal) / symbols.length;
  return {
    what: `names of ${what}`,
    goal: `≥ ${goal} % equal, none unread`,
    value: [
      `${share.toFixed(2)} % of ${symbols.length}`,
      `${unread} unread`,
      ...Object.entries(others).map(([kind, count]) => `${count} ${kind}`),
    ].join(', '),
    ok: share >= goal && unread === 0,
  };
}

function kindOf(symbol, ours, theirs) {
  if (ours === theirs) return 'equal';
  if (ours === symbol) return 'unread';
  const withoutEmptyPacks = theirs.replaceAll(/<, /g, '<').replaceAll(/(, )+(?=, |\)|>)/g, '');
  if (ours === withoutEmptyPacks) return 'with a comma of an empty pack there';
  if (/Ut\d*_D\dEv$/.test(symbol)) return 'destructors of a class without a name';
  return 'different';
}

function through(program, symbols) {
  const { stdout, status } = spawnSync(program, { input: symbols.join('\n'), encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Sentence(`${program} failed.`);
  return stdout.split('\n');
}
