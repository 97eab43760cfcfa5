// The saved runs of a workspace, on disk.
import { readdirSync } from 'node:fs';
import path from 'node:path';

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
