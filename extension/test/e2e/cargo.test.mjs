// A Cargo target through the palette: built with line tables, recorded, its hot line marked.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { decoratedLines } from '../../../scripts/editor/marks.mjs';
import { chooseFrom, openFile } from '../../../scripts/editor/palette.mjs';
import { recorded } from './support/runs.mjs';
import { eventually, storyIn } from './support/session.mjs';
import { copyOfSample } from './support/workspace.mjs';

const workspace = copyOfSample('rust-rayon');
const manifest = readFileSync(path.join(workspace.folder, 'Cargo.toml'), 'utf8');
const story = storyIn(workspace.folder, { remove: () => workspace.remove() });

story('a Cargo binary is built, recorded on all its threads, and its hot line is marked', async ({ page, picture }) => {
  await openFile(page, 'count.rs');
  await chooseFrom(page, 'Lineheat: Profile This Target', 'word-count');
  await recorded(page, workspace.folder, 1);
  const hot = await eventually(
    'heat on the counting line',
    async () =>
      (await decoratedLines(page)).find((row) => row.after.length > 0 && row.text?.includes('to_ascii_lowercase')),
    { timeoutMs: 60_000 },
  );
  assert.match(hot.after.join(' '), /%/);
  await picture('cargo');
});

test('the manifest of the project is as it was', () => {
  assert.equal(readFileSync(path.join(workspace.folder, 'Cargo.toml'), 'utf8'), manifest);
});
