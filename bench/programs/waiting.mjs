// Programs that wait, each at a known line: what `command()` gives builds and runs one.
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../scripts/steps/command.mjs';
import { inRoot } from '../../scripts/steps/paths.mjs';
import { built, once, source } from './build-folder.mjs';
import { needs, needsGo } from './other-languages.mjs';
import { pgbench } from './postgres.mjs';

export const starvingPool = inRoot('samples/rust-rayon/examples/one-long-piece.rs');
export const feed = source('feed.ml');
export const journal = source('go-journal/main.go');

/** A pool of 4 threads that waits for one of them, three times. */
export async function starvingPoolCommand() {
  const program = await once('one-long-piece', 'build one-long-piece', async (whole) => {
    const settings = ['--release', '--config', 'profile.release.debug=1', '--target-dir', built('word-count')];
    await run('nice', ['cargo', 'build', ...settings, '--example', 'one-long-piece'], {
      cwd: inRoot('samples/rust-rayon'),
    });
    await cp(built('word-count/release/examples/one-long-piece'), whole);
  });
  return ['env', 'RAYON_NUM_THREADS=4', program, '3'];
}

export async function feedCommand() {
  const program = await once('feed/feed', 'build feed', async (whole) => {
    needs('ocamlopt', 'apt-get install --no-install-recommends ocaml-nox');
    const folder = built('feed');
    await mkdir(folder, { recursive: true });
    await cp(feed, path.join(folder, 'feed.ml'));
    const libraries = ['-I', '+unix', '-I', '+threads', 'unix.cmxa', 'threads.cmxa'];
    await run('ocamlopt', ['-g', ...libraries, 'feed.ml', '-o', whole], { cwd: folder });
  });
  return [program, '50'];
}

export async function journalCommand() {
  const program = await once('journal', 'build journal', (whole) => {
    needsGo();
    return run('nice', ['go', 'build', '-o', whole, '.'], { cwd: source('go-journal') });
  });
  return [program, built('journal.txt'), '60'];
}

/** PostgreSQL where a transaction ends when the disk has it. */
export const durablePostgres = async () => ['env', 'FSYNC=on', ...(await pgbench(1, { clients: 2, rate: 200 }))];
