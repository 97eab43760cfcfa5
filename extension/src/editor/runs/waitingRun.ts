// A run that waits to be shown: a tool that has recorded one names it in `.lineheat/open` of the folder and opens the
// editor there. Opening the run file itself would not do: at its first start the editor does not know yet who shows it.
import fs from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { fileRun, type RunRef } from '../../engine/runRef.ts';

const NAME_BYTES_MAX = 1024;

/** Shows the run that waits in a folder, now and whenever one comes, and takes the note away. */
export function showWaitingRuns(show: (run: RunRef) => Promise<void>): vscode.Disposable {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder?.uri.scheme !== 'file') return new vscode.Disposable(() => {});
  const look = async () => {
    const runPath = await takeWaiting(folder.uri.fsPath);
    if (runPath) await show(fileRun(runPath));
  };
  const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '.lineheat/open'));
  watcher.onDidCreate(look);
  watcher.onDidChange(look);
  void look();
  return watcher;
}

/** The path of the run whose file name the note holds; undefined when none waits. */
async function takeWaiting(folder: string): Promise<string | undefined> {
  const note = path.join(folder, '.lineheat', 'open');
  // No link is followed: it may have come with the folder.
  if (!(await fs.lstat(path.dirname(note)).catch(() => undefined))?.isDirectory()) return undefined;
  const stat = await fs.lstat(note).catch(() => undefined);
  if (!stat?.isFile() || stat.size === 0 || stat.size > NAME_BYTES_MAX) return undefined;
  const name = (await fs.readFile(note, 'utf8')).trim();
  await fs.rm(note, { force: true });
  // A run of this folder and nothing else: whoever gave us the folder may have written the note.
  return name === path.basename(name) && name.endsWith('.pb.gz')
    ? path.join(folder, '.lineheat', 'runs', name)
    : undefined;
}
