// Runs the command that a sentence advises, or opens the setting: one of these, whatever a page asks for.
import * as vscode from 'vscode';
import type { AdvisedCommand } from '../../../core/advisedCommands.ts';

const commands: Readonly<Record<AdvisedCommand, () => Thenable<unknown>>> = {
  profileRepeatedly: () => vscode.commands.executeCommand('lineheat.profileRepeatedly'),
  waitingSetting: () => showSetting('lineheat.record.waiting'),
  allocationsSetting: () => showSetting('lineheat.record.allocations'),
  callsSetting: () => showSetting('lineheat.record.calls'),
  syscallsSetting: () => showSetting('lineheat.record.systemCalls'),
  faultsSetting: () => showSetting('lineheat.record.pageFaults'),
  wakeupsSetting: () => showSetting('lineheat.record.wakeups'),
  doctor: () => vscode.commands.executeCommand('lineheat.doctor'),
};

/** Among those of the open folder: in a remote window, the user's own settings leave out what belongs to a machine. */
function showSetting(key: string): Thenable<unknown> {
  return vscode.workspace.workspaceFolders
    ? vscode.commands.executeCommand('workbench.action.openWorkspaceSettings', key)
    : vscode.commands.executeCommand('workbench.action.openSettings', key);
}

export async function runAdvised(command: AdvisedCommand): Promise<void> {
  await commands[command]();
}
