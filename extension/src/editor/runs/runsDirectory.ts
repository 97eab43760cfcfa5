// Where the runs of this workspace live.
import path from 'node:path';
import { workspaceFolderPaths } from '../workspaceFolders.ts';

/** Undefined when no folder is open. */
export function runsDirectory(): string | undefined {
  const [folder] = workspaceFolderPaths();
  return folder === undefined ? undefined : path.join(folder, '.lineheat', 'runs');
}
