// Lets `lineheat doctor --install` give this user the permission to record, or take it away again: in an integrated
// terminal, where sudo can ask and the user sees each command before it runs. The extension itself gains nothing.
import os from 'node:os';
import * as vscode from 'vscode';
import { EngineFailure } from '../../engine/failure.ts';

export type PermissionChange = 'install' | 'uninstall';

/** The exit code of `ENGINE doctor --install` or `--uninstall`; undefined when its terminal was closed before. */
export async function changePermission(engine: string, change: PermissionChange): Promise<number | undefined> {
  if (!vscode.workspace.isTrusted) {
    throw new EngineFailure(
      'untrusted',
      vscode.l10n.t('This workspace is not trusted, so no command is run from its window.'),
      vscode.l10n.t('Trust it, or do this in a window of another folder.'),
    );
  }
  const title =
    change === 'install' ? vscode.l10n.t('Set Up Profiling Permission') : vscode.l10n.t('Remove Profiling Permission');
  // A task with a process instead of a terminal with a shell: nothing is quoted, and its words stay when it has ended.
  const task = new vscode.Task(
    { type: 'lineheat', change },
    vscode.TaskScope.Global,
    title,
    'Lineheat',
    // A folder of its own: without one the task would look for the open folder, and there may be none.
    new vscode.ProcessExecution(engine, ['doctor', `--${change}`], { cwd: os.homedir() }),
  );
  task.presentationOptions = {
    reveal: vscode.TaskRevealKind.Always,
    panel: vscode.TaskPanelKind.Dedicated,
    focus: true,
    clear: true,
  };
  return exitCodeOf(task);
}

async function exitCodeOf(task: vscode.Task): Promise<number | undefined> {
  const listeners: vscode.Disposable[] = [];
  try {
    return await new Promise<number | undefined>((resolve, reject) => {
      const isOurs = ({ execution }: vscode.TaskEndEvent) =>
        execution.task.source === task.source && execution.task.name === task.name;
      listeners.push(
        vscode.tasks.onDidEndTaskProcess((event) => isOurs(event) && resolve(event.exitCode)),
        // The end of a task is told before or after that of its process.
        vscode.tasks.onDidEndTask((event) => isOurs(event) && setTimeout(resolve, PROCESS_END_MS, undefined)),
      );
      vscode.tasks.executeTask(task).then(undefined, reject);
    });
  } finally {
    for (const listener of listeners) listener.dispose();
  }
}

const PROCESS_END_MS = 250;
