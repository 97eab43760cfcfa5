// The text of a source that was saved with a run; undefined: the run has none.
import { expected, type OpenRun } from '../engine/openProfiles.ts';

export async function savedText(run: OpenRun, recordedPath: string): Promise<string | undefined> {
  const reply = await run.request((id) => ({ source: { run: id, recordedPath } }));
  const source = expected(reply.source, 'Source');
  return source.found ? source.text : undefined;
}
