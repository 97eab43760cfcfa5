// Lets the user choose saved runs: of this workspace, the last one of another branch first, or a file from anywhere.
import * as vscode from 'vscode';
import { entryText } from '../../../../core/foreignText.ts';
import type { RunSummary } from '../../../../core/wire.ts';
import { fileRun, listedRun, type RunRef } from '../../engine/runRef.ts';
import { lastRunsOfBranches, runFacts, runName } from '../../heat/runText.ts';

interface RunItem extends vscode.QuickPickItem {
  readonly run?: RunRef;
}

/**
 * The chosen run; undefined when the user changed their mind. `beside`: the run to compare with; the last runs
 * of other branches than its own stand first then.
 */
export async function pickRun(
  runs: readonly RunSummary[],
  placeHolder: string,
  beside?: RunSummary,
): Promise<RunRef | undefined> {
  const now = new Date();
  const itemOf = (run: RunSummary, more: string[] = []): RunItem => ({
    label: entryText(runName(run)),
    description: entryText([...more, ...runFacts(run, now)].join('  ')),
    run: listedRun(run),
  });
  const readable = runs.filter((run) => !run.problem);
  const branches = beside ? lastRunsOfBranches(readable, beside) : [];
  const separator = (label: string): RunItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const items: RunItem[] = [];
  if (branches.length > 0) {
    items.push(separator(vscode.l10n.t('last run of another branch')));
    items.push(...branches.map((run) => itemOf(run, [run.gitBranch])));
    items.push(separator(vscode.l10n.t('other runs')));
  }
  const other: RunItem = { label: `$(folder-opened) ${vscode.l10n.t('Open a Profile File…')}` };
  const others = readable.filter((run) => !branches.includes(run));
  const all = [...items, ...others.map((run) => itemOf(run)), other];
  const choice = await vscode.window.showQuickPick(all, { placeHolder, matchOnDescription: true });
  return choice && (choice.run ?? pickFile());
}

async function pickFile(): Promise<RunRef | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Open Profile'),
      filters: {
        [vscode.l10n.t('Profiles')]: [
          'pb.gz',
          'pprof',
          'gz',
          'prof',
          'pb',
          'folded',
          'collapsed',
          'out',
          'perf',
          'heap',
          'mojo',
          'cpuprofile',
          'json',
        ],
        [vscode.l10n.t('All Files')]: ['*'],
      },
    })) ?? [];
  return file && fileRun(file.fsPath);
}
