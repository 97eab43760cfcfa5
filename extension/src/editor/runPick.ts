// Lets the user choose saved runs: of this workspace, or a file from anywhere.
import * as vscode from 'vscode';
import { entryText } from '../../../core/foreignText.ts';
import type { RunSummary } from '../../../core/wire.ts';
import { runFacts, runName } from '../heat/runText.ts';

interface RunItem extends vscode.QuickPickItem {
  readonly path: string | undefined;
}

/** The path of the chosen run; undefined when the user changed their mind. */
export async function pickRun(runs: readonly RunSummary[], placeHolder: string): Promise<string | undefined> {
  const now = new Date();
  const items: RunItem[] = runs
    .filter((run) => !run.problem)
    .map((run) => ({
      label: entryText(runName(run)),
      description: entryText(runFacts(run, now).join('  ')),
      path: run.path,
    }));
  const other: RunItem = { label: `$(folder-opened) ${vscode.l10n.t('Open a Profile File…')}`, path: undefined };
  const choice = await vscode.window.showQuickPick([...items, other], { placeHolder, matchOnDescription: true });
  return choice && (choice.path ?? pickFile());
}

async function pickFile(): Promise<string | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Open Profile'),
      filters: { [vscode.l10n.t('Profiles (pprof)')]: ['pb.gz', 'pprof', 'gz'], [vscode.l10n.t('All Files')]: ['*'] },
    })) ?? [];
  return file?.fsPath;
}
