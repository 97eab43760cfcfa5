// A profile of memory: which of its measures the heat is of can be chosen, no text makes up a number of samples, and a file that
// is written anew is shown anew.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { decoratedLines } from '../../../scripts/editor/marks.mjs';
import { answer, chooseFrom, openFile, runCommand } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { writeHeapProfile } from './support/heapProfile.mjs';
import { eventually, storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-measures-'));
const source = path.join(folder, 'keep.c');
const runs = path.join(folder, '.lineheat/runs');
const KEPT = 'keep(malloc';
const DROPPED = 'free(malloc';
const MIB = 1 << 20;
const types = [
  ['alloc_space', 'bytes'],
  ['inuse_space', 'bytes'],
];

/** The kept line has 4 MiB, the other has allocated `dropped` and holds `held` of it. */
function write(dropped, held) {
  const lines = [
    { line: 2, values: [4 * MIB, 4 * MIB] },
    { line: 3, values: [dropped, held] },
  ];
  writeHeapProfile(path.join(folder, 'written.pb.gz'), { source, types, lines });
  renameSync(path.join(folder, 'written.pb.gz'), path.join(runs, 'keep.pb.gz'));
}

const story = storyIn(folder, {
  prepare: () => {
    mkdirSync(runs, { recursive: true });
    writeFileSync(source, `void work(void) {\n  ${KEPT}(4 << 20));\n  ${DROPPED}(12 << 20));\n}\n`);
    write(12 * MIB, 0);
  },
});

async function figures(page) {
  const rows = await decoratedLines(page);
  const of = (text) => rows.find((row) => row.text?.includes(text))?.after.join(' ') ?? '';
  return { kept: of(KEPT), dropped: of(DROPPED) };
}

story('the heat is of the measure that the file names, without a number of samples', async ({ page, picture }) => {
  await openFile(page, 'keep.c');
  await runCommand(page, 'Lineheat: Open Saved Run');
  await answer(page, 'keep');
  const { kept, dropped } = await eventually('the kept line hot', async () => {
    const now = await figures(page);
    return now.kept && now;
  });
  assert.match(kept, /100(\.0)? % self/);
  assert.doesNotMatch(kept, /sample/);
  assert.equal(dropped, '');
  await picture('measure-in-use');
});

story('another measure is chosen: both lines have figures of it, and the page shows the same', async (session) => {
  const { page, picture } = session;
  await chooseFrom(page, 'Lineheat: Show Another Measure…', 'allocated memory');
  const { kept } = await eventually('the other line hot', async () => {
    const now = await figures(page);
    return /75\.0 % self/.test(now.dropped) && now;
  });
  assert.match(kept, /25\.0 % self/);
  assert.match(await page.locator('.statusbar').innerText(), /allocated memory/);
  await runCommand(page, 'Lineheat: Show Flame Graph');
  const panel = await webviewWith(page, '.graph canvas');
  await eventually('a table in bytes', async () => /16\.0 MiB/.test(await panel.locator('body').innerText()));
  assert.doesNotMatch(await panel.locator('body').innerText(), /\d samples?/);
  await picture('measure-allocated');
});

story('the file is written anew, and what is shown is of the new one', async ({ page, picture }) => {
  write(4 * MIB, 4 * MIB);
  await eventually('half of the allocated memory on each line', async () => {
    const now = await figures(page);
    return /50\.0 % self/.test(now.dropped) && /50\.0 % self/.test(now.kept);
  });
  await picture('measure-rewritten');
});
