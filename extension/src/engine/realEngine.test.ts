// The client against the real engine, where it was built: opening, asking, failing, and living on after a crash.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { writeLargeProfile } from '../../../bench/pprof-writer.mjs';
import { EMPTY_SELECTION, type NameQuery } from '../../../core/selectionMessages.ts';
import { withFilter } from '../../../core/typedFilter.ts';
import { wire } from '../../../core/wire.ts';
import { engine } from '../../../scripts/steps/paths.mjs';
import { writeHeapProfile } from '../../test/e2e/support/heapProfile.mjs';
import { sharedMeasures } from '../heat/comparedMeasures.ts';
import { wireNameQuery, wireSelection } from '../selection/wireSelection.ts';
import { EngineClient } from './engineClient.ts';
import { enginePath } from './enginePath.ts';
import { EngineFailure } from './failure.ts';
import { demanglingOf, OpenComparison, OpenRun } from './openProfiles.ts';
import { RunEngines } from './runEngines.ts';
import { fileRun } from './runRef.ts';

const skip = fs.existsSync(engine) ? false : 'the engine is not built: run "npm run build"';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat-engine-'));
const runPath = path.join(folder, 'a.pb.gz');
const log: string[] = [];
const client = new EngineClient({ command: () => engine, log: (line) => log.push(line) });
before(() => writeLargeProfile(runPath, { samples: 2000, nodes: 500, locations: 200, functions: 50 }));
after(() => {
  client.dispose();
  fs.rmSync(folder, { recursive: true });
});

test('a profile opens, and both views and the heat of its files come', { skip }, async () => {
  const run = new OpenRun(new RunEngines(client), fileRun(runPath), {
    workspaceFolders: [folder],
    sourcePrefixes: [],
    demangle: 'recorded',
  });
  const opened = await run.opened();
  assert.ok(opened.totalSamples > 0);
  const { FLAME_GRAPH, FUNCTIONS } = wire.ViewRequest.Kind;
  for (const kind of [FLAME_GRAPH, FUNCTIONS]) {
    const reply = await run.request((id) => ({ view: { kind, run: id, value: opened.defaultValue } }));
    assert.ok(reply.view && reply.view.content.length > 0);
  }
  const file = opened.files[0];
  assert.ok(file, 'the profile names no source file');
  const body = (id: number) => ({ fileHeat: { run: id, path: file.path || file.recordedPath, hasText: false } });
  const { fileHeat } = await run.request(body);
  assert.ok(fileHeat && fileHeat.line.length > 0);
  run.close();
});

test('after a crash the next request reopens the run and gives the same answer', { skip }, async () => {
  const run = new OpenRun(new RunEngines(client), fileRun(runPath), {
    workspaceFolders: [folder],
    sourcePrefixes: [],
    demangle: 'recorded',
  });
  const functions = async () =>
    (await run.request((id) => ({ view: { kind: wire.ViewRequest.Kind.FUNCTIONS, run: id } }))).view!.content;
  const first = await functions();
  const { generation, pid } = client;
  process.kill(pid!, 'SIGKILL');
  assert.deepEqual(await functions(), first);
  assert.ok(client.generation > generation);
});

test('two runs compare', { skip }, async () => {
  const open = () =>
    new OpenRun(new RunEngines(client), fileRun(runPath), {
      workspaceFolders: [folder],
      sourcePrefixes: [],
      demangle: 'recorded',
    });
  const comparison = new OpenComparison(client, open(), open());
  const { baseTotal, newTotal } = await comparison.opened();
  assert.equal(baseTotal, newTotal);
  comparison.close();
});

test('two runs compare by a measure that is chosen, and by the usual one else', { skip }, async () => {
  const types = [
    ['alloc_space', 'bytes'],
    ['inuse_space', 'bytes'],
  ];
  const source = path.join(folder, 'keep.c');
  const heap = (name: string, values: number[]) => {
    const file = path.join(folder, name);
    writeHeapProfile(file, { source, types, lines: [{ line: 2, values }] });
    return new OpenRun(new RunEngines(client), fileRun(file), {
      workspaceFolders: [folder],
      sourcePrefixes: [],
      demangle: 'recorded',
    });
  };
  const compared = async (measure?: { type: string; unit: string }) => {
    const [base, current] = [heap('base.pb.gz', [4096, 100]), heap('new.pb.gz', [8192, 300])];
    const comparison = new OpenComparison(client, base, current, 0, measure);
    const { value, baseTotal, newTotal } = await comparison.opened();
    const shared = sharedMeasures(await base.opened(), await current.opened()).map(({ type }) => type);
    comparison.close();
    return [value?.type, baseTotal, newTotal, shared];
  };
  const both = ['alloc_space', 'inuse_space'];
  assert.deepEqual(await compared({ type: 'alloc_space', unit: 'bytes' }), ['alloc_space', 4096, 8192, both]);
  assert.deepEqual(await compared(), ['inuse_space', 100, 300, both]);
});

