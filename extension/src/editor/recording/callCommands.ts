// Commands that choose whose calls the next recordings count.
import * as vscode from 'vscode';
import { visibleText } from '../../../../core/foreignText.ts';
import type { NamedFunction } from '../../../../core/namedFunction.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { functionAtLine } from '../../heat/functionAtLine.ts';
import { literalPattern } from '../../recording/literalPattern.ts';
import { isFunction } from '../commandArguments.ts';
import type { Commands } from '../commandTable.ts';
import type { FileHeats } from '../heat/fileHeats.ts';
import { inform } from '../notifications.ts';
import { recordSettings } from '../settings.ts';

export interface CallCommandParts {
  readonly heats: Pick<FileHeats, 'of'>;
}

export function callCommands({ heats }: CallCommandParts): Commands {
  const atCursor = async (): Promise<NamedFunction | undefined> => {
    const editor = vscode.window.activeTextEditor;
    const answer = editor && (await heats.of(editor.document));
    return answer?.kind === 'run' ? functionAtLine(answer.heat, editor!.selection.active.line + 1) : undefined;
  };
  const add = async (argument: unknown): Promise<string> => {
    const named = isFunction(argument) ? argument : await atCursor();
    if (!named) {
      throw new EngineFailure(
        'not-found',
        vscode.l10n.t('No function with samples in the open run is at the cursor.'),
        vscode.l10n.t('Place the cursor in such a function, or name functions in the setting lineheat.record.calls.'),
      );
    }
    await setCalls([...new Set([...recordSettings().calls, literalPattern(named.name)])]);
    return named.name;
  };
  return {
    countCalls: async (argument) => {
      const name = visibleText(await add(argument));
      const again = vscode.l10n.t('Profile Again');
      const settings = vscode.l10n.t('Open Setting');
      const text = vscode.l10n.t('The next recordings count the calls of {0}.', name);
      void inform(text, again, settings).then((choice) => {
        if (choice === again) void vscode.commands.executeCommand('lineheat.profileAgain');
        if (choice === settings)
          void vscode.commands.executeCommand('workbench.action.openSettings', 'lineheat.record.calls');
      });
    },
    countCallsAgain: async (argument) => {
      await add(argument);
      return vscode.commands.executeCommand('lineheat.profileAgain');
    },
  };
}

/** Where the user sees it next to the program: in the workspace, if one is open. */
async function setCalls(calls: readonly string[]): Promise<void> {
  const { ConfigurationTarget, workspace } = vscode;
  const target = workspace.workspaceFolders ? ConfigurationTarget.Workspace : ConfigurationTarget.Global;
  await workspace.getConfiguration('lineheat.record').update('calls', calls, target);
}
