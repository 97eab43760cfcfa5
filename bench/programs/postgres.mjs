// PostgreSQL as the distribution ships it (optimised, stripped), with a data folder of our own.
import { existsSync } from 'node:fs';
import { cp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../scripts/steps/command.mjs';
import { Sentence } from '../../scripts/steps/report.mjs';
import { buildFolder, built, once, source } from './build-folder.mjs';

const versions = '/usr/lib/postgresql';

/** The command that starts a cluster on a fresh copy of its data, lets pgbench work on it for so many seconds, and stops it.
 * `log`: what the names of files begin with that get the time of each transaction, if that is wanted. `rate`: transactions a second. */
export async function pgbench(seconds, { clients = 4, log = '', rate = '' } = {}) {
  const bin = await programs();
  const data = built('pgbench-run');
  await rm(data, { recursive: true, force: true });
  await cp(await dataFolder(bin), data, { recursive: true });
  return [...asOrdinaryUser(), source('pgbench.sh'), bin, data, String(seconds), String(clients), log, String(rate)];
}

async function programs() {
  const found = existsSync(versions) ? await readdir(versions) : [];
  const version = found.filter((name) => existsSync(path.join(versions, name, 'bin/pgbench'))).sort((a, b) => b - a)[0];
  if (!version)
    throw new Sentence(
      'PostgreSQL with pgbench is needed and not here. On Debian: apt-get install --no-install-recommends postgresql postgresql-contrib',
    );
  return path.join(versions, version, 'bin');
}

/** PostgreSQL refuses to run as root; in a user namespace it sees another id, and the kernel still sees the same user. */
const asOrdinaryUser = () =>
  process.getuid() === 0 ? ['unshare', '--user', '--map-user=1000', '--map-group=1000'] : [];

async function dataFolder(bin) {
  const folder = built('pgbench-data');
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  const [program, ...args] = [...asOrdinaryUser(), path.join(bin, 'initdb')];
  await run(program, [...args, '-D', part, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C']);
  await once('pgbench-filled', 'fill the tables of pgbench', async (mark) => {
    const [shell, ...rest] = [...asOrdinaryUser(), 'sh', source('pgbench-fill.sh')];
    await run(shell, [...rest, bin, part], { cwd: buildFolder });
    await run('touch', [mark]);
  });
  await rename(part, folder);
  return folder;
}
