// The example messages of protocol/examples: read as their JSON says, and written back to the same bytes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeReply, wire } from './wire.ts';

const folder = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'protocol/examples');
const names = fs.readdirSync(folder).filter((name) => name.endsWith('.bin'));
const bytesOf = (name: string) => new Uint8Array(fs.readFileSync(path.join(folder, name)));

test('there are examples', () => assert.notEqual(names.length, 0));

for (const name of names) {
  test(`${name} is read as its JSON says, and written as it was`, () => {
    const json = JSON.parse(fs.readFileSync(path.join(folder, name.replace(/bin$/, 'json')), 'utf8'));
    const [decoded, written] = readAndWritten(name);
    assert.deepEqual(inJson(decoded, json), json);
    assert.deepEqual([...written], [...bytesOf(name)]);
    if (name.startsWith('reply-')) decodeReply(bytesOf(name));
  });
}

function readAndWritten(name: string): [unknown, Uint8Array] {
  if (name.startsWith('request-')) {
    const request = wire.Request.decode(bytesOf(name));
    return [request, wire.Request.encode(request).finish()];
  }
  const reply = wire.Reply.decode(bytesOf(name));
  return [reply, wire.Reply.encode(reply).finish()];
}

/** A decoded value in proto3's JSON mapping. `like` decides where the mapping has two forms for one number. */
function inJson(value: unknown, like: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map((item, at) => inJson(item, (like as unknown[] | undefined)?.[at]));
  if (typeof value === 'number' && typeof like === 'string') return enumValue(like) === value ? like : String(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => !isDefault(item));
  return Object.fromEntries(
    entries.map(([key, item]) => [key, inJson(item, (like as Record<string, unknown> | undefined)?.[key])]),
  );
}

function isDefault(value: unknown): boolean {
  if (value === null || value === undefined || value === 0 || value === '' || value === false) return true;
  return (Array.isArray(value) || value instanceof Uint8Array) && value.length === 0;
}

const enums: Record<string, unknown>[] = [
  wire.Verdict,
  wire.Check.State,
  wire.RecordingProgress.Stage,
  wire.ViewRequest.Kind,
  wire.LocateRequest.Kind,
  wire.Failure.Kind,
];

function enumValue(name: string): unknown {
  return enums.find((values) => Object.hasOwn(values, name))?.[name];
}
