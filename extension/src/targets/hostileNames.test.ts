// Names that a shell would obey, as folders, arguments and targets of real programs: they arrive as they are.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { findCargoTargets } from './cargoTargets.ts';
import { configureProject, findCmakeProject } from './cmakeTargets.ts';
import { executableTarget } from './engineTargets.ts';
import { runStep } from './runStep.ts';
import { type LaunchPlan, type Step, StepFailed } from './target.ts';

const MARK = 'a-shell-was-here';
const names = [
  'two words',
  `quotes ' " \``,
  `$(touch ${MARK})`,
  `\`touch ${MARK}\``,
  `; touch ${MARK} #`,
  `| touch ${MARK}`,
  `&& touch ${MARK}`,
  `> ${MARK}`,
  `line\ntouch ${MARK}\n`,
  '-n',
  '--version',
  '--',
  '-',
  '~',
  '*',
  '%PATH%',
  '\\',
  '',
];
const silent = (step: Step) => runStep(step, () => {});

function folderOf(t: { after(step: () => void): void }, name = ''): string {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat-names-')));
  t.after(() => fs.rmSync(base, { recursive: true }));
  const folder = path.join(base, name);
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}
const noShell = (folder: string) =>
  assert.deepEqual(
    fs.readdirSync(folder, { recursive: true }).filter((file) => path.basename(String(file)) === MARK),
    [],
  );

test('arguments of a step arrive byte for byte', async (t) => {
  const cwd = folderOf(t);
  const args = ['-e', 'process.stdout.write(JSON.stringify(process.argv.slice(1)))', '--', ...names];
  const output = await silent({ title: 'echo', command: process.execPath, args, cwd });
  assert.deepEqual(JSON.parse(output), names);
  noShell(cwd);
});

test('a command and a folder with such names are run, or refused in a sentence', async (t) => {
  for (const name of names.filter((text) => text !== '')) {
    const cwd = folderOf(t, path.join('x', name, 'y'));
    const program = path.join(cwd, name === '-' || name === '--' ? name : `${name} program`);
    fs.writeFileSync(program, '#!/bin/sh\nprintf %s "$1"\n', { mode: 0o755 });
    assert.equal(await silent({ title: 'run', command: program, args: [name], cwd }), name);
    const missing = { title: 'run', command: `${name} that is not there`, args: [], cwd };
    await assert.rejects(
      silent(missing),
      (error) => error instanceof StepFailed && /not found|ENOENT|EACCES/.test(error.message),
    );
    noShell(cwd);
  }
});

test('a CMake project in such a folder is built, and a target that looks like an option is refused', async (t) => {
  const folder = folderOf(t, `a b' $(touch ${MARK}) \`touch ${MARK}\``);
  const files = {
    'CMakeLists.txt': `cmake_minimum_required(VERSION 3.16)\nproject(demo C)\nadd_executable(demo main.c)\nadd_executable(-fast main.c)\n`,
    'main.c': 'int main(void) { return 0; }\n',
  };
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  await configureProject((await findCmakeProject(folder, silent))!.configurations[0]!, silent);
  const { targets } = (await findCmakeProject(folder, silent))!;
  const prepared = (label: string) =>
    targets.find((target) => target.label === label)!.prepare({ args: [], runStep: silent });
  assert.ok(fs.existsSync(((await prepared('demo')) as LaunchPlan).program));
  await assert.rejects(prepared('-fast'), StepFailed);
  noShell(path.dirname(folder));
});

test('a Cargo package in such a folder is listed', async (t) => {
  const folder = folderOf(t, `-a b'"$(touch ${MARK})\n`);
  fs.mkdirSync(path.join(folder, 'src'));
  fs.writeFileSync(path.join(folder, 'Cargo.toml'), '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n');
  fs.writeFileSync(path.join(folder, 'src/main.rs'), 'fn main() {}\n');
  const targets = await findCargoTargets(folder, silent);
  assert.deepEqual(
    targets.map(({ label }) => label),
    ['demo'],
  );
  noShell(path.dirname(folder));
});

test('an executable is named by its whole path, and shown with what cannot be seen', async () => {
  const executable = {
    path: '/w/-rf\u001b[31m\n',
    hasDebugLines: true,
    stripped: false,
    buildId: '',
    modifiedUnixMs: 0,
  };
  const target = executableTarget(executable, '/w');
  const plan = (await target.prepare({ args: [...names], runStep: silent })) as LaunchPlan;
  assert.deepEqual([plan.program, plan.args], [executable.path, names]);
  assert.equal(target.label, '-rf\\x1b[31m\\x0a');
});
