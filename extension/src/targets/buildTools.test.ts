// Targets of Go, Meson and Make projects and tests of Cargo packages, listed and built by the real tools.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { findCargoTargets } from './cargoTargets.ts';
import { textsIn } from './fileBytes.ts';
import { findGoTargets } from './goTargets.ts';
import { parseDryRun } from './makeLinks.ts';
import { findMakeTargets } from './makeTargets.ts';
import { findMesonTargets } from './mesonTargets.ts';
import { runStep } from './runStep.ts';
import type { LaunchPlan, Step, StepFailed, Target } from './target.ts';
import { listStep, testChoices, testFramework } from './testFilter.ts';

const silent = (step: Step) => runStep(step, () => {});
const tools = { args: ['10'], runStep: silent };
const built = async (target: Target | undefined) => (await target!.prepare(tools)) as LaunchPlan;
const hasLines = (program: string) => execFileSync('readelf', ['-SW', program]).includes('debug_line');

function project(t: { after(step: () => void): void }, files: Record<string, string>): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat tools ')));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

const main = 'int main(void) { return 0; }\n';

test('main packages of a Go module are listed, and built with line tables whatever GOFLAGS says', async (t) => {
  const go = (name: string) => `package ${name}\n\nfunc main() {}\n`;
  const folder = project(t, {
    'go.mod': 'module example.com/demo\n\ngo 1.18\n',
    'main.go': go('main'),
    'cmd/tool/main.go': go('main'),
    'cmd/tool/sub/main.go': go('main'),
    'lib/lib.go': 'package lib\n',
    // Its module is nowhere: it is listed, and its build says why it fails.
    'cmd/broken/main.go': 'package main\n\nimport _ "example.com/nowhere/x"\n\nfunc main() {}\n',
  });
  const targets = await findGoTargets(folder, silent);
  assert.deepEqual(
    targets.map(({ description }) => description),
    ['', ' ./cmd/broken', ' ./cmd/tool', ' ./cmd/tool/sub'].map(
      (place) => `Go program${place}, optimised with line tables`,
    ),
  );
  const stripping = (step: Step) => silent({ ...step, env: { ...step.env, GOFLAGS: '-ldflags=-s -trimpath' } });
  for (const target of [targets[0]!, targets[2]!, targets[3]!]) {
    const plan = (await target.prepare({ args: ['10'], runStep: stripping })) as LaunchPlan;
    assert.ok(hasLines(plan.program));
    assert.ok(fs.readFileSync(plan.program).includes(path.join(folder, 'main.go').slice(0, folder.length)));
    assert.deepEqual([plan.args, plan.cwd], [['10'], folder]);
  }
  assert.deepEqual(fs.readdirSync(path.join(folder, 'build/lineheat/go')).sort(), [
    'cmd-tool',
    'cmd-tool-sub',
    path.basename(folder),
  ]);
});

test('an unconfigured Meson project is listed without configuring it, then built in a folder of ours', async (t) => {
  const folder = project(t, {
    'meson.build': `project('demo', 'c')
executable('fast', 'main.c')
static_library('part', 'main.c')
subdir('sub')
`,
    'sub/meson.build': "executable('slow', '../main.c')\n",
    'main.c': main,
  });
  const targets = await findMesonTargets(folder, silent);
  assert.deepEqual(
    targets.map(({ label, description }) => [label, description]),
    ['fast', 'slow'].map((name) => [name, 'Meson, build/lineheat-meson, debugoptimized']),
  );
  assert.equal(fs.existsSync(path.join(folder, 'build')), false);
  const plan = await built(targets[1]);
  assert.equal(plan.program, path.join(folder, 'build/lineheat-meson/sub/slow'));
  assert.ok(hasLines(plan.program));
  // Meson's own check of the compiler is no program of the project.
  assert.deepEqual(
    (await findMesonTargets(folder, silent)).map(({ label }) => label),
    ['fast', 'slow'],
  );
});

test('a Meson folder that suits profiling is used as it is, another one is not', async (t) => {
  const folder = project(t, { 'meson.build': "project('demo', 'c')\nexecutable('demo', 'main.c')\n", 'main.c': main });
  const setup = (name: string, type: string) =>
    execFileSync('meson', ['setup', `--buildtype=${type}`, path.join(folder, name), folder], { stdio: 'ignore' });
  setup('debug', 'debug');
  const builds = ['debug', 'perf'].map((name) => path.join(folder, name));
  const [own] = await findMesonTargets(folder, silent, builds);
  assert.equal(own?.description, 'Meson, build/lineheat-meson, debugoptimized');
  setup('perf', 'debugoptimized');
  const [suiting, ...others] = await findMesonTargets(folder, silent, builds);
  assert.deepEqual([suiting?.description, others.length], ['Meson, perf', 0]);
  assert.equal((await built(suiting)).program, path.join(folder, 'perf/demo'));
});

