// The suite on places in sources (bundled to dist/test/source-places.js): real programs in and outside of the open folder,
// recorded by the real engine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { eventually, pause, runInOrder } from './inOrder.ts';

const HOT_LINE = 5;
const source = `#include <stdlib.h>

static double burn(long turns) {
  double sum = 0;
  for (long i = 1; i <= turns; i++) sum += 1.0 / (double)(i % 7 + 1) / (double)i;
  return sum;
}

int main(int count, char **words) { return burn(atol(words[1])) > count * 100; }
`;

const folder = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat-elsewhere-'));
const call = (command: string, ...args: unknown[]) => vscode.commands.executeCommand(`lineheat.${command}`, ...args);

/** Compiles the source there and records it; gives the run. */
async function recorded(directory: string, name: string, flag: string, turns = 150_000_000): Promise<string> {
  const [file, program] = [path.join(directory, `${name}.c`), path.join(directory, name)];
  fs.writeFileSync(file, source);
  execFileSync('gcc', ['-O1', flag, '-o', program, file]);
  const result = await call('profileTarget', { program, args: [String(turns)], cwd: folder });
  return (result as { runPath: string }).runPath;
}

const closeEditors = async () => {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await vscode.commands.executeCommand('notifications.clearAll');
};
/** A file as git has it, by the way that the editor's own diffs name it. */
async function gitUri(file: vscode.Uri, ref: string): Promise<vscode.Uri> {
  const git = await vscode.extensions.getExtension('vscode.git')!.activate();
  return git.getAPI(1).toGitUri(file, ref);
}

const activePlace = () => {
  const editor = vscode.window.activeTextEditor;
  return editor && `${editor.document.uri.scheme}:${editor.document.uri.path}:${editor.selection.active.line + 1}`;
};

const tests: Record<string, () => Promise<void>> = {
  'the hottest line outside of the folder is shown after one question': async () => {
    await recorded(elsewhere, 'outside', '-g');
    await closeEditors();
    const going = call('goToHottestLine');
    await pause(1000);
    const file = path.join(elsewhere, 'outside.c');
    const isLoaded = () => vscode.workspace.textDocuments.some(({ uri }) => uri.fsPath === file);
    assert.equal(isLoaded(), false, 'nothing is opened before the answer');
    await vscode.commands.executeCommand('notifications.showList');
    await vscode.commands.executeCommand('notification.acceptPrimaryAction');
    await going;
    assert.equal(activePlace(), `file:${file}:${HOT_LINE}`);
    await closeEditors();
    await call('goToHottestLine');
    assert.equal(activePlace(), `file:${file}:${HOT_LINE}`, 'the same file is not asked about again');
  },

  'the hottest line of a source that is gone is shown in the text that the run has kept': async () => {
    const run = await recorded(elsewhere, 'gone', '-g');
    // Opened with the sources as they are now.
    await call('clearHeat');
    fs.rmSync(path.join(elsewhere, 'gone.c'));
    await closeEditors();
    await call('openRun', run);
    await call('goToHottestLine');
    assert.equal(activePlace(), `lineheat:${path.join(elsewhere, 'gone.c')}:${HOT_LINE}`);
  },

  'in a git diff, one run has heat in the file only, and a comparison on both sides': async () => {
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', ...words], { cwd: folder });
    git('init', '-q');
    fs.writeFileSync(path.join(folder, 'diffed.c'), `// The first text.\n${source}`);
    git('add', 'diffed.c');
    git('commit', '-qm', 'first');
    const run = await recorded(folder, 'diffed', '-g');
    const file = vscode.Uri.file(path.join(folder, 'diffed.c'));
    const old = await gitUri(file, 'HEAD');
    await vscode.commands.executeCommand('vscode.diff', old, file, 'diffed.c');
    const lensesOf = async (uri: vscode.Uri) =>
      (await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri)).length;
    const hoversOf = async (uri: vscode.Uri, line: number) => {
      const at = new vscode.Position(line - 1, 8);
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', uri, at);
      const texts = hovers.flatMap(({ contents }) => contents);
      return texts.filter((text) => /\*\*self\*\*/.test(typeof text === 'string' ? text : text.value)).length;
    };
    await eventually('heat in the file', async () => (await lensesOf(file)) > 0);
    assert.equal(await hoversOf(file, HOT_LINE), 1);
    assert.match((await vscode.workspace.openTextDocument(old)).getText(), /^\/\/ The first text/);
    assert.equal(await lensesOf(old), 0);
    for (const line of [HOT_LINE, HOT_LINE + 1]) assert.equal(await hoversOf(old, line), 0);
    await call('compareRuns', { base: run, new: await recorded(folder, 'diffed', '-g', 400_000_000) });
    await eventually('figures of the comparison', async () => (await lensesOf(old)) > 0);
  },

  'a program without line information opens nothing, and the command ends with words': async () => {
    await recorded(folder, 'bare', '-s');
    await closeEditors();
    await call('goToHottestLine');
    assert.equal(vscode.window.activeTextEditor, undefined);
  },
};

export const run = (): Promise<void> =>
  runInOrder(tests).finally(() => fs.rmSync(elsewhere, { recursive: true, force: true }));
