// Registers the commands that the features give, with one way for all to fail.
import * as vscode from 'vscode';
import { isFromProgram } from './commandArguments.ts';
import { merged } from './commandTable.ts';
import { type DoctorCommandParts, doctorCommands } from './doctor/doctorCommands.ts';
import { showFailure } from './failureMessages.ts';
import { type HeatCommandParts, heatCommands } from './heat/heatCommands.ts';
import type { OutputLog } from './outputLog.ts';
import { type PanelCommandParts, panelCommands } from './panels/panelCommands.ts';
import { type SelectionCommandParts, selectionCommands } from './panels/selectionCommands.ts';
import { type CallCommandParts, callCommands } from './recording/callCommands.ts';
import { type RecordingCommandParts, recordingCommands } from './recording/recordingCommands.ts';
import { type ComparisonCommandParts, comparisonCommands } from './runs/comparisonCommands.ts';
import { type RunCommandParts, runCommands } from './runs/runCommands.ts';

/** What all features need together; each sees its own part only. */
export type CommandParts = HeatCommandParts &
  PanelCommandParts &
  SelectionCommandParts &
  RecordingCommandParts &
  CallCommandParts &
  RunCommandParts &
  ComparisonCommandParts &
  DoctorCommandParts & { readonly log: OutputLog };

/** Registers every command. A failure is shown to the user, and thrown to a caller that gave arguments. */
export function registerCommands(parts: CommandParts): vscode.Disposable[] {
  const commands = merged([
    recordingCommands(parts),
    callCommands(parts),
    heatCommands(parts),
    panelCommands(parts),
    selectionCommands(parts),
    runCommands(parts),
    comparisonCommands(parts),
    doctorCommands(parts),
  ]);
  return [...commands].map(([name, run]) =>
    vscode.commands.registerCommand(`lineheat.${name}`, async (argument?: unknown) => {
      try {
        return await run(argument);
      } catch (error) {
        void showFailure(error, parts.log);
        // A caller that gave arguments is a program and must know; a user has the message.
        if (isFromProgram(argument)) throw error;
        return undefined;
      }
    }),
  );
}
