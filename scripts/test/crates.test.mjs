// Each rule of the crate table, proved by a planted violation.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { archiveProblems, crateProblems, linkedArchives } from '../checks/crates.mjs';
import { staticProblems } from '../checks/static-binaries.mjs';
import { run } from '../steps/command.mjs';

/** `cargo metadata` of a workspace, from { name: [names it uses] }; names that nothing defines come from outside. */
function metadata(uses, { outside = {} } = {}) {
  const all = { ...uses, ...outside };
  const edge = (name) => (name.startsWith('build:') ? { name: name.slice(6), kind: 'build' } : { name, kind: null });
  return {
    packages: Object.entries(all).map(([name, to]) => ({
      id: name,
      name,
      targets: [{ kind: ['lib'] }],
      dependencies: to.map(edge),
    })),
    workspace_members: Object.keys(uses),
    resolve: {
      nodes: Object.entries(all).map(([id, to]) => ({
        id,
        deps: to.map(edge).map(({ name, kind }) => ({ pkg: name, dep_kinds: [{ kind }] })),
      })),
    },
  };
}

const table = {
  crates: { records: { uses: [] }, sampler: { uses: ['records', 'bpf'], buildUses: ['skeleton'] } },
  sampler: { package: 'sampler', crates: ['bpf', 'records', 'sys'] },
};
const good = { records: [], sampler: ['records', 'bpf', 'build:skeleton'] };
const outside = { bpf: ['sys'], sys: [], skeleton: ['parser'], parser: [], gimli: [] };

test('a workspace as the table says has no problem', () => {
  assert.deepEqual(crateProblems(metadata(good, { outside }), table), []);
});

test('a use that the table does not allow is named', () => {
  const planted = metadata({ ...good, records: ['gimli'] }, { outside });
  assert.match(crateProblems(planted, table)[0], /^records uses gimli, which the crate table does not allow/);
});

test('a crate that the table does not know fails', () => {
  const planted = metadata({ ...good, newcomer: [] }, { outside });
  assert.match(crateProblems(planted, table)[0], /^Crate newcomer is not in the crate table/);
});

test('a row for a crate that is gone fails', () => {
  const stale = { ...table, crates: { ...table.crates, gone: { uses: [] } } };
  assert.match(crateProblems(metadata(good, { outside }), stale)[0], /^The crate table names gone/);
});

test('a crate that reaches the sampler through another one is seen; build tools are not linked', () => {
  const planted = metadata(good, { outside: { ...outside, sys: ['gimli'] } });
  assert.deepEqual(crateProblems(planted, table), [
    'The sampler links the crate gimli, which nobody reviewed (helper/crate-table.json).',
  ]);
});

test('an empty workspace is a failure, not a pass', () => {
  assert.match(crateProblems(metadata({}), table)[0], /nothing was checked/);
});

test('the archives that a map names are compared both ways, and a map without any is no pass', () => {
  const ofBfd =
    '/usr/lib/libelf.a(elf_begin.o)\n  /usr/lib/libssl.a(s.o) (SSL_new)\nLOAD /usr/lib/libz.a\n/x/libcore-1.rlib(core.o)';
  const ofLld =
    '  2b0  2b0  20  4  /usr/lib/libelf.a(elf_end.o):(.text)\n  2d0  2d0  8  4  /usr/lib/libssl.a(s.o):(.data)';
  for (const map of [ofBfd, ofLld]) {
    assert.deepEqual(linkedArchives(map), ['libelf.a', 'libssl.a']);
    assert.deepEqual(
      archiveProblems(map, { archives: ['libelf.a', 'libz.a'] }).map((words) => words.split(',')[0]),
      ['The sampler links the archive libssl.a', 'The crate table lists the archive libz.a for the sampler'],
    );
  }
  assert.match(archiveProblems('', { archives: [] })[0], /nothing was checked/);
});

test('a program that loads something when it starts, or later, is named', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-static-'));
  const built = async (name, source, ...flags) => {
    const [file, program] = [path.join(folder, `${name}.c`), path.join(folder, name)];
    writeFileSync(file, source);
    await run('gcc', [...flags, file, '-o', program]);
    return staticProblems(program);
  };
  try {
    const nothing = 'int main(void) { return 0; }';
    const asks = '#include <pwd.h>\nint main(void) { return getpwuid(0) != 0; }';
    assert.deepEqual(await built('static', nothing, '-static'), []);
    assert.match(
      (await built('dynamic', nothing)).join('\n'),
      /needs an interpreter, .*\n.*needs a shared library, libc/,
    );
    assert.match((await built('asks', asks, '-static', '-w')).join('\n'), /calls getpwuid, which loads libraries/);
    assert.match((await built('bare', nothing, '-static', '-s')).join('\n'), /no symbol `main`: nothing was checked/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
