// A program rebuilt with other lines, another link order, another name, other inlining, and loaded elsewhere (ASLR): what did not
// change finds its partner.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { run } from '../../scripts/steps/command.mjs';
import { engine, inRoot } from '../../scripts/steps/paths.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-rebuilt-'));
after(() => rmSync(folder, { recursive: true }));

const cannotRecord = await run(engine, ['doctor']).then(
  () => false,
  () => 'this machine cannot record',
);

const asItWas = cannotRecord ? null : await recorded('as-it-was');

function matches(title, change, check = () => {}) {
  test(`${title}: at least 99 % of the samples match`, { skip: cannotRecord }, async () => {
    const rebuilt = await recorded(title.replaceAll(' ', '-'), change);
    const found = JSON.parse(await run(engine, ['diff', asItWas, '--against', rebuilt, '--json']));
    const share = matchedShare(found);
    assert.ok(share >= 0.99, `${share} of the samples match`);
    check(found);
  });
}

/** Of the samples outside the kernel: which of its functions have a sample at all differs from run to run. */
function matchedShare({ functions }) {
  const samples = { all: 0, matched: 0 };
  for (const one of functions.filter(({ module }) => module !== '[kernel]')) {
    const both = one.baseSelf + one.newSelf;
    samples.all += both;
    if (one.baseTotal > 0 && one.newTotal > 0) samples.matched += both;
  }
  return samples.matched / samples.all;
}

/** Builds the sample after `change` of its sources and records it. */
async function recorded(name, { edit = (text) => text, link = ['main', 'digest'], flags = [] } = {}) {
  const at = path.join(folder, name);
  await cp(inRoot('samples/cpp-cells/src'), path.join(at, 'src'), { recursive: true });
  for (const file of ['main.cpp', 'cells.hpp', 'digest.cpp', 'digest.hpp']) {
    const source = path.join(at, 'src', file);
    writeFileSync(source, edit(readFileSync(source, 'utf8')));
  }
  const options = ['-std=c++17', '-O2', '-g', ...flags];
  for (const unit of link) await run('g++', [...options, '-c', `src/${unit}.cpp`, '-o', `${unit}.o`], { cwd: at });
  await run('g++', [...link.map((unit) => `${unit}.o`), '-o', 'cells'], { cwd: at });
  const output = path.join(at, 'run.pb.gz');
  await run(engine, ['record', '--repeat', '3', '--output', output, '--', './cells', '--cells', '300000'], { cwd: at });
  return output;
}

const lineOf = (found, name) => found.functions.find((one) => one.name === name);

matches('built again', {});
matches('lines shifted', { edit: (text) => `${'// Another line.\n'.repeat(37)}${text}` }, (found) => {
  const { baseLine, line } = lineOf(found, 'Digest::update');
  assert.equal(line, baseLine + 37);
});
matches('another link order', { link: ['digest', 'main'] });
matches('a function renamed', { edit: (text) => text.replaceAll('digest_of_fields', 'digest_by_fields') }, (found) => {
  const renamed = lineOf(found, 'digest_by_fields');
  assert.match(renamed.note, /digest_of_fields/);
  assert.ok(renamed.baseTotal > 0, 'it stands beside what it was');
});
matches('other inlining', { edit: (text) => text.replaceAll('[[gnu::noinline]] ', '') });
