// The packaged parts of the extension with a fake engine in their place: what it is started with, and what it may say.
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { inRoot } from '../../../scripts/steps/paths.mjs';
import { mutatedFrames } from '../support/mutatedFrames.ts';
import { runSuiteInEditor } from './in-editor.mjs';
import { tellResults } from './results.mjs';

/**
 * `lineheat` of the fake: notes each start in starts/, answers the doctor, and in the mode "frames" plays twenty frames of
 * frames.bin for each request, the last of them final. An id and `final` at the end of a message win over earlier ones.
 */
const fake = (folder) => `#!${process.execPath}
const fs = require('node:fs');
const at = (name) => ${JSON.stringify(folder)} + '/' + name;
const args = process.argv.slice(2);
fs.appendFileSync(at('starts'), JSON.stringify({ args, terminal: process.stdin.isTTY === true }) + '\\n');
if (args[0] !== 'serve') {
  console.log('what sudo would do');
  process.exit(0);
}
const varint = (value) => value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
const part = (field, bytes) => [field * 8 + 2, ...varint(bytes.length), ...bytes];
const text = (field, words) => part(field, [...Buffer.from(words)]);
const send = (payload, id, final) => {
  const bytes = Buffer.from([...payload, 8, ...varint(id), 16, final ? 1 : 0]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  process.stdout.write(Buffer.concat([length, bytes]));
};
const check = (id, title, command) => part(1, [...text(1, id), ...text(2, title), ...(command ? text(5, command) : [])]);
let frames;
let next = 0;
let asked = 0;
const DOCTOR = 3; // field of the request; others get the same answer and do not count
const answers = {
  honest: (id, kind) => {
    if (kind === DOCTOR) asked++;
    const report = [...check('kernel', 'asked ' + asked + ' times'), ...check('permission', 'Permission', 'sudo true'), 16, 1];
    send(part(5, report), id, true);
  },
  broken: () => process.stdout.write(Buffer.from([3, 0, 0, 0, 255, 255, 255])),
  frames: (id) => {
    frames ??= fs.readFileSync(at('frames.bin'));
    for (let left = 20; left > 0; left--) {
      if (next >= frames.length) next = 0;
      const length = frames.readUInt32LE(next);
      send(frames.subarray(next + 4, next + 4 + length), id, left === 1);
      next += 4 + length;
    }
    played += 20;
    fs.writeFileSync(at('played'), String(played));
  },
};
let played = 0;
let input = Buffer.alloc(0);
let greeted = false;
process.stdin.on('data', (chunk) => {
  input = Buffer.concat([input, chunk]);
  while (input.length >= 4 && input.length >= 4 + input.readUInt32LE(0)) {
    const request = input.subarray(4, 4 + input.readUInt32LE(0));
    input = input.subarray(4 + request.length);
    let id = 0;
    let end = 1;
    for (let shift = 0; ; end++, shift += 7) {
      id |= (request[end] & 127) << shift;
      if (request[end] < 128) break;
    }
    const kind = request[end + 1] >> 3;
    if (greeted) answers[fs.readFileSync(at('mode'), 'utf8')](id, kind);
    else send(part(4, [8, 1]), id, true);
    greeted = true;
  }
});
process.stdin.on('end', () => process.exit(0));
`;

function prepare(folder) {
  const extension = path.join(folder, 'extension');
  mkdirSync(path.join(extension, 'bin'), { recursive: true });
  mkdirSync(path.join(folder, 'engine'));
  for (const name of ['package.json', 'package.nls.json', 'dist', 'resources', 'syntaxes'])
    cpSync(inRoot(name), path.join(extension, name), { recursive: true });
  writeFileSync(path.join(folder, 'engine/played'), '0');
  writeFileSync(path.join(folder, 'engine/frames.bin'), mutatedFrames(path.join(folder, 'a.cpp')));
  writeFileSync(path.join(extension, 'bin/lineheat'), fake(path.join(folder, 'engine')));
  chmodSync(path.join(extension, 'bin/lineheat'), 0o755);
  return { extension };
}

test('an engine that lies does no harm', async (t) => {
  await tellResults(t, await runSuiteInEditor({ suite: 'fake-engine', prepare }));
});
