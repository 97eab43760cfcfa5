// The client against engines that misbehave: real processes that answer with bytes of our choosing.
import assert from 'node:assert/strict';
import test from 'node:test';
import { wire } from '../../../core/wire.ts';
import { EngineClient } from './engineClient.ts';
import type { EngineFailure } from './failure.ts';
import { frame } from './frames.ts';

const reply = (properties: Parameters<typeof wire.Reply.encode>[0]) => frame(wire.Reply.encode(properties).finish());
const welcome = reply({ id: 1, final: true, welcome: { protocol: 1, engineVersion: 'test' } });

/** A client whose engine writes `answers` in order, one per chunk of input, then runs `after`. */
function clientOf(t: { after(step: () => void): void }, answers: readonly Uint8Array[], after = '') {
  const texts = JSON.stringify(answers.map((answer) => Buffer.from(answer).toString('base64')));
  const script = `
    const answers = ${texts};
    process.stdin.on('data', () => {
      const answer = answers.shift();
      if (answer !== undefined) process.stdout.write(Buffer.from(answer, 'base64'));
      else { ${after} }
    });
    process.stdin.on('end', () => process.exit(0));`;
  const client = new EngineClient({ command: () => process.execPath, args: ['-e', script], log: () => {} });
  t.after(() => client.dispose());
  return client;
}
const together = (...frames: Uint8Array[]) => Uint8Array.from(frames.flatMap((bytes) => [...bytes]));
const kindOf = (kind: string) => (error: EngineFailure) => error.kind === kind;

test('the final reply with the right id is the answer', async (t) => {
  const answer = reply({ id: 2, final: true, runs: { runs: [{ path: 'a.pb.gz', samples: 2 ** 40 }] } });
  const client = clientOf(t, [welcome, answer]);
  const { runs } = await client.request({ listRuns: { directory: '/x' } });
  assert.equal(runs?.runs[0]?.samples, 2 ** 40);
});

test('replies before the final one are parts', async (t) => {
  const part = reply({ id: 2, recordingProgress: { samples: 7 } });
  const client = clientOf(t, [welcome, together(part, part, reply({ id: 2, final: true, done: {} }))]);
  const parts: number[] = [];
  await client.request({ record: {} }, { onPart: (got) => parts.push(got.recordingProgress?.samples ?? -1) });
  assert.deepEqual(parts, [7, 7]);
});

test('a failure is thrown with its kind, message and advice', async (t) => {
  const words = { message: 'No file a.', advice: 'Look again.' };
  for (const [sent, kind] of [
    [wire.Failure.Kind.NOT_FOUND, 'not-found'],
    [wire.Failure.Kind.NOTHING_TO_COMPARE, 'nothing-to-compare'],
    [99 as typeof wire.Failure.Kind.INTERNAL, 'internal'],
  ] as const) {
    const failure = { kind: sent, ...words };
    const client = clientOf(t, [welcome, reply({ id: 2, final: true, failure })]);
    await assert.rejects(client.request({ openRun: { run: { file: 'a' } } }), { kind, ...words });
  }
});

test('another version of the protocol is one sentence', async (t) => {
  const client = clientOf(t, [reply({ id: 1, final: true, welcome: { protocol: 9 } })]);
  await assert.rejects(client.request({ doctor: {} }), /uses protocol version 9; this extension needs 1/);
});

test('a crash fails what was asked and the next request starts the engine again', async (t) => {
  const client = clientOf(t, [welcome], 'process.kill(process.pid, "SIGKILL")');
  await assert.rejects(client.request({ doctor: {} }), /killed by SIGKILL/);
  assert.equal(client.generation, 1);
  await assert.rejects(client.request({ doctor: {} }), kindOf('engine-ended'));
  assert.equal(client.generation, 2);
});

test('an engine that crashes at every start is left alone after three times', async (t) => {
  const client = clientOf(t, [], 'process.exit(9)');
  for (let time = 0; time < 3; time++) await assert.rejects(client.request({ doctor: {} }), /exited with code 9/);
  await assert.rejects(client.request({ doctor: {} }), /stopped 3 times within a minute/);
});

test('a missing engine is a failure, not a crash', async (t) => {
  const client = new EngineClient({ command: () => '/nonexistent/lineheat', log: () => {} });
  t.after(() => client.dispose());
  await assert.rejects(client.request({ doctor: {} }), /cannot be started: .*ENOENT/);
});

test('an engine that does not answer is stopped', async (t) => {
  const client = clientOf(t, [welcome]);
  await assert.rejects(client.request({ doctor: {} }, { timeoutMs: 50 }), kindOf('timeout'));
});

test('a cancelled request rejects at once and its late answer is dropped', async (t) => {
  const done = (id: number) => reply({ id, final: true, done: {} });
  const client = clientOf(t, [welcome, done(2), Uint8Array.of(), together(done(3), done(4))]);
  await client.request({ doctor: {} });
  const abort = new AbortController();
  const cancelled = client.request({ doctor: {} }, { signal: abort.signal });
  setTimeout(() => abort.abort(), 30);
  await assert.rejects(cancelled, kindOf('cancelled'));
  assert.ok((await client.request({ doctor: {} })).done);
});

