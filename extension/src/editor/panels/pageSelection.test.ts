import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  EMPTY_SELECTION,
  type SelectionHostMessage,
  type ShownTimelineRequest,
} from '../../../../core/selectionMessages.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { OpenRun } from '../../engine/openProfiles.ts';
import { fileRun } from '../../engine/runRef.ts';
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
  const run = new OpenRun(client as never, fileRun('/a.pb.gz'), options);
  const posted: SelectionHostMessage[] = [];
  const post = (message: SelectionHostMessage) => posted.push(message);
  const page = new PageSelection(run, { selections: new RunSelections(), post });
  const request: ShownTimelineRequest = {
    ...{ fromNs: 1, toNs: 2, columns: 3, first: 4, count: 5 },
    order: 'time',
  };
  await page.answer({ type: 'timeline', request });
  assert.deepEqual(posted, [{ type: 'timelineFailed', request, message: 'The run is gone.' }]);
  page.dispose();
});

test('where nobody knows the samples the page hears values alone, of the run and of a part of it', async () => {
  const values = [{ type: 'inuse_space', unit: 'bytes', samplesUnknown: true }];
  const opened = { run: 1, values, defaultValue: 0, totalSamples: 0, totalValue: 8192, runtimes: [] };
  const part = { run: 2, samples: 0, value: 4096, runSamples: 0, runValue: 8192, notice: '', samplesUnknown: true };
  const client = {
    generation: 0,
    request: async (body: object) => ('openRun' in body ? { runOpened: opened } : { selected: part }),
  };
  const options = { workspaceFolders: [], sourcePrefixes: [], demangle: 'recorded' } as const;
  const run = new OpenRun(client as never, fileRun('/a.pb.gz'), options);
  const posted: SelectionHostMessage[] = [];
  const selections = new RunSelections();
  const post = (message: SelectionHostMessage) => posted.push(message);
  const page = new PageSelection(run, { selections, post });
  await page.follow();
  selections.select(fileRun('/a.pb.gz'), { ...EMPTY_SELECTION, threads: ['io'] }, false);
  await page.follow();
  const told = posted.map(
    (message) => message.type === 'selected' && [message.samples, message.runSamples, message.value],
  );
  assert.deepEqual(told[0], [undefined, undefined, 8192]);
  assert.deepEqual(told.at(-1), [undefined, undefined, 4096]);
  page.dispose();
});
