// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of launch.json look like that
// Targets of real projects, built by the real CMake and Cargo.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { argumentText, parseArguments } from './argumentText.ts';
import { builtExecutable, findCargoTargets } from './cargoTargets.ts';
import { parseCache, suitsProfiling } from './cmakeCache.ts';
import { configureProject, findCmakeProject } from './cmakeTargets.ts';
import { launchInput } from './launchInputs.ts';
import { launchTargets } from './launchTargets.ts';
import { type LaunchContext, resolveVariables } from './launchVariables.ts';
import { runStep } from './runStep.ts';
import { type LaunchPlan, type Step, StepFailed } from './target.ts';

const silent = (step: Step) => runStep(step, () => {});
const tools = { args: ['10'], runStep: silent };

function project(t: { after(step: () => void): void }, files: Record<string, string>): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat targets ')));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}
const cmakeFiles = {
  'CMakeLists.txt': `cmake_minimum_required(VERSION 3.16)
project(demo C)
add_library(part STATIC part.c)
add_executable(demo main.c)
set_target_properties(demo PROPERTIES OUTPUT_NAME "my-demo" RUNTIME_OUTPUT_DIRECTORY bin)
target_link_libraries(demo part)
`,
  'main.c': 'int part(void); int main(void) { return part(); }\n',
  'part.c': 'int part(void) { return 0; }\n',
};

test('a CMake project that was never configured is configured in a folder of ours, then built', async (t) => {
  const folder = project(t, cmakeFiles);
  const found = await findCmakeProject(folder, silent);
  assert.deepEqual(found?.targets, []);
  await configureProject(found!.configurations[0]!, silent);
  const [target, ...others] = (await findCmakeProject(folder, silent))!.targets;
  assert.deepEqual([target?.label, others.length], ['demo', 0]);
  const plan = (await target!.prepare(tools)) as LaunchPlan;
  assert.equal(plan.program, path.join(folder, 'build/lineheat/bin/my-demo'));
  assert.deepEqual([plan.args, plan.cwd], [['10'], folder]);
  assert.match(execFileSync('readelf', ['-S', plan.program], { encoding: 'utf8' }), /debug_line/);
});

test('a Debug folder is listed, and a RelWithDebInfo folder beside it is built', async (t) => {
  const folder = project(t, cmakeFiles);
  const build = path.join(folder, 'build');
  execFileSync('cmake', ['-S', folder, '-B', build, '-DCMAKE_BUILD_TYPE=Debug']);
  const [target] = (await findCmakeProject(folder, silent, [build]))!.targets;
  const plan = (await target!.prepare(tools)) as LaunchPlan;
  assert.equal(plan.program, path.join(folder, 'build/lineheat/bin/my-demo'));
});

test('a RelWithDebInfo folder of the user is used as it is', async (t) => {
  const folder = project(t, cmakeFiles);
  const build = path.join(folder, 'out/build/x');
  execFileSync('cmake', ['-S', folder, '-B', build, '-DCMAKE_BUILD_TYPE=RelWithDebInfo']);
  const [target] = (await findCmakeProject(folder, silent, [build]))!.targets;
  const plan = (await target!.prepare(tools)) as LaunchPlan;
  assert.equal(plan.program, path.join(folder, 'out/build/x/bin/my-demo'));
});

test("a failed build throws the compiler's words", async (t) => {
  const folder = project(t, { ...cmakeFiles, 'part.c': 'int part(void) { return nothing; }\n' });
  await configureProject((await findCmakeProject(folder, silent))!.configurations[0]!, silent);
  const [target] = (await findCmakeProject(folder, silent))!.targets;
  await assert.rejects(target!.prepare(tools), (error: StepFailed) => {
    assert.ok(error instanceof StepFailed);
    assert.match(error.lastWords, /.nothing. undeclared/);
    return true;
  });
});

test('a folder without CMakeLists.txt is no CMake project', async (t) => {
  assert.equal(await findCmakeProject(project(t, {}), silent), undefined);
});

