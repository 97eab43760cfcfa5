// Stands for the extension host: a process that starts `lineheat serve`, asks it to record, and is then ended.
// As a program: host.mjs FOLDER COMMAND ARG…
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { engine, inRoot } from '../../scripts/steps/paths.mjs';
import { childrenOf, eventually, samplerOf, started, targetOf } from './recorded.mjs';

const wire = new protobuf.Root().loadSync(inRoot('protocol/wire.proto'));
const Request = wire.lookupType('lineheat.wire.Request');
const Reply = wire.lookupType('lineheat.wire.Reply');

export const runsFolder = (folder) => path.join(folder, '.lineheat/runs');

/** Starts a host whose engine records; gives { child, enginePid, sampler, target } once the target runs. */
export async function startHost(folder, command) {
  const host = started(process.execPath, [fileURLToPath(import.meta.url), folder, ...command], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  await eventually(() => host.text().includes('recording'));
  const enginePid = childrenOf(host.child.pid).find(({ name }) => name === 'lineheat')?.pid;
  const seen = enginePid ? { sampler: samplerOf(enginePid), target: targetOf(enginePid) } : {};
  return { ...host, enginePid, ...seen };
}

/** The runs of a folder as a new engine lists them. */
export async function listed(folder) {
  const client = connect();
  try {
    client.send(1, { hello: { protocol: 1, client: 'faults' } });
    client.send(2, { listRuns: { directory: runsFolder(folder) } });
    const reply = await eventually(() => client.replies.find(({ id }) => id === 2));
    return reply?.runs?.runs ?? [];
  } finally {
    client.child.stdin.end();
  }
}

function connect() {
  const child = spawn(engine, ['serve'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const replies = [];
  let bytes = Buffer.alloc(0);
  child.stdin.on('error', () => {}); // it has ended
  child.stdout.on('data', (part) => {
    bytes = Buffer.concat([bytes, part]);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32LE(0)) {
      const end = 4 + bytes.readUInt32LE(0);
      replies.push(Reply.toObject(Reply.decode(bytes.subarray(4, end)), { longs: Number }));
      bytes = bytes.subarray(end);
    }
  });
  const send = (id, body) => {
    const content = Request.encode(Request.fromObject({ id, ...body })).finish();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(content.length);
    child.stdin.write(Buffer.concat([length, content]));
  };
  return { child, replies, send };
}

async function record([folder, program, ...args]) {
  const client = connect();
  client.send(1, { hello: { protocol: 1, client: 'faults' } });
  client.send(2, { record: { program, args, cwd: folder, runsDirectory: runsFolder(folder) } });
  await eventually(() => client.replies.some(({ targetOutput }) => targetOutput));
  console.log('recording');
  process.stdin.on('end', () => client.child.stdin.end()).resume();
  await new Promise((resolve) => client.child.once('exit', resolve));
  await sleep(10);
  process.exit(0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await record(process.argv.slice(2));
