// Run a Command… and Browse for a Program…: what no build system knows of.
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { entryText } from '../../../../core/foreignText.ts';
import {
  browsedTarget,
  commandTarget,
  historyAfter,
  parseCommand,
  type TypedCommand,
} from '../../targets/commandTargets.ts';
import type { Target } from '../../targets/target.ts';

const MEMORY = 'lineheat.commands';

interface CommandItem extends vscode.QuickPickItem {
  readonly command?: TypedCommand;
}

export class ProgramPrompts {
  constructor(private readonly memory: vscode.Memento) {}

  /** A command that the user types, or one of those that ran before. */
  async askCommand(): Promise<Target | undefined> {
    const command = await this.chooseCommand();
    if (!command) return undefined;
    await this.memory.update(MEMORY, historyAfter(this.history(), command));
    return commandTarget(command, os.homedir());
  }

  /** A program that the user looks for among all files. */
  async browse(): Promise<Target | undefined> {
    const folder = startFolder();
    const [file] =
      (await vscode.window.showOpenDialog({
        title: vscode.l10n.t('Browse for a Program'),
        openLabel: vscode.l10n.t('Profile'),
        defaultUri: vscode.Uri.file(folder),
        canSelectMany: false,
      })) ?? [];
    return file && browsedTarget(file.fsPath, folder);
  }

  private history(): readonly TypedCommand[] {
    return this.memory.get<TypedCommand[]>(MEMORY, []);
  }

  private chooseCommand(): Promise<TypedCommand | undefined> {
    const pick = vscode.window.createQuickPick<CommandItem>();
    const history = this.history();
    let cwd = startFolder();
    let asking = false;
    const folderButton: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon('folder'),
      tooltip: vscode.l10n.t('Change Working Directory…'),
    };
    pick.title = vscode.l10n.t('Run a Command');
    pick.placeholder = vscode.l10n.t('Type a command, such as: python3 main.py input.txt');
    pick.buttons = [folderButton];
    pick.ignoreFocusOut = true;
    const fill = () => {
      const line = pick.value.trim();
      const problem = line === '' ? undefined : parseCommand(line, os.homedir());
      const typed: CommandItem = {
        label: entryText(line, 2000),
        ...(typeof problem === 'string'
          ? { detail: `$(warning) ${problem}` }
          : { description: vscode.l10n.t('in {0}', entryText(cwd)), command: { line, cwd } }),
        alwaysShow: true,
      };
      const before = history.filter((one) => one.line !== line || one.cwd !== cwd).map(historyItem);
      const usage: CommandItem = { label: vscode.l10n.t('The command runs in {0}', entryText(cwd)), alwaysShow: true };
      pick.items = line === '' ? (before.length > 0 ? before : [usage]) : [typed, ...before];
      if (line !== '') pick.activeItems = [typed];
    };
    return new Promise((resolve) => {
      pick.onDidChangeValue(fill);
      pick.onDidTriggerButton(async () => {
        asking = true;
        const options = { defaultUri: vscode.Uri.file(cwd), canSelectFolders: true, canSelectFiles: false };
        const [chosen] = (await vscode.window.showOpenDialog(options)) ?? [];
        cwd = chosen?.fsPath ?? cwd;
        asking = false;
        pick.show();
        fill();
      });
      pick.onDidAccept(() => {
        const [item] = pick.selectedItems;
        const line = pick.value.trim();
        // What was typed last counts: the entry of it may be one key behind.
        const isHistory = item !== undefined && history.includes(item.command as TypedCommand);
        const command = isHistory ? item?.command : { line, cwd };
        if (!command || typeof parseCommand(command.line, os.homedir()) === 'string') return fill();
        resolve(command);
        pick.hide();
      });
      pick.onDidHide(() => {
        if (asking) return; // for the folder
        resolve(undefined);
        pick.dispose();
      });
      fill();
      pick.show();
    });
  }
}

function historyItem(command: TypedCommand): CommandItem {
  return {
    label: entryText(command.line, 2000),
    description: vscode.l10n.t('in {0}', entryText(command.cwd)),
    command,
  };
}

/** The folder of the file that is looked at, where it is one of the workspace's; else the first one. */
function startFolder(): string {
  const active = vscode.window.activeTextEditor?.document.uri;
  const own = active && vscode.workspace.getWorkspaceFolder(active);
  const [first] = vscode.workspace.workspaceFolders ?? [];
  const folder = own ?? first;
  return folder?.uri.scheme === 'file' ? folder.uri.fsPath : path.resolve(os.homedir());
}
