// Where the measured programs are built: bench/build/, kept, not in git. Nothing is built twice.
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from '../../scripts/steps/paths.mjs';
import { step } from '../../scripts/steps/report.mjs';

export const buildFolder = inRoot('bench/build');
export const built = (...parts) => path.join(buildFolder, ...parts);
export const source = (...parts) => inRoot('bench/targets', ...parts);

/** Makes a file of the build folder unless it is there. `make` gets the name to write, which becomes `file` when whole. */
export async function once(file, title, make) {
  const whole = built(file);
  if (existsSync(whole)) return whole;
  await mkdir(path.dirname(whole), { recursive: true });
  await step(title, () => make(`${whole}.part`));
  await rename(`${whole}.part`, whole);
  return whole;
}
