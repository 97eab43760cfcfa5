// Writes what is selected of a run as a run of its own, beside it.
import { existsSync } from 'node:fs';
import { chipsOf } from '../../../core/selectionChips.ts';
import type { OpenRun } from '../engine/openProfiles.ts';
import { fileOf } from '../engine/runRef.ts';
import type { RunSelections } from './runSelections.ts';

/** The path of the file; throws EngineFailure when it cannot be written. */
export async function saveSelection(run: OpenRun, selections: RunSelections): Promise<string> {
  const { selection } = selections.get(run.ref);
  const words = chipsOf(selection, () => undefined)
    .map(({ text }) => text)
    .join(', ');
  const path = freePath(fileOf(run.ref));
  await run.request((handle) => ({ saveRun: { run: handle, path, words } }));
  return path;
}

/** `run-part-1.pb.gz` beside `run.pb.gz`, or the next number that is free. */
function freePath(run: string): string {
  const stem = run.replace(/(\.pb)?(\.gz)?$|\.pprof$/, '');
  for (let number = 1; ; number++) {
    const path = `${stem}-part-${number}.pb.gz`;
    if (!existsSync(path)) return path;
  }
}
