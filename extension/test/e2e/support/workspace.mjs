// A workspace of a test: a copy of a sample in a folder of its own, so that nothing is left in the repository.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inRoot } from '../../../../scripts/steps/paths.mjs';

/** Copies `samples/NAME` without what was built in it. Gives { folder, remove() }. */
export function copyOfSample(name) {
  const base = mkdtempSync(path.join(os.tmpdir(), `lineheat-${name}-`));
  const folder = path.join(base, name);
  cpSync(inRoot('samples', name), folder, {
    recursive: true,
    filter: (file) => !/\/(build|target|\.lineheat)$/.test(file),
  });
  return { folder, remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }) };
}
