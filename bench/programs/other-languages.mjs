// The programs in Rust, OCaml, Go, D and Nim.
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { findProgram, run } from '../../scripts/steps/command.mjs';
import { helper, inRoot, rustTarget } from '../../scripts/steps/paths.mjs';
import { Sentence } from '../../scripts/steps/report.mjs';
import { buildFolder, built, once, source } from './build-folder.mjs';

/** The search program `rg` with full debug information, by `cargo install`. Some minutes of compiling. */
export async function ripgrep() {
  await once('ripgrep/installed', 'cargo install ripgrep, with debug information', async (mark) => {
    const profile = { CARGO_PROFILE_RELEASE_DEBUG: '2', CARGO_TARGET_DIR: built('ripgrep/target') };
    const args = ['install', 'ripgrep', '--version', '14.1.1', '--locked', '--root', built('ripgrep')];
    await run('nice', ['cargo', ...args], { cwd: buildFolder, env: profile });
    await run('touch', [mark]);
  });
  return built('ripgrep/bin/rg');
}

/** Our own engine with full debug information: 100 MB of DWARF. Some minutes of compiling. */
export function ownEngine() {
  return once('lineheat-debug/lineheat', 'build lineheat with full debug information', async (program) => {
    const target = built('lineheat-debug/target');
    const profile = { CARGO_PROFILE_RELEASE_DEBUG: '2', CARGO_TARGET_DIR: target };
    await run('nice', ['cargo', 'build', '--release', '--locked', '-p', 'lineheat'], { cwd: helper, env: profile });
    await cp(path.join(target, rustTarget, 'release/lineheat'), program);
  });
}

/** The sample with Rayon, with line tables. */
export async function wordCount() {
  await once('word-count/installed', 'build word-count', async (mark) => {
    const settings = ['--release', '--config', 'profile.release.debug=1', '--target-dir', built('word-count')];
    await run('nice', ['cargo', 'build', ...settings], { cwd: inRoot('samples/rust-rayon') });
    await run('touch', [mark]);
  });
  return built('word-count/release/word-count');
}

export function ocamlEncode() {
  return once('encode/encode', 'build encode', async (program) => {
    needs('ocamlopt', 'apt-get install --no-install-recommends ocaml-nox');
    // The compiler writes its intermediate files beside the source.
    const folder = built('encode');
    await mkdir(folder, { recursive: true });
    await cp(source('encode.ml'), path.join(folder, 'encode.ml'));
    await run('ocamlopt', ['-g', 'unix.cmxa', 'encode.ml', '-o', program], { cwd: folder });
  });
}

export function goWords() {
  return once('go-words', 'build words', (program) => {
    needsGo();
    return run('nice', ['go', 'build', '-o', program, '.'], { cwd: source('go') });
  });
}

/** The formatter of the installed Go, built from its sources, with line tables. */
export function gofmt() {
  return once('gofmt', 'build gofmt', (program) => {
    needsGo();
    return run('nice', ['go', 'build', '-o', program, 'cmd/gofmt']);
  });
}

/** Go's own sources: some 10,000 files. */
export async function goLibrary() {
  needsGo();
  return path.join((await run('go', ['env', 'GOROOT'])).trim(), 'src');
}

export function dAnagrams() {
  return once('anagrams', 'build anagrams', (program) => {
    needs('gdc', 'apt-get install --no-install-recommends gdc');
    return run('nice', ['gdc', '-O2', '-g', source('anagrams.d'), '-o', program]);
  });
}

export function nimFormulas() {
  return once('formulas', 'build formulas', (program) => {
    needs('nim', 'apt-get install --no-install-recommends nim');
    const options = ['-d:release', '--debugger:native', `--nimcache:${built('formulas-cache')}`, `--out:${program}`];
    return run('nice', ['nim', 'c', ...options, source('formulas.nim')]);
  });
}

export const needsGo = () => needs('go', 'apt-get install --no-install-recommends golang-go');

export function needs(program, command) {
  if (!findProgram(program))
    throw new Sentence(`\`${program}\` is needed to build this program and is not on PATH. On Debian: ${command}`);
}
