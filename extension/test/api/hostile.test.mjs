// Hostile folders, profiles and pages inside the extension host of a real editor, in a workspace of two folders.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { runSuiteInEditor } from './in-editor.mjs';
import { tellResults } from './results.mjs';

/** Names that a setting for programs, folders and servers could have, now or one day. */
function chosenSettings(base, program) {
  const flat = { 'lineheat.record.debuginfod': true, 'lineheat.record.sampleRate': 7 };
  const programs = [
    'enginePath',
    'engine.path',
    'samplerPath',
    'sampler.path',
    'executable',
    'record.command',
    'doctor.command',
  ];
  for (const name of programs) flat[`lineheat.${name}`] = program;
  for (const name of ['record.output', 'record.outputFolder', 'runs.directory', 'outputPath'])
    flat[`lineheat.${name}`] = path.join(base, 'output');
  for (const name of ['engine.args', 'record.args']) flat[`lineheat.${name}`] = [program];
  for (const name of ['debuginfod.urls', 'server.url']) flat[`lineheat.${name}`] = 'https://host.example';
  return flat;
}

/** `{ 'a.b': 1 }` as `{ a: { b: 1 } }`. */
function nested(flat) {
  const all = {};
  for (const [name, value] of Object.entries(flat)) {
    const words = name.split('.');
    let at = all;
    for (const word of words.slice(0, -1)) at = at[word] ??= {};
    at[words.at(-1)] = value;
  }
  return all;
}

function prepare(base) {
  const program = path.join(base, 'chosen.sh');
  writeFileSync(program, `#!/bin/sh\ntouch "${base}/chosen-by-settings"\n`);
  chmodSync(program, 0o755);
  const flat = chosenSettings(base, program);
  for (const [name, settings] of [
    ['one', flat],
    ['two', nested(flat)],
  ]) {
    mkdirSync(path.join(base, name, '.vscode'), { recursive: true });
    writeFileSync(path.join(base, name, '.vscode/settings.json'), JSON.stringify(settings));
  }
  const workspace = path.join(base, 'both.code-workspace');
  const folders = [{ path: 'one' }, { path: 'two' }];
  writeFileSync(workspace, JSON.stringify({ folders, settings: { ...flat, ...nested(flat) } }));
  return { workspace };
}

test('hostile folders, profiles and pages get nothing', async (t) => {
  await tellResults(t, await runSuiteInEditor({ suite: 'hostile-input', prepare }));
});
