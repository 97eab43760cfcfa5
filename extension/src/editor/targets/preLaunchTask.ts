// Runs a task of the workspace before a launch configuration, as the debugger would.
import * as vscode from 'vscode';
import { visibleText } from '../../../../core/foreignText.ts';
import { TargetError } from '../../targets/target.ts';

// biome-ignore lint/suspicious/noTemplateCurlyInString: launch.json names the task by this variable
const DEFAULT_BUILD = '${defaultBuildTask}';

/** Runs the task and waits for its end; one that goes on in the background is only started. Throws TargetError. */
export async function runPreLaunchTask(name: string, folder: string): Promise<void> {
  const shown = visibleText(name, 200);
  const task = named(await vscode.tasks.fetchTasks(), name, folder);
  if (!task) {
    throw new TargetError(
      vscode.l10n.t('The preLaunchTask "{0}" was not found. Nothing was recorded.', shown),
      vscode.l10n.t('Define it in tasks.json, or take "preLaunchTask" out of the launch configuration.'),
    );
  }
  const exitCode = await exitOf(task);
  if (exitCode === 0) return;
  throw new TargetError(
    exitCode === undefined
      ? vscode.l10n.t('The preLaunchTask "{0}" was stopped. Nothing was recorded.', shown)
      : vscode.l10n.t('The preLaunchTask "{0}" failed with exit code {1}. Nothing was recorded.', shown, exitCode),
    vscode.l10n.t('See its terminal for the output.'),
  );
}

/** Labels are unique within a folder only: the configuration's own folder first. */
function named(tasks: readonly vscode.Task[], name: string, folder: string): vscode.Task | undefined {
  const isNamed = (task: vscode.Task) =>
    name === DEFAULT_BUILD
      ? task.group?.id === vscode.TaskGroup.Build.id && task.group.isDefault === true
      : task.name === name || `${task.source}: ${task.name}` === name;
  const found = tasks.filter(isNamed);
  const isOwn = ({ scope }: vscode.Task) => typeof scope === 'object' && scope.uri.fsPath === folder;
  return found.find(isOwn) ?? found[0];
}

/** The exit code of the task's process: undefined when it was stopped, 0 for a task that only starts other ones. */
async function exitOf(task: vscode.Task): Promise<number | undefined> {
  const listeners: vscode.Disposable[] = [];
  try {
    return await new Promise<number | undefined>((resolve, reject) => {
      let running: vscode.TaskExecution | undefined;
      // A task may end before the call that started it returns.
      const isOurs = ({ execution }: vscode.TaskEndEvent) =>
        running ? execution === running : execution.task.name === task.name;
      listeners.push(
        vscode.tasks.onDidEndTaskProcess((event) => isOurs(event) && resolve(event.exitCode)),
        vscode.tasks.onDidEndTask((event) => isOurs(event) && setTimeout(resolve, PROCESS_END_MS, 0)),
      );
      vscode.tasks.executeTask(task).then((execution) => {
        running = execution;
        if (task.isBackground) resolve(0);
      }, reject);
    });
  } finally {
    for (const listener of listeners) listener.dispose();
  }
}

/** The end of a task and the end of its process are told apart, in either order. */
const PROCESS_END_MS = 250;
