// The suite against an engine that lies (bundled to dist/test/fake-engine.js): the extension is a copy whose engine is
// the script of fakeEngine.test.mjs. It plays mutated frames and notes how it was started.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { FRAMES } from '../support/mutatedFrames.ts';
import { pause, runInOrder } from './inOrder.ts';

const MEMORY_MAX = 512 << 20;
const folder = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
const engineFile = (name: string) => path.join(folder, 'engine', name);
const source = path.join(folder, 'a.cpp');
const call = (command: string, ...args: unknown[]) => vscode.commands.executeCommand(`lineheat.${command}`, ...args);

const played = () => Number(fs.readFileSync(engineFile('played'), 'utf8'));
const starts = () =>
  fs
    .readFileSync(engineFile('starts'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Ends by itself: what an answer asks of the user is not there to be answered. */
const within = (ms: number, work: Thenable<unknown>) =>
  Promise.race([
    Promise.resolve(work).then(
      () => 'done',
      (error: Error) => error.message,
    ),
    pause(ms).then(() => 'waits'),
  ]);

const tests: Record<string, () => Promise<void>> = {
  'setting up and removing the permission start the engine itself in a terminal, and the page is shown anew':
    async () => {
      fs.writeFileSync(source, 'int a;\nint b;\n');
      fs.writeFileSync(engineFile('mode'), 'honest');
      const executions: vscode.TaskExecution[] = [];
      const listener = vscode.tasks.onDidStartTask(({ execution }) => executions.push(execution));
      for (const [command, flag] of [
        ['setUpPermission', '--install'],
        ['removePermission', '--uninstall'],
      ] as const) {
        assert.deepEqual(await call(command), { exitCode: 0, canRecord: true });
        const execution = executions.at(-1)!.task.execution;
        assert.ok(execution instanceof vscode.ProcessExecution, 'it is no shell');
        assert.deepEqual(execution.args, ['doctor', flag]);
        assert.equal(path.basename(execution.process), 'lineheat');
        const start = starts().findLast(({ args }) => args[0] === 'doctor');
        assert.deepEqual(start, { args: ['doctor', flag], terminal: true });
      }
      listener.dispose();
      // The fake engine counts: asked twice, after each of the two. The editor is told of the new text a moment later.
      const page = () =>
        vscode.window.visibleTextEditors.find(({ document }) => document.uri.path === '/Lineheat Doctor')!.document;
      for (let patienceMs = 5000; patienceMs > 0 && !page().getText().includes('asked 2'); patienceMs -= 50)
        await pause(50);
      assert.match(page().getText(), /✓ ok {7}asked 2 times/);
    },

  'the page offers to set up, to check again, and to copy each command, by numbers of our own': async () => {
    const uri = vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'lineheat')!.document
      .uri;
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 99);
    const found = lenses.map(({ command }) => [command!.command, ...(command!.arguments ?? [])].join(' '));
    assert.deepEqual(found.sort(), [
      'lineheat.doctor',
      'lineheat.doctor.copy permission',
      'lineheat.removePermission',
      'lineheat.setUpPermission',
    ]);
  },

  [`${FRAMES} mutated frames leave the extension host alive, small, and with nothing opened`]: async () => {
    fs.writeFileSync(engineFile('mode'), 'frames');
    const uri = vscode.Uri.file(source);
    await vscode.window.showTextDocument(uri);
    const outcomes = new Map<string, number>();
    for (let turn = 0; played() < FRAMES && turn < FRAMES; turn++) {
      const outcome = await within(
        100,
        turn % 4 < 2
          ? call('openRun', path.join(folder, `${turn}.pb.gz`))
          : turn % 4 === 2
            ? vscode.commands.executeCommand('vscode.executeHoverProvider', uri, new vscode.Position(0, 1))
            : vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri, 9),
      );
      outcomes.set(outcome, 1 + (outcomes.get(outcome) ?? 0));
    }
    const { rss } = process.memoryUsage();
    console.log(
      `figure: ${played()} frames played, ${outcomes.size} kinds of outcome, ${rss >> 20} MB in the extension host`,
    );
    assert.ok(played() >= FRAMES, `only ${played()} frames were played`);
    assert.equal(starts().filter(({ args }) => args[0] === 'serve').length, 1, 'the engine was not restarted');
    assert.ok(rss < MEMORY_MAX, `${rss >> 20} MB`);
    // What the command was told is told to its caller; nobody awaits the messages for the user.
    assert.ok(
      [...outcomes.keys()].some((words) => /lacks the expected RunOpened/.test(words)),
      [...outcomes.keys()].join(),
    );
    const foreign = vscode.workspace.textDocuments.filter(({ uri: { path } }) => path.startsWith('/etc/'));
    assert.deepEqual(foreign, []);
  },

  'a frame that breaks the protocol costs one sentence, and the next request has an engine again': async () => {
    fs.writeFileSync(engineFile('mode'), 'broken');
    const broken = await within(5000, call('openRun', path.join(folder, 'x.pb.gz')));
    assert.match(broken, /sent a message that violates the protocol/);
    fs.writeFileSync(engineFile('mode'), 'honest');
    assert.deepEqual(await call('doctor'), { canRecord: true });
    assert.equal(starts().filter(({ args }) => args[0] === 'serve').length, 2);
  },
};

export const run = (): Promise<void> => runInOrder(tests);