test('Cargo binaries and examples are listed, and built optimised with line tables', async (t) => {
  const folder = project(t, {
    'Cargo.toml': '[package]\nname = "crab"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n',
    'src/main.rs': 'fn main() {}\n',
    'src/lib.rs': '',
    'examples/show.rs': 'fn main() {}\n',
    'benches/speed.rs': '',
  });
  const targets = await findCargoTargets(folder, silent);
  assert.deepEqual(targets.map(({ label }) => label).sort(), ['crab', 'show', 'speed']);
  const before = fs.readFileSync(path.join(folder, 'Cargo.toml'), 'utf8');
  const plan = (await targets.find(({ label }) => label === 'show')!.prepare(tools)) as LaunchPlan;
  assert.equal(plan.program, path.join(folder, 'target/release/examples/show'));
  assert.match(execFileSync('readelf', ['-S', plan.program], { encoding: 'utf8' }), /debug_line/);
  assert.equal(fs.readFileSync(path.join(folder, 'Cargo.toml'), 'utf8'), before);
});

test('the executable of a benchmark is the one that Cargo names', () => {
  const artifact = (name: string, executable: string | null) =>
    JSON.stringify({ reason: 'compiler-artifact', target: { name, kind: ['bench'] }, executable });
  const messages = [
    '   Compiling',
    artifact('other', '/t/other-1'),
    artifact('speed', null),
    artifact('speed', '/t/speed-2'),
  ];
  assert.equal(builtExecutable(messages.join('\n'), 'speed', 'bench'), '/t/speed-2');
});

test('a cache says whether its folder suits profiling', () => {
  const suits = (text: string) => suitsProfiling(parseCache(text));
  assert.equal(suits('# comment\nCMAKE_BUILD_TYPE:STRING=RelWithDebInfo\n'), true);
  assert.equal(suits('CMAKE_BUILD_TYPE:STRING=Debug\n'), false);
  assert.equal(suits('CMAKE_BUILD_TYPE:STRING=\n'), false);
  assert.equal(suits('CMAKE_CONFIGURATION_TYPES:STRING=Debug;Release;RelWithDebInfo\n'), true);
});

