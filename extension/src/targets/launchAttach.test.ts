// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of launch.json look like that
// launch.json configurations that attach to a process.
import assert from 'node:assert/strict';
import test from 'node:test';
import { processesOf } from './launchAttach.ts';
import { launchTargets } from './launchTargets.ts';
import type { LaunchContext } from './launchVariables.ts';

const context: LaunchContext = {
  workspaceFolder: '/w',
  folders: new Map(),
  userHome: '/me',
  activeFile: undefined,
  env: { SERVER_PID: '41' },
  setting: () => undefined,
  command: async (name) => (name === 'own.process' ? '42' : undefined),
  input: async () => 'none',
};
const asked: (string | undefined)[] = [];
const prepared = async (configuration: object) => {
  const tools = {
    context: () => context,
    runTask: async () => {},
    chooseProcess: async (program: string | undefined) => {
      asked.push(program);
      return { name: 'chosen', attachPid: 7 };
    },
  };
  const [target] = launchTargets([{ name: 'A', type: 'lldb', request: 'attach', ...configuration }], '/w', tools);
  assert.equal(target?.attaches, true);
  return target!.prepare({ args: [], runStep: async () => '' });
};

test('a process that is named by its number is attached to', async () => {
  for (const [pid, expected] of [
    [40, 40],
    ['40', 40],
    ['${env:SERVER_PID}', 41],
    ['${command:own.process}', 42],
  ])
    assert.deepEqual(await prepared({ pid }), { name: 'A', attachPid: expected });
  assert.deepEqual(await prepared({ type: 'cppdbg', processId: 40 }), { name: 'A', attachPid: 40 });
  assert.deepEqual(asked, []);
});

test('without a number the process is chosen, among those of the program where one is named', async () => {
  const chosen = { name: 'chosen', attachPid: 7 };
  for (const pid of [
    undefined,
    '',
    '${command:pickProcess}',
    '${command:pickMyProcess}',
    '${command:cpptools.pickNativeProcess}',
  ])
    assert.deepEqual(await prepared({ pid, program: '${workspaceFolder}/bin/serve' }), chosen);
  assert.deepEqual(await prepared({ processId: '${command:pickRemoteProcess}' }), chosen);
  assert.deepEqual(asked, [...Array(5).fill('/w/bin/serve'), undefined]);
});

test('what is no process of this machine is refused with a sentence', async () => {
  await assert.rejects(prepared({ pid: '${input:x}' }), /attaches to the process "none", which is not a process ID/);
  for (const pid of [-1, 1.5, 'x', true]) await assert.rejects(prepared({ pid }), /which is not a process ID/);
  await assert.rejects(prepared({ coreFile: 'core' }), /another machine or to a core file/);
  await assert.rejects(prepared({ miDebuggerServerAddress: 'x:1' }), /another machine/);
});

test('the processes of a program are known by their command line, else by their name', () => {
  const running = [
    { name: 'serve', commandLine: '/w/bin/serve --port 1' },
    { name: 'serve', commandLine: '/other/serve' },
    { name: 'serve', commandLine: '/w/bin/serve2' },
    { name: 'a-very-long-nam', commandLine: '' },
  ];
  assert.deepEqual(processesOf(running, '/w/bin/serve'), [running[0]]);
  assert.deepEqual(processesOf(running, '/x/serve'), running.slice(0, 3));
  assert.deepEqual(processesOf(running, '/x/a-very-long-name-of-a-server'), [running[3]]);
  assert.deepEqual(processesOf(running, '/x/none'), []);
});
