// The listing with a program in place of the engine that prints the arguments it was given.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { EMPTY_SELECTION, type ShownSelection } from '../../../../core/selectionMessages.ts';
import { wire } from '../../../../core/wire.ts';
import type { EngineClient } from '../../engine/engineClient.ts';
import { OpenRun } from '../../engine/openProfiles.ts';
import { RunEngines } from '../../engine/runEngines.ts';
import { fileRun } from '../../engine/runRef.ts';
import { type ListingOf, selectedListing } from './selectedListing.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-listing-'));
const engine = path.join(folder, 'engine');
writeFileSync(engine, '#!/bin/sh\nfor argument; do echo "$argument"; done\n', { mode: 0o700 });
after(() => rmSync(folder, { recursive: true }));

/** `parse` is a function of two modules, `line` of one. */
const table = wire.FunctionTable.encode({
  frames: { strings: ['', 'parse', 'line', 'shop', 'libshop.so'], name: [1, 1, 2], module: [3, 4, 3] },
}).finish();
const asked: string[] = [];
const client = {
  generation: 1,
  request: async (body: object) => {
    asked.push(...Object.keys(body));
    return { runOpened: { run: 1, defaultValue: 0 }, view: { content: table } };
  },
} as unknown as EngineClient;
const options = { workspaceFolders: [], sourcePrefixes: [], demangle: 'recorded' } as const;
const run = new OpenRun(new RunEngines(client), fileRun('/runs/a.pb.gz'), options);

const argumentsOf = async (selection: Partial<ShownSelection>, how: Partial<ListingOf> = {}) => {
  const wanted = { run, selection: { ...EMPTY_SELECTION, ...selection }, options, recordedPath: 'shop.c', ...how };
  return (await selectedListing(engine, wanted)).trimEnd().split('\n');
};
const dropped = (name: string) => ({
  transforms: [{ kind: 'dropFunction', function: { name, module: 'shop' } } as const],
});

test('the listing is of what is selected, and nothing is asked of the engine for it', async () => {
  assert.deepEqual(await argumentsOf({}), ['annotate', '--', '/runs/a.pb.gz', 'shop.c']);
  const selection = { times: [{ fromNs: 5, toNs: 1e9 }], threads: ['io'] };
  assert.deepEqual(await argumentsOf(selection), [
    ...['annotate', '--time=0.000000005-1.000000000', '--thread=io'],
    ...['--', '/runs/a.pb.gz', 'shop.c'],
  ]);
  assert.deepEqual(asked, []);
});

test('the listing is of the measure that is shown', async () => {
  assert.deepEqual((await argumentsOf({}, { measure: 'alloc_space' }))[1], '--measure=alloc_space');
});

test('functions have the names that the editor shows', async () => {
  const flags = (await argumentsOf(dropped('line'), { options: { ...options, demangle: 'full' } })).slice(1, 3);
  assert.deepEqual(flags, ['--demangle=full', '--drop=line']);
});

test('a function that other modules have too is not mistaken for theirs', async () => {
  await assert.rejects(argumentsOf(dropped('parse')), /Drop: parse\. Functions of other modules have the same name/);
});
