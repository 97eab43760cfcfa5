// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the macros of presets look like that
// Configure presets of CMake, read from files and configured by the real CMake.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { hasLinesAndOptimisation } from './cmakeCache.ts';
import { readPresets } from './cmakePresets.ts';
import { configureProject, findCmakeProject } from './cmakeTargets.ts';
import { runStep } from './runStep.ts';
import type { LaunchPlan, Step } from './target.ts';

const silent = (step: Step) => runStep(step, () => {});
const presets = {
  version: 3,
  configurePresets: [
    { name: 'base', hidden: true, generator: 'Unix Makefiles', binaryDir: '${sourceDir}/out/${presetName}' },
    {
      name: 'perf',
      displayName: 'For profiles',
      inherits: ['base'],
      cacheVariables: { CMAKE_BUILD_TYPE: 'RelWithDebInfo' },
    },
    { name: 'debug', inherits: 'base', cacheVariables: { CMAKE_BUILD_TYPE: 'Debug' } },
    {
      name: 'beside',
      inherits: 'base',
      binaryDir: '${sourceParentDir}/${sourceDirName}-$env{KIND}',
      environment: { KIND: 'fast' },
    },
    { name: 'unknown', inherits: 'base', binaryDir: '$penv{NO_SUCH_VARIABLE_HERE}/x' },
  ],
};

function project(t: { after(step: () => void): void }, json: unknown = presets): string {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat-presets-')));
  t.after(() => fs.rmSync(base, { recursive: true }));
  const folder = path.join(base, 'größe und maß');
  fs.mkdirSync(folder);
  const files = {
    'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.21)\nproject(demo C)\nadd_executable(demo main.c)\n',
    'main.c': 'int main(void) { return 0; }\n',
    'CMakePresets.json': typeof json === 'string' ? json : JSON.stringify(json),
  };
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  return folder;
}

test('presets that are not hidden are read with the folders that they configure', async (t) => {
  const folder = project(t, { ...presets, version: 4, include: ['more.json', 'CMakePresets.json'] });
  fs.writeFileSync(
    path.join(folder, 'more.json'),
    JSON.stringify({ configurePresets: [{ name: 'more', binaryDir: 'm' }, 3, {}] }),
  );
  assert.deepEqual(
    (await readPresets(folder)).map(({ name, displayName, binaryDir }) => [name, displayName, binaryDir]),
    [
      ['perf', 'For profiles', path.join(folder, 'out/perf')],
      ['debug', '', path.join(folder, 'out/debug')],
      ['beside', '', `${folder}-fast`],
      ['unknown', '', undefined],
      ['more', '', path.join(folder, 'm')],
    ],
  );
});

test('a file that is no preset file has no presets', async (t) => {
  for (const text of ['', '{', '[]', 'null', '{"configurePresets": {}}', '{"configurePresets": [null, 1]}'])
    assert.deepEqual(await readPresets(project(t, text)), []);
});

test('a preset is configured by name, in a path with a space and an umlaut, and its folder is used', async (t) => {
  const folder = project(t);
  const { configurations } = (await findCmakeProject(folder, silent))!;
  assert.deepEqual(
    configurations.map(({ label, description }) => [label, description]),
    [
      ['Configure CMake with Preset perf', 'For profiles, in out/perf'],
      ['Configure CMake with Preset debug', 'in out/debug'],
      ['Configure CMake with Preset beside', `in ${folder}-fast`],
      ['Configure CMake with Preset unknown', ''],
      ['Configure CMake to List Its Targets', 'in build/lineheat, RelWithDebInfo'],
    ],
  );
  await configureProject(configurations[0]!, silent);
  const [target, ...others] = (await findCmakeProject(folder, silent))!.targets;
  assert.deepEqual([target?.description, others.length], ['CMake, out/perf, RelWithDebInfo', 0]);
  const plan = (await target!.prepare({ args: [], runStep: silent })) as LaunchPlan;
  assert.equal(plan.program, path.join(folder, 'out/perf/demo'));
});

test('folders configured for profiling are listed each, wherever they are, others are not', async (t) => {
  const folder = project(t, '');
  const configure = (build: string, ...options: string[]) =>
    execFileSync('cmake', ['-S', folder, '-B', build, ...options], { stdio: 'ignore' });
  const [outside, flags, debug] = [`${folder} outside`, path.join(folder, 'x/y/z'), path.join(folder, 'build')];
  configure(outside, '-DCMAKE_BUILD_TYPE=RelWithDebInfo');
  configure(flags, '-DCMAKE_BUILD_TYPE=Release', '-DCMAKE_C_FLAGS=-g');
  configure(debug, '-DCMAKE_BUILD_TYPE=Debug');
  const { targets } = (await findCmakeProject(folder, silent, [debug, flags, outside]))!;
  assert.deepEqual(targets.map(({ description }) => description).sort(), [
    `CMake, ${outside}, RelWithDebInfo`,
    'CMake, x/y/z, Release',
  ]);
});

test('the last flag of a compiler counts', () => {
  const suits = ['-O2 -g', '-O0 -O3 -g1', '-Os -ggdb3', '-g -gz -O1', '-Ofast -gdwarf-5'];
  const doesNot = ['', '-O2', '-g', '-O2 -g -g0', '-O2 -O0 -g', '-Og -g', '-O2 -gno-record-gcc-switches'];
  for (const flags of suits) assert.equal(hasLinesAndOptimisation(flags), true, flags);
  for (const flags of doesNot) assert.equal(hasLinesAndOptimisation(flags), false, flags);
});