const hostile: Record<string, Uint8Array> = {
  'an endless frame': Uint8Array.of(0xff, 0xff, 0xff, 0xff),
  'no protobuf': frame(Uint8Array.of(0xff, 0xff, 0xff)),
  'a string that is not UTF-8': frame(Uint8Array.of(0x1a, 3, 0x12, 1, 0xff)),
  'columns of different length': reply({ id: 2, final: true, fileHeat: { line: [1, 2], selfSamples: [1] } }),
  'lines out of order': reply({
    id: 2,
    final: true,
    fileHeat: {
      line: [2, 1],
      selfSamples: [1, 1],
      totalSamplesOfLine: [1, 1],
      selfValue: [1, 1],
      totalValueOfLine: [1, 1],
      changed: [false, false],
    },
  }),
};
for (const [name, bytes] of Object.entries(hostile)) {
  test(`${name}: the engine is stopped, the request fails, the client lives`, async (t) => {
    const client = clientOf(t, [welcome, bytes]);
    await assert.rejects(client.request({ doctor: {} }), /violates the protocol/);
    assert.equal(client.pid, undefined);
  });
}

test('ten thousand mutated replies neither hang nor crash the client', () => {
  const heat = { line: [1, 5], selfSamples: [1, 2], totalSamplesOfLine: [1, 2], selfValue: [1, 2] };
  const good = reply({ id: 2, final: true, fileHeat: { ...heat, totalValueOfLine: [1, 2], changed: [true, false] } });
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
  for (let turn = 0; turn < 10_000; turn++) {
    const bytes = Uint8Array.from(good.subarray(4));
    for (let flips = 1 + random(4); flips > 0; flips--) bytes[random(bytes.length)] = random(256);
    try {
      wire.Reply.decode(bytes.subarray(0, 1 + random(bytes.length)));
    } catch (error) {
      assert.ok(error instanceof Error);
    }
  }
});

/** An engine that pushes a number, and the next only once that was seen; then says what it was asked to end. */
const pushing = `
  const exported = async (url) => ((module) => module.default ?? module)(await import(url));
  const { wire } = await exported(process.env.WIRE);
  const { frame } = await exported(process.env.FRAMES);
  const say = (reply) => process.stdout.write(frame(wire.Reply.encode(reply).finish()));
  let read = Buffer.alloc(0);
  let watch = 0;
  let told = 0;
  const push = () => say({ id: watch, newest: true, recordingProgress: { samples: ++told } });
  process.stdin.on('data', (bytes) => {
    read = Buffer.concat([read, bytes]);
    while (read.length >= 4 && read.length >= 4 + read.readUInt32LE(0)) {
      const end = 4 + read.readUInt32LE(0);
      const { id, hello, watchRuns, seen, unwatch, doctor } = wire.Request.decode(read.subarray(4, end));
      read = read.subarray(end);
      if (hello) say({ id, final: true, welcome: { protocol: 1 } });
      if (doctor) say({ id, final: true, doctor: {} });
      if (watchRuns) (watch = id), push();
      if (seen?.id === watch && told < 3) push();
      if (unwatch) say({ id: unwatch.id, final: true, done: {} }), say({ id, final: true, done: {} });
    }
  });`;

test('what the engine says by itself comes one at a time, again from the next engine, and no more after the end', async (t) => {
  const env = {
    WIRE: new URL('../../../core/wire.ts', import.meta.url).href,
    FRAMES: new URL('./frames.ts', import.meta.url).href,
  };
  Object.assign(process.env, env);
  const args = ['--import', 'tsx', '--input-type=module', '-e', pushing];
  const client = new EngineClient({ command: () => process.execPath, args, log: () => {} });
  t.after(() => client.dispose());
  const told: number[] = [];
  let atWork = 0;
  const until = async (count: number) => {
    while (told.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const watch = client.watch({
    body: { watchRuns: { directory: '/x' } },
    onNews: async (reply) => {
      assert.equal(++atWork, 1, 'the next came before this was done');
      await new Promise((resolve) => setTimeout(resolve, 20));
      atWork--;
      told.push(reply.recordingProgress!.samples);
    },
    onFailure: (failure) => assert.fail(failure.message),
  });
  assert.equal(client.generation, 0, 'to watch starts no engine');
  await client.request({ doctor: {} });
  await until(3);
  assert.deepEqual(told, [1, 2, 3]);
  process.kill(client.pid!, 'SIGKILL');
  while (client.pid !== undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  await client.request({ doctor: {} });
  await until(6);
  assert.deepEqual(told.slice(3), [1, 2, 3]);
  watch.dispose();
  await client.request({ doctor: {} });
  assert.equal(told.length, 6);
});