test('a typed filter is counted, and selects what it means', { skip }, async () => {
  const run = new OpenRun(new RunEngines(client), fileRun(runPath), {
    workspaceFolders: [folder],
    sourcePrefixes: [],
    demangle: 'recorded',
  });
  const matched = async (query: NameQuery) => {
    const reply = await run.requestWhole((id) => ({ matchNames: { run: id, ...wireNameQuery(query) } }));
    return reply.matchedNames!;
  };
  const all = await matched({ thing: 'function', text: '*', exact: false });
  assert.ok(all.count >= 50 && all.names.length === 5, JSON.stringify(all));
  const [name] = all.names;
  const one = await matched({ thing: 'function', text: name!, exact: true });
  assert.deepEqual([one.count > 0, one.names, one.problem], [true, [name], '']);
  const wrong = await matched({ thing: 'function', text: '/(/', exact: false });
  assert.equal(wrong.problem, '/(/ is no regular expression: unclosed group.');
  const whole = (await run.opened()).totals[0]!.samples;
  const samples = async (act: 'keep' | 'drop') => {
    const filter = { thing: 'function', meaning: 'name', act, text: name! } as const;
    const selection = withFilter(EMPTY_SELECTION, filter);
    assert.ok(typeof selection !== 'string');
    return (await run.select(wireSelection(selection))).totals[0]!.samples;
  };
  assert.equal((await samples('keep')) + (await samples('drop')), whole);
  run.close();
});

test('a thread is compared with the rest of its run, and comes back after a crash', { skip }, async () => {
  const path = fileURLToPath(new URL('../../../helper/tests/runs/threads.format-1.pb.gz', import.meta.url));
  const selection = { ...EMPTY_SELECTION, threads: ['worker-3'] };
  const open = (rest: boolean) =>
    new OpenRun(
      new RunEngines(client),
      { ...fileRun(path), part: { selection, rest } },
      { workspaceFolders: [], sourcePrefixes: [], demangle: 'recorded' },
    );
  const comparison = new OpenComparison(client, open(true), open(false));
  const told = async () => {
    const { partNames, sentence, baseExecutions, newExecutions } = await comparison.opened();
    return { partNames, sentence, samples: [baseExecutions, newExecutions].map(([one]) => one?.samples) };
  };
  const first = await told();
  assert.deepEqual(first.partNames, ['rest', 'selection']);
  assert.deepEqual(first.samples, [83, 42]);
  assert.match(first.sentence, /^The selection uses .* less CPU time per wall second than the rest; whether/);
  process.kill(client.pid!, 'SIGKILL');
  const functions = wire.ViewRequest.Kind.COMPARED_FUNCTIONS;
  const { view } = await comparison.request((id) => ({ view: { kind: functions, comparison: id } }));
  assert.ok(view && view.content.length > 0);
  assert.deepEqual(await told(), first);
  comparison.close();
});

test('a missing and a damaged file are failures with a sentence, and the engine lives', { skip }, async () => {
  const bad = path.join(folder, 'bad.pb.gz');
  fs.writeFileSync(bad, 'no gzip');
  for (const file of [bad, path.join(folder, 'missing.pb.gz')]) {
    await assert.rejects(
      new OpenRun(new RunEngines(client), fileRun(file), {
        workspaceFolders: [],
        sourcePrefixes: [],
        demangle: 'recorded',
      }).opened(),
      (error) => {
        assert.ok(error instanceof EngineFailure);
        assert.ok(error.message.includes(path.basename(file)), error.message);
        assert.notEqual(error.kind, 'engine-ended');
        return true;
      },
    );
  }
});

test('where there is no engine, the sentence names the platform', () => {
  assert.throws(
    () => enginePath(folder, 'darwin', 'arm64'),
    /runs on Linux only, but this extension host runs on darwin/,
  );
  assert.throws(() => enginePath(folder, 'linux', 'x64'), /This installation of Lineheat contains no engine for linux/);
});

test('a setting for names that is none leaves them as recorded', () => {
  assert.deepEqual(['full', 'none', 'toString', 5, undefined].map(demanglingOf), [
    'full',
    'none',
    'recorded',
    'recorded',
    'recorded',
  ]);
});

test('runs that come, are replaced and go are told without being asked for', { skip }, async () => {
  const runs = path.join(folder, 'project', '.lineheat', 'runs');
  const told: string[][] = [];
  const watch = client.watch({
    body: { watchRuns: { directory: runs } },
    onNews: ({ runsChanged }) => told.push(runsChanged!.written.map((run) => path.basename(run.path))),
    onFailure: (failure) => assert.fail(failure.message),
  });
  const next = async () => {
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    return told.splice(0).flat();
  };
  await client.request({ doctor: {} });
  fs.mkdirSync(runs, { recursive: true });
  assert.deepEqual(await next(), []);
  fs.copyFileSync(runPath, path.join(runs, 'b.pb.gz'));
  assert.deepEqual(await next(), ['b.pb.gz']);
  fs.rmSync(path.join(runs, 'b.pb.gz'));
  assert.deepEqual(await next(), []);
  watch.dispose();
  fs.copyFileSync(runPath, path.join(runs, 'c.pb.gz'));
  await client.request({ doctor: {} });
  assert.deepEqual(told, []);
});
