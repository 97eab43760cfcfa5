// What the variables of a launch.json stand for: folders, files, settings, answers of commands and of the user.
import os from 'node:os';
import * as vscode from 'vscode';
import { entryText, messageText } from '../../../../core/foreignText.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { type LaunchInput, launchInput } from '../../targets/launchInputs.ts';
import type { LaunchContext } from '../../targets/launchVariables.ts';

/** The context for one use of a configuration: what was asked once is not asked again. */
export function launchContext(workspaceFolder: string): LaunchContext {
  const scope = vscode.Uri.file(workspaceFolder);
  const answers = new Map<string, Promise<string | undefined>>();
  const once = (key: string, ask: () => Promise<string | undefined>) => {
    const known = answers.get(key) ?? ask();
    answers.set(key, known);
    return known;
  };
  // Only what the user chose from a folder that they trust comes here; its debugger would run the same commands.
  const command = async (name: string, argument?: unknown) => {
    const known = (await vscode.commands.getCommands()).includes(name);
    const value: unknown = known ? await vscode.commands.executeCommand(name, argument) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  const inputs = () => vscode.workspace.getConfiguration('launch', scope).get<unknown>('inputs');
  return {
    workspaceFolder,
    folders: new Map((vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => [name, uri.fsPath])),
    userHome: os.homedir(),
    activeFile: vscode.window.activeTextEditor?.document.uri.fsPath,
    env: process.env,
    setting: (name) => vscode.workspace.getConfiguration(undefined, scope).get(name),
    command: (name) => once(`command:${name}`, () => command(name)),
    input: (id) =>
      once(`input:${id}`, async () => {
        const input = launchInput(inputs(), id);
        return input && (input.kind === 'command' ? command(input.command, input.argument) : ask(input));
      }),
  };
}

/** The user's answer. Throws `cancelled` when they gave none. */
async function ask(input: Exclude<LaunchInput, { kind: 'command' }>): Promise<string> {
  const prompt = messageText(input.description, 500);
  const answer =
    input.kind === 'prompt'
      ? await vscode.window.showInputBox({
          prompt,
          value: input.default,
          password: input.password,
          ignoreFocusOut: true,
        })
      : (await vscode.window.showQuickPick(optionsOf(input), { placeHolder: prompt, ignoreFocusOut: true }))?.value;
  if (answer === undefined)
    throw new EngineFailure('cancelled', vscode.l10n.t('The input of the launch configuration was cancelled.'));
  return answer;
}

/** The default first: Enter takes it, as in the debugger. */
function optionsOf({ options, default: first }: Extract<LaunchInput, { kind: 'pick' }>) {
  const ordered = [
    ...options.filter(({ value }) => value === first),
    ...options.filter(({ value }) => value !== first),
  ];
  return ordered.map(({ label, value }) => ({ label: entryText(label, 500), value }));
}
