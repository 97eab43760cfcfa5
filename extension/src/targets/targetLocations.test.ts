// Projects in subfolders, build folders anywhere, and where each comes from.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { locatedTarget, locationOf } from './location.ts';
import { DEPTH_MAX, findProjectFolders } from './projectFolders.ts';

async function found(t: { after(step: () => void): void }, files: readonly string[]) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat-projects-'));
  t.after(() => fs.rmSync(root, { recursive: true }));
  for (const file of files) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), '');
  }
  const { projects, cmakeBuilds, mesonBuilds, cut } = await findProjectFolders(root);
  const inside = (folders: readonly string[]) => folders.map((folder) => path.relative(root, folder) || '.');
  const named = Object.entries(projects).map(([kind, folders]) => [kind, inside(folders)]);
  return {
    projects: Object.fromEntries(named.filter(([, folders]) => folders!.length > 0)),
    cmakeBuilds: inside(cmakeBuilds),
    mesonBuilds: inside(mesonBuilds),
    cut,
  };
}

test('projects of each kind are found in subfolders, parts of a project are not listed again', async (t) => {
  const { projects, cut } = await found(t, [
    'server/CMakeLists.txt',
    'server/lib/CMakeLists.txt',
    'Cargo.toml',
    'crates/a/Cargo.toml',
    'tools/go.mod',
    'tools/inner/go.mod',
    'old/Makefile',
    'old/sub/Makefile',
    'gui/meson.build',
    'gui/Makefile',
  ]);
  assert.deepEqual(projects, {
    cmake: ['server'],
    cargo: ['.'],
    make: ['old'],
    meson: ['gui'],
    go: ['tools', 'tools/inner'],
  });
  assert.equal(cut, false);
});

test('build folders are found anywhere, and what lies in them is no project', async (t) => {
  const { projects, cmakeBuilds, mesonBuilds } = await found(t, [
    'CMakeLists.txt',
    'out/perf/CMakeCache.txt',
    'out/perf/Makefile',
    'out/perf/_deps/x/CMakeLists.txt',
    'deep/er/bin dir/CMakeCache.txt',
    'm/meson-info/intro-targets.json',
    'm/Makefile',
  ]);
  assert.deepEqual(projects, { cmake: ['.'] });
  assert.deepEqual([cmakeBuilds, mesonBuilds], [['out/perf', 'deep/er/bin dir'], ['m']]);
});

test('dependencies, hidden folders, links and what is too deep are left alone', async (t) => {
  const deep = Array.from({ length: DEPTH_MAX + 1 }, () => 'd').join('/');
  const names = ['node_modules/a', 'target/b', 'vendor/c', '.hidden', deep].map((folder) => `${folder}/go.mod`);
  assert.deepEqual((await found(t, names)).projects, {});
  const outside = fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat-outside-'));
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat-link-'));
  t.after(() => [outside, root].map((folder) => fs.rmSync(folder, { recursive: true })));
  fs.writeFileSync(path.join(outside, 'go.mod'), '');
  fs.symlinkSync(outside, path.join(root, 'link'));
  assert.deepEqual((await findProjectFolders(root)).projects.go, []);
});

test('more projects than the bound are said to be missing', async (t) => {
  const { projects, cut } = await found(
    t,
    Array.from({ length: 25 }, (_, at) => `p${at}/go.mod`),
  );
  assert.deepEqual([projects.go!.length, cut], [20, true]);
});

test('a target says its folder where several are open, and its subfolder always', () => {
  const root = { name: 'app', path: '/w/app' };
  assert.deepEqual(
    [locationOf('/w/app', root, 1), locationOf('/w/app/x/y', root, 1), locationOf('/w/app/x', root, 2)],
    ['', 'x/y', 'app/x'],
  );
  const target = { id: 'a', kind: 'go', label: 'a', description: 'Go', takesArguments: true } as never;
  assert.equal(locatedTarget(target, 'app/x').description, 'app/x: Go');
  assert.equal(locatedTarget(target, '').description, 'Go');
});
