// Runs the command that a sentence advises, or opens the setting: one of these, whatever a page asks for.
import * as vscode from 'vscode';
import type { AdvisedCommand } from '../../../core/advisedCommands.ts';

const commands: Readonly<Record<AdvisedCommand, () => Thenable<unknown>>> = {
  profileRepeatedly: () => vscode.commands.executeCommand('lineheat.profileRepeatedly'),
  waitingSetting: () => vscode.commands.executeCommand('workbench.action.openSettings', 'lineheat.record.waiting'),
  doctor: () => vscode.commands.executeCommand('lineheat.doctor'),
};

export async function runAdvised(command: AdvisedCommand): Promise<void> {
  await commands[command]();
}
