// A pprof file that another profiler wrote opens as a flame graph with a table beside it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';
import { openFile } from '../../../scripts/editor/palette.mjs';
import { webviewWith } from '../../../scripts/editor/webview.mjs';
import { foreignProfile } from './support/foreign.mjs';
import { findFrame, searchFor } from './support/graph.mjs';
import { openEditor, storyOf } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-foreign-'));
const foreign = await foreignProfile(folder);
writeFileSync(path.join(folder, 'broken.pb.gz'), 'this is no gzip file');
let session;
const story = storyOf(() => session);
before(async () => {
  session = await openEditor(folder);
});
after(async () => {
  await session?.close();
  rmSync(folder, { recursive: true, force: true });
});

story('a CPU profile of Go opens from the Explorer and its hot function is found', async ({ page, picture }) => {
  await openFile(page, 'foreign.pb.gz');
  const graph = await webviewWith(page, '.graph canvas');
  assert.match(await searchFor(graph, foreign.name), /\d/);
  await findFrame(graph, (words) => words.includes(foreign.name));
  await picture('foreign');
});

story('a file that is no profile says so in a sentence', async ({ page, picture }) => {
  await openFile(page, 'broken.pb.gz');
  const panel = await webviewWith(page, '.message, [role=alert]');
  const words = await panel.locator('body').innerText();
  await picture('broken');
  assert.match(words, /gzip|pprof|profile/i);
});
