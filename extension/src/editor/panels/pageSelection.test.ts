import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  EMPTY_SELECTION,
  type SelectionHostMessage,
  type ShownTimelineRequest,
} from '../../../../core/selectionMessages.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { OpenRun } from '../../engine/openProfiles.ts';
import { RunEngines } from '../../engine/runEngines.ts';
import { fileRun } from '../../engine/runRef.ts';
import { RunMeasures } from '../../selection/runMeasures.ts';
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
  const run = new OpenRun(new RunEngines(client as never), fileRun('/a.pb.gz'), options);
  const posted: SelectionHostMessage[] = [];
  const post = (message: SelectionHostMessage) => posted.push(message);
  const page = new PageSelection(run, { selections: new RunSelections(), measures: new RunMeasures(), post });
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
  const opened = { run: 1, values, defaultValue: 0, totals: [{ samples: 0, value: 8192 }], runtimes: [] };
  const part = { run: 2, totals: [{ samples: 0, value: 4096 }], notice: '' };
  const client = {
    generation: 0,
    request: async (body: object) => ('openRun' in body ? { runOpened: opened } : { selected: part }),
  };
  const options = { workspaceFolders: [], sourcePrefixes: [], demangle: 'recorded' } as const;
  const run = new OpenRun(new RunEngines(client as never), fileRun('/a.pb.gz'), options);
  const posted: SelectionHostMessage[] = [];
  const selections = new RunSelections();
  const post = (message: SelectionHostMessage) => posted.push(message);
  const page = new PageSelection(run, { selections, measures: new RunMeasures(), post });
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

test('the page hears how much is selected of the measure that is shown, and again when another is chosen', async () => {
  const values = [
    { type: 'cpu', unit: 'nanoseconds', samplesUnknown: false },
    { type: 'inuse_space', unit: 'bytes', samplesUnknown: true },
  ];
  const totals = (...of: [number, number][]) => of.map(([samples, value]) => ({ samples, value }));
  const opened = { run: 1, values, defaultValue: 0, totals: totals([30, 30e6], [0, 4096]), runtimes: [] };
  const part = { run: 2, totals: totals([3, 3e6], [0, 1024]), notice: '' };
  const client = {
    generation: 0,
    request: async (body: object) => ('openRun' in body ? { runOpened: opened } : { selected: part }),
  };
  const options = { workspaceFolders: [], sourcePrefixes: [], demangle: 'recorded' } as const;
  const run = new OpenRun(new RunEngines(client as never), fileRun('/a.pb.gz'), options);
  const posted: SelectionHostMessage[] = [];
  const parts = { selections: new RunSelections(), measures: new RunMeasures() };
  const page = new PageSelection(run, { ...parts, post: (message: SelectionHostMessage) => posted.push(message) });
  const heard = async () => {
    const before = posted.length;
    while (posted.length === before) await new Promise((done) => setImmediate(done));
    const message = posted.at(-1)!;
    return message.type === 'selected' && [message.samples, message.value, message.runValue, message.unit];
  };
  parts.selections.select(fileRun('/a.pb.gz'), { ...EMPTY_SELECTION, threads: ['io'] }, false);
  assert.deepEqual(await heard(), [3, 3e6, 30e6, 'nanoseconds']);
  parts.measures.choose(fileRun('/a.pb.gz'), 1);
  assert.deepEqual(await heard(), [undefined, 1024, 4096, 'bytes']);
  page.dispose();
});

test('what a run does not have is refused on the page, and the selection of before is there again', async () => {
  const values = [{ type: 'cpu', unit: 'nanoseconds', samplesUnknown: false }];
  const opened = { run: 1, values, defaultValue: 0, totals: [{ samples: 1, value: 1 }], runtimes: [] };
  const client = {
    generation: 0,
    request: async (body: object) => {
      if ('openRun' in body) return { runOpened: opened };
      throw new EngineFailure('not-found', 'No thread is called io\u202e. Names: main.');
    },
  };
  const options = { workspaceFolders: [], sourcePrefixes: [], demangle: 'recorded' } as const;
  const run = new OpenRun(new RunEngines(client as never), fileRun('/a.pb.gz'), options);
  const posted: SelectionHostMessage[] = [];
  const selections = new RunSelections();
  const post = (message: SelectionHostMessage) => posted.push(message);
  const page = new PageSelection(run, { selections, measures: new RunMeasures(), post });
  selections.select(fileRun('/a.pb.gz'), { ...EMPTY_SELECTION, threads: ['io\u202e'] }, false);
  while (posted.length < 2) await new Promise((done) => setImmediate(done));
  const refusal = posted.find(({ type }) => type === 'selectionRefused');
  assert.deepEqual(refusal, {
    type: 'selectionRefused',
    message: 'No thread is called io\\u202e. Names: main.',
  });
  const last = posted.findLast(({ type }) => type === 'selected');
  assert.ok(last?.type === 'selected' && last.selection.threads.length === 0);
  page.dispose();
});