const context: LaunchContext = {
  workspaceFolder: '/w/app',
  folders: new Map([['lib', '/w/lib']]),
  userHome: '/me',
  activeFile: '/w/app/src/a.cpp',
  env: { LEVEL: '3' },
  setting: (name) => (name === 'app.mode' ? 'fast' : undefined),
  command: async (name) => (name === 'cmake.launchTargetPath' ? '/w/app/build/x' : undefined),
  input: async (id) => (id === 'turns' ? '500' : undefined),
};
test('variables of launch.json are resolved', async () => {
  const texts: Record<string, string> = {
    '${workspaceFolder}/a ${fileBasenameNoExtension}': '/w/app/a a',
    '${workspaceFolder:lib}${/}x': '/w/lib/x',
    '${env:LEVEL}${env:NONE}': '3',
    '${config:app.mode}': 'fast',
    '${command:cmake.launchTargetPath}': '/w/app/build/x',
    '--n=${input:turns}': '--n=500',
    'no $variable {here}': 'no $variable {here}',
  };
  for (const [text, expected] of Object.entries(texts)) assert.equal(await resolveVariables(text, context), expected);
});
test('a variable without a value is refused with a sentence that says what is missing', async () => {
  const reasons: Record<string, RegExp> = {
    '${input:x}': /\$\{input:x\}, but the "inputs" of launch\.json have no such input/,
    '${command:none}': /there is no such command, or it returned no text/,
    '${config:none}': /no such setting/,
    '${workspaceFolder:none}': /no folder of that name/,
    '${lineNumber}': /a variable that is not known here/,
  };
  for (const [text, reason] of Object.entries(reasons)) await assert.rejects(resolveVariables(text, context), reason);
  await assert.rejects(resolveVariables('${file}', { ...context, activeFile: undefined }), /no file is open/);
});
test('the inputs of launch.json are read, whatever shape they have', () => {
  const inputs = [
    'nonsense',
    { id: 'text', type: 'promptString', description: 'How many?', default: '5', password: true },
    { id: 'choice', type: 'pickString', options: ['a', { label: 'B', value: 'b' }, 3], default: 'b' },
    { id: 'none', type: 'pickString', options: [] },
    { id: 'run', type: 'command', command: 'x.y', args: { z: 1 } },
    { id: 'strange', type: 'other' },
  ];
  assert.deepEqual(launchInput(inputs, 'text'), {
    kind: 'prompt',
    description: 'How many?',
    default: '5',
    password: true,
  });
  const options = [
    { label: 'a', value: 'a' },
    { label: 'B', value: 'b' },
  ];
  assert.deepEqual(launchInput(inputs, 'choice'), { kind: 'pick', description: 'choice', default: 'b', options });
  assert.deepEqual(launchInput(inputs, 'run'), { kind: 'command', command: 'x.y', argument: { z: 1 } });
  for (const id of ['none', 'strange', 'missing']) assert.equal(launchInput(inputs, id), undefined);
  assert.equal(launchInput(undefined, 'text'), undefined);
});
const chooseProcess = async (program: string | undefined) => ({ name: program ?? 'any', attachPid: 7 });
test('native launch configurations become plans with their arguments, folder and environment', async () => {
  const ran: string[] = [];
  const configurations = [
    { name: 'py', type: 'python', request: 'launch', program: 'x.py' },
    {
      name: 'A',
      type: 'cppdbg',
      request: 'launch',
      program: '${workspaceFolder}/out/a',
      args: ['--n', 5],
      cwd: '${workspaceFolder}/run',
      environment: [{ name: 'X', value: '${env:LEVEL}' }],
      preLaunchTask: 'build',
    },
    { name: 'B', type: 'lldb-dap', request: 'launch', program: 'bin/b', env: ['K=a=b'] },
    { name: 'C', type: 'lldb', request: 'launch', cargo: { args: ['build'] } },
    'nonsense',
  ];
  const runTask = async (name: string) => void ran.push(name);
  const targets = launchTargets(configurations, '/w/app', { context: () => context, runTask, chooseProcess });
  assert.deepEqual(
    targets.map(({ label }) => label),
    ['A', 'B', 'C'],
  );
  const [a, b] = await Promise.all(targets.slice(0, 2).map((target) => target.prepare(tools)));
  assert.deepEqual(a, { name: 'A', program: '/w/app/out/a', args: ['--n', '5'], cwd: '/w/app/run', env: { X: '3' } });
  assert.deepEqual(b, { name: 'B', program: '/w/app/bin/b', args: [], cwd: '/w/app', env: { K: 'a=b' } });
  assert.deepEqual(ran, ['build']);
  await assert.rejects(targets[2]!.prepare(tools), /the debugger asks Cargo for it/);
});
test('a value that is missing is told before the task runs, and a task that is no name is refused', async () => {
  const own = { type: 'lldb', request: 'launch', program: 'p' };
  const configurations = [
    { ...own, name: 'A', args: ['${input:none}'], preLaunchTask: 'build' },
    { ...own, name: 'B', preLaunchTask: { type: 'shell' } },
  ];
  const runTask = async () => assert.fail('the task ran');
  const [a, b] = launchTargets(configurations, '/w/app', { context: () => context, runTask, chooseProcess });
  await assert.rejects(a!.prepare(tools), /input:none/);
  await assert.rejects(b!.prepare(tools), /is not the name of a task/);
});

test('arguments are taken apart as a shell would, and written so that they come back', () => {
  assert.deepEqual(parseArguments(`a 'b c' "d \\"e\\"" f\\ g '' $(x) ;`), [
    'a',
    'b c',
    'd "e"',
    'f g',
    '',
    '$(x)',
    ';',
  ]);
  assert.equal(parseArguments('a "b'), undefined);
  for (const args of [[], ['a'], ["it's", 'two words', '', '$HOME', '-x=1']]) {
    assert.deepEqual(parseArguments(argumentText(args)), args);
  }
});

test('a step gets its arguments as they are, whatever is in them', async () => {
  const args = ['a b', '$(touch x)', '; ls', '-n', '"', "'", '\n', '`id`'];
  const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
  const step = { title: 'echo', command: process.execPath, args: ['-e', script, '--', ...args], cwd: os.tmpdir() };
  assert.deepEqual(JSON.parse(await silent(step)), args);
});
test('a step whose command is missing says so', async () => {
  const step = { title: 'Building', command: 'no-such-compiler', args: [], cwd: os.tmpdir() };
  await assert.rejects(silent(step), /Building failed: no-such-compiler was not found in PATH/);
});
test('a step that is stopped takes its children along', async () => {
  const abort = new AbortController();
  const step = { title: 'Sleeping', command: '/bin/sh', args: ['-c', 'sleep 60 & wait'], cwd: os.tmpdir() };
  const run = runStep(step, () => {}, abort.signal);
  setTimeout(() => abort.abort(), 50);
  await assert.rejects(run, /it was stopped/);
});
