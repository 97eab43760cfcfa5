// Each rule of the crate table, proved by a planted violation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crateProblems, difference, neededLibraries } from '../checks/crates.mjs';

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

test('the libraries that readelf lists are compared both ways', () => {
  const listed = [
    ' 0x0000000000000001 (NEEDED)             Shared library: [libelf.so.1]',
    ' 0x0000000000000001 (NEEDED)             Shared library: [libssl.so.3]',
    ' 0x000000000000000c (INIT)               0x1000',
  ].join('\n');
  assert.deepEqual(neededLibraries(listed), ['libelf.so.1', 'libssl.so.3']);
  assert.deepEqual(
    difference(neededLibraries(listed), ['libelf.so.1', 'libz.so.1'], 'library').map((words) => words.split(',')[0]),
    ['The sampler links the library libssl.so.3', 'The crate table lists the library libz.so.1 for the sampler'],
  );
});
