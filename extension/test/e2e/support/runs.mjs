// The saved runs of a workspace, on disk.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { eventually } from './session.mjs';

/** The run files of a workspace, by name. */
export function savedRuns(folder) {
  const runs = path.join(folder, '.lineheat/runs');
  try {
    return readdirSync(runs)
      .filter((name) => name.endsWith('.pb.gz'))
      .map((name) => path.join(runs, name))
      .sort();
  } catch {
    return []; // nothing was recorded yet
  }
}

/**
 * Waits until a workspace has `count` runs and nothing is being recorded any more: a recording writes a checkpoint of
 * its run every second, and the last one when it ends.
 */
export async function recorded(page, folder, count) {
  await eventually(`${count} saved runs`, () => savedRuns(folder).length >= count, { timeoutMs: 240_000 });
  await page
    .locator('.statusbar-item')
    .filter({ hasText: 'Stop and Keep' })
    .waitFor({ state: 'detached', timeout: 120_000 });
}
