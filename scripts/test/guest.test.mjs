// How long a guest may take: as long as it goes on printing.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { ranWhileItPrints } from '../kernel-matrix/guest.mjs';

const silentLimitMs = 2000;

/** Runs a shell script that prints to \$0, and says how it ended. */
async function ran(script) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lineheat-guest-'));
  try {
    const file = path.join(folder, 'console');
    return await ranWhileItPrints('/bin/sh', ['-c', script, file], { files: [file], silentLimitMs, lookEveryMs: 50 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('a guest that prints now and then may take longer than the limit for a silent one', async () => {
  const script = 'for step in 1 2 3 4 5 6 7 8 9 10; do echo $step >> "$0"; sleep 0.3; done; exit 3';
  assert.equal(await ran(script), 'qemu ended with 3');
});

test('a guest that prints nothing more is ended, and that is said', async () => {
  assert.equal(await ran('echo once >> "$0"; exec sleep 1000'), 'ended by SIGTERM: it printed nothing for 2 s');
});
