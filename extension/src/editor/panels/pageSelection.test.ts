import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SelectionHostMessage, ShownTimelineRequest } from '../../../../core/selectionMessages.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { OpenRun } from '../../engine/openProfiles.ts';
import { RunSelections } from '../../selection/runSelections.ts';
import { PageSelection } from './pageSelection.ts';

test('a timeline that cannot be had names the request that it answers', async () => {
  const client = {
    generation: 0,
    request: async () => {
      throw new EngineFailure('not-found', 'The run is gone.');
    },
  };
  const options = { workspaceFolders: [], sourcePrefixes: [], demangle: 'recorded' } as const;
  const run = new OpenRun(client as never, '/a.pb.gz', options);
  const posted: SelectionHostMessage[] = [];
  const post = (message: SelectionHostMessage) => posted.push(message);
  const page = new PageSelection(run, { selections: new RunSelections(), post, refused: () => {} });
  const request: ShownTimelineRequest = {
    ...{ fromNs: 1, toNs: 2, columns: 3, first: 4, count: 5 },
    order: 'time',
  };
  await page.answer({ type: 'timeline', request });
  assert.deepEqual(posted, [{ type: 'timelineFailed', request, message: 'The run is gone.' }]);
  page.dispose();
});