test('programs that a Makefile would link are listed, and nothing is built for that', async (t) => {
  const folder = project(t, {
    Makefile: `CFLAGS = -O2
all: bin/demo other
bin/demo: main.o
\tmkdir -p bin && $(CC) $(CFLAGS) -o $@ $^
other: main.o part.o ; $(CC) $^ -o other
main.o: main.c ; $(CC) $(CFLAGS) -c -o $@ $<
part.o: part.c ; $(CC) $(CFLAGS) -c $<
libpart.so: part.o ; $(CC) -shared -o $@ $^
`,
    'main.c': main,
    'part.c': 'int part;\n',
  });
  const targets = await findMakeTargets(folder, silent);
  assert.deepEqual(
    targets.map(({ label, description }) => [label, description]),
    [
      ['demo', 'Make, bin/demo, adds -g'],
      ['other', 'Make, other, adds -g'],
    ],
  );
  assert.deepEqual(fs.readdirSync(folder).sort(), ['Makefile', 'main.c', 'part.c']);
  // Built without line tables before: it is built again.
  execFileSync('make', ['bin/demo'], { cwd: folder, stdio: 'ignore' });
  const plan = await built(targets[0]);
  assert.deepEqual([plan.program, hasLines(plan.program)], [path.join(folder, 'bin/demo'), true]);
  assert.equal(fs.existsSync(path.join(folder, 'other')), false);
  const before = fs.statSync(plan.program).mtimeMs;
  await built(targets[0]);
  assert.equal(fs.statSync(plan.program).mtimeMs, before, 'what is up to date was built again');
});

test('a dry run brings no Makefile up to date', async (t) => {
  const folder = project(t, {
    Makefile: `include config.mk
-include more.mk
demo: main.c ; $(CC) -g -o demo main.c
Makefile: configure ; touch ran
configure config.mk: ; touch ran
more.mk: ; touch ran
`,
    'config.mk': '',
    configure: '',
    'main.c': main,
  });
  assert.deepEqual(
    (await findMakeTargets(folder, silent)).map(({ label }) => label),
    ['demo'],
  );
  assert.equal(fs.existsSync(path.join(folder, 'ran')), false);
});

test('a text is found in a file wherever it is', async (t) => {
  const text = 'the needle';
  const folder = project(t, { ends: `${'x'.repeat((1 << 20) - 4)}${text}`, none: 'the needl' });
  assert.deepEqual([...(await textsIn(path.join(folder, 'ends'), [text, 'other']))], [text]);
  for (const name of ['none', '.', 'missing']) assert.equal((await textsIn(path.join(folder, name), [text])).size, 0);
});

test('a Makefile that makes subfolders is followed into them', async (t) => {
  const folder = project(t, {
    Makefile: 'all: ; $(MAKE) -C sub\n',
    'sub/Makefile': 'CXXFLAGS = -O2 -g\ndemo: main.cpp ; g++ $(CXXFLAGS) -o demo main.cpp\n',
    'sub/main.cpp': 'int main() {}\n',
  });
  const [target, ...others] = await findMakeTargets(folder, silent);
  assert.deepEqual([target?.description, others.length], ['Make, sub/demo', 0]);
  assert.ok(hasLines((await built(target)).program));
});

test('what is no link of a program is left out of a dry run', () => {
  const lines = [
    'gcc -dumpmachine',
    'gcc -c a.c -o a.o',
    'gcc -shared -o libx.so a.o',
    'gcc -o plug.so a.o',
    'gcc -o /dev/null a.c',
    'echo gcc -o fake a.c',
    'ccache x86_64-linux-gnu-g++-12 -O2 -o "two words" a.o',
    'cd sub && clang -o deep a.o -lm',
    'cc a.c',
    'gfortran -oforty a.f90',
    'gcc -o split \\',
    '  a.o',
    `gcc -o 'open a.o`,
  ];
  const { programs, hasLines: lined } = parseDryRun(lines.join('\n'), '/w');
  assert.deepEqual(
    programs.map(({ target }) => target),
    ['two words', 'sub/deep', 'a.out', 'forty', 'split'],
  );
  assert.equal(lined, false);
});

const cargoFiles = {
  'Cargo.toml': '[package]\nname = "crab"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n',
  'src/lib.rs': '#[cfg(test)]\nmod tests { #[test]\n fn one() {}\n #[test]\n fn two() {} }\n',
  'src/main.rs': 'fn main() {}\n',
  'tests/api.rs': '#[test]\nfn speaks() {}\n',
};

