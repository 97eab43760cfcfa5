// Real programs under real BPF, at small sizes: whole stacks, and the function and the line where their time is known to be.
// The same programs at full size: npm run bench.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { run } from '../../scripts/steps/command.mjs';
import { engine } from '../../scripts/steps/paths.mjs';
import { programs } from '../programs/programs.mjs';
import { readRun, stackEnds } from '../run-file.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-programs-'));
after(() => rmSync(folder, { recursive: true }));

const cannotRecord = await run(engine, ['doctor']).then(
  () => false,
  () => 'this machine cannot record',
);

/** Records a program. `least` are shares of all samples: of whole stacks, of a function's total, of a line's total. */
function check(name, { size, options = [], least, hotFunction, hotLine }) {
  test(`${name}: stacks are whole, and its time stands where it is spent`, { skip: cannotRecord }, async () => {
    const file = path.join(folder, `${name}.pb.gz`);
    const command = await programs[name].command(size);
    await run(engine, ['record', ...options, '--output', file, '--', ...command]);

    const { info } = readRun(file);
    const { ends, total, rooted } = stackEnds(info);
    assert.ok(total >= 200, `${total} samples are too few to tell`);
    assert.ok(rooted >= least.rooted * total, `${rooted} of ${total} stacks are whole: ${JSON.stringify(ends)}`);
    const lost = info.losses.reduce((sum, loss) => sum + loss.count, 0);
    assert.equal(info.samples_taken, info.samples_kept + lost);

    const functions = await reported(file, '--functions');
    const found = functions.entries.filter((entry) => hotFunction.test(entry.name));
    assert.equal(found.length, 1, `${hotFunction} has ${found.length} rows`);
    assertShare(found[0], functions.totalSamples, least.function, hotFunction);
    if (hotLine) {
      const lines = await reported(file, '--lines');
      const line = numberOf(hotLine);
      const entry = lines.entries.find((one) => one.line === line && one.file.endsWith(path.basename(hotLine.file)));
      assertShare(entry, lines.totalSamples, least.line, `${hotLine.file}:${line}`);
    }
  });
}

async function reported(file, by) {
  const { totalSamples, functions, lines } = JSON.parse(
    await run(engine, ['report', file, by, '--json', '--limit', '100000']),
  );
  return { totalSamples, entries: functions ?? lines };
}

function assertShare(entry, totalSamples, least, what) {
  assert.ok(entry, `${what} is not in the report`);
  const share = entry.totalSamples / totalSamples;
  assert.ok(share >= least, `${what} has ${(100 * share).toFixed(1)} % of the samples`);
}

const numberOf = ({ file, text }) =>
  1 +
  readFileSync(path.join(import.meta.dirname, '../targets', file), 'utf8')
    .split('\n')
    .findIndex((row) => row.includes(text));

check('sqlite', {
  size: 0.06,
  // The line has 80 to 82 % of some 850 samples; chance moves that by 1.4 points, and four times as much is allowed.
  least: { rooted: 0.99, function: 0.6, line: 0.75 },
  hotFunction: /^sqlite3VdbeExec$/,
  hotLine: { file: 'sqlite.c', text: 'sqlite3_step(statement)' },
});

check('ocaml', {
  size: 0.06,
  least: { rooted: 0.99, function: 0.4, line: 0.15 },
  hotFunction: /^(Encode[.]encode|camlEncode__encode_\d+)$/,
  hotLine: { file: 'encode.ml', text: 'if check_each then check value' },
});

check('go', {
  size: 0.1,
  least: { rooted: 0.99, function: 0.2, line: 0.2 },
  hotFunction: /^main[.]work$/,
  hotLine: { file: 'go/main.go', text: 'results <- sorted(counted(piece))' },
});

check('postgres', {
  size: 0.1,
  least: { rooted: 0.98, function: 0.2 },
  hotFunction: /^PostgresMain$/,
});

check('deep', {
  size: 0.05,
  options: ['--max-frames', '1600'],
  least: { rooted: 0.98, function: 0.95, line: 0.95 },
  hotFunction: /^descend$/,
  hotLine: { file: 'deep.c', text: 'kept = descend(depth - 1' },
});

check('storm', {
  size: 0.3,
  // Many children end before their first sample: an inherited event begins a whole period at the fork.
  least: { rooted: 0.95, function: 0.1 },
  hotFunction: /^spin$/,
});
