// The folders of this workspace that are on this machine.
import * as vscode from 'vscode';

/** Where sources are looked for when a recorded path does not exist on this machine. */
export function workspaceFolderPaths(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
}