test('unit and integration tests of Cargo are built optimised, and named without the hash of their file', async (t) => {
  const folder = project(t, cargoFiles);
  const targets = await findCargoTargets(folder, silent);
  assert.deepEqual(
    targets.map(({ label, description }) => [label, description]),
    [
      ['crab', 'Cargo unit tests of the library of crab, release with line tables'],
      ['crab', 'Cargo binary of crab, release with line tables'],
      ['api', 'Cargo integration test of crab, release with line tables'],
    ],
  );
  const unit = await built(targets[0]);
  assert.match(unit.program, /target\/release\/deps\/crab-[0-9a-f]+$/);
  assert.deepEqual([unit.runName, hasLines(unit.program)], ['crab unit tests', true]);
  const choices = testChoices(await silent(listStep(unit, (await testFramework(unit))!)), 'libtest');
  assert.deepEqual(
    choices.map(({ name, args }) => [name, ...args]),
    [
      ['tests', 'tests::'],
      ['tests::one', 'tests::one', '--exact'],
      ['tests::two', 'tests::two', '--exact'],
    ],
  );
  const integration = await built(targets[2]);
  assert.equal(integration.runName, 'api');
  assert.match(integration.program, /\/api-[0-9a-f]+$/);
});

test('a binary without tests of its own is not listed as tests', async (t) => {
  const { 'src/lib.rs': _, ...files } = cargoFiles;
  const listed = async () => (await findCargoTargets(folder, silent)).map(({ label }) => label);
  const folder = project(t, files);
  assert.deepEqual(await listed(), ['crab', 'api']);
  fs.writeFileSync(path.join(folder, 'src/main.rs'), 'fn main() {}\n#[test]\nfn x() {}\n');
  assert.deepEqual(await listed(), ['crab', 'crab', 'api']);
});

for (const [framework, includes, tests, expected] of [
  [
    'googletest',
    '#include <gtest/gtest.h>',
    'TEST(Sort, Small) {}\nTEST(Sort, Large) {}\nTEST(Find, Any) {}\n',
    [
      ['Find', '--gtest_filter=Find.*'],
      ['Find.Any', '--gtest_filter=Find.Any'],
      ['Sort', '--gtest_filter=Sort.*'],
      ['Sort.Large', '--gtest_filter=Sort.Large'],
      ['Sort.Small', '--gtest_filter=Sort.Small'],
    ],
  ],
  [
    'catch2',
    '#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>',
    'TEST_CASE("sort, small", "[a]") {}\nTEST_CASE("find", "[b][c]") {}\n',
    [
      ['find', 'find'],
      ['sort, small', 'sort\\, small'],
    ],
  ],
] as const)
  test(`the tests of a ${framework} program are listed, and each choice runs what it says`, async (t) => {
    const folder = project(t, { 'test.cpp': `${includes}\n${tests}` });
    const libraries = framework === 'googletest' ? ['-lgtest_main', '-lgtest', '-lpthread'] : [];
    execFileSync('g++', ['-o', 'tests', 'test.cpp', ...libraries], { cwd: folder });
    const plan = { name: 'tests', program: path.join(folder, 'tests'), args: [], cwd: folder, env: {} };
    assert.equal(await testFramework(plan), framework);
    const choices = testChoices(await silent(listStep(plan, framework)), framework);
    const named = choices.map(({ name, args }) => [name, ...args]).sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
    assert.deepEqual(named, expected);
    for (const { name, isGroup, args } of choices) {
      const output = execFileSync(plan.program, args, { encoding: 'utf8' });
      const ran = /\[==========\] (\d+) tests? from .* ran|All tests passed|No assertions|test cases?: (\d+)/.exec(
        output,
      );
      assert.ok(ran, output);
      if (framework === 'googletest') assert.equal(Number(ran[1]) === 1, !isGroup || name === 'Find', output);
    }
  });

test('other programs have no tests to choose', async (t) => {
  const folder = project(t, { 'gtest_filter.sh': '#!/bin/sh\n# gtest_filter\n' });
  const plan = (program: string) => ({ name: '', program, args: [], cwd: folder, env: {} });
  for (const program of ['/bin/true', path.join(folder, 'gtest_filter.sh'), folder, path.join(folder, 'none')])
    assert.equal(await testFramework(plan(program)), undefined);
});

test('a step is stopped at its deadline, and gets its environment', async () => {
  const step = { title: 'Waiting', command: 'sleep', args: ['60'], cwd: os.tmpdir(), timeoutMs: 50 };
  await assert.rejects(silent(step), (error: StepFailed) => /it was stopped after 0\.05 s/.test(error.message));
  const env = { LINEHEAT_TEST: 'x y' };
  const print = { title: 'p', command: 'printenv', args: ['LINEHEAT_TEST'], cwd: os.tmpdir(), env };
  assert.equal(await silent(print), 'x y\n');
});
