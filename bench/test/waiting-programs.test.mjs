// Programs in several languages that wait at lines which are known, under real BPF: `report --waits` names these lines.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { run } from '../../scripts/steps/command.mjs';
import { engine } from '../../scripts/steps/paths.mjs';
import {
  durablePostgres,
  feed,
  feedCommand,
  journal,
  journalCommand,
  starvingPool,
  starvingPoolCommand,
} from '../programs/waiting.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-waits-'));
after(() => rmSync(folder, { recursive: true }));

const skip = await run(engine, ['doctor']).then(
  () => false,
  () => 'this machine cannot record',
);

/** The rows of the table of waits of a program, longest first, and its waiting time: that of idle threads apart. */
async function waitsOf(command) {
  const file = path.join(folder, 'run.pb.gz');
  await run(engine, ['record', '--output', file, '--', ...command]);
  const report = JSON.parse(await run(engine, ['report', file, '--waits', '--json', '--schema', '2']));
  const rows = report.waits.map((row) => ({ ...row, place: `${path.basename(row.at?.file ?? '')}:${row.at?.line}` }));
  return { rows, ns: (wanted) => rows.filter(wanted).reduce((sum, row) => sum + row.waitedNs, 0) };
}

const lineOf = (file, text) => {
  const line =
    1 +
    readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((row) => row.includes(text));
  return `${path.basename(file)}:${line}`;
};

test('Rust: the threads of a pool wait for work, the main thread for the pool', { skip }, async () => {
  const { rows, ns } = await waitsOf(await starvingPoolCommand());
  const starving = rows.find((row) => /^<?rayon_core::/.test(row.at?.function ?? ''));
  assert.ok(starving, JSON.stringify(rows, null, 1));
  assert.equal(starving.reason, 'condition');
  assert.ok(starving.threads >= 3 && !starving.idle, JSON.stringify(starving));
  const inMain = (row) => row.at?.function === 'one_long_piece::main';
  const mainNs = ns((row) => inMain(row) && row.idle && row.place.startsWith(path.basename(starvingPool)));
  // Three of the four wait most of the time.
  assert.ok(starving.waitedNs > mainNs, `${starving.waitedNs} of ${mainNs}`);
});

test('OCaml: the wait is at its line, whichever stub of the runtime makes it', { skip }, async () => {
  const { rows, ns } = await waitsOf(await feedCommand());
  for (const [reason, text] of [
    ['condition', '(* the wait *)'],
    ['sleep', '(* the sleep *)'],
  ]) {
    const place = lineOf(feed, text);
    const atLine = ns((row) => row.reason === reason && row.place === place);
    // 50 times 10 ms.
    assert.ok(atLine > 450e6, `${reason} at ${place}: ${atLine} of ${JSON.stringify(rows, null, 1)}`);
  }
});

test('Go: what the disk takes is at the line that waits for it', { skip }, async () => {
  const { rows, ns } = await waitsOf(await journalCommand());
  const place = lineOf(journal, '// the disk');
  const disk = ns((row) => row.reason === 'disk');
  const atLine = ns((row) => row.reason === 'disk' && row.place === place);
  const waits = rows.filter((row) => row.place === place).reduce((sum, row) => sum + row.waits, 0);
  assert.ok(disk > 0 && atLine > 0.8 * disk, `${atLine} of ${disk}: ${JSON.stringify(rows, null, 1)}`);
  assert.ok(waits >= 60, `${waits} waits for 60 entries`);
});

test('PostgreSQL: a server waits for its disk when transactions end, for its clients else', { skip }, async () => {
  const { rows, ns } = await waitsOf(await durablePostgres());
  // The package of the distribution has the names of the server only.
  const disk = (row) => row.reason === 'disk' && row.at;
  const atCommit = ns((row) => disk(row) && /fsync|fdatasync|XLog/i.test(row.at.function));
  assert.ok(atCommit > 0.5 * ns(disk) && atCommit > 0, `${atCommit} of ${ns(disk)}: ${JSON.stringify(rows, null, 1)}`);
  const server = rows.find((row) => row.at?.function === 'WaitEventSetWait');
  assert.equal(server?.reason, 'poll', JSON.stringify(rows, null, 1));
});
