// Commands on single runs: opening them, and what the Runs view does with its rows.
import * as vscode from 'vscode';
import { fileOf, fileRun, listedRun, type RunRef } from '../../engine/runRef.ts';
import { onRun, pathOf } from '../commandArguments.ts';
import type { Commands } from '../commandTable.ts';
import type { ProfileOpener } from '../heat/profileOpener.ts';
import type { Baseline } from './baseline.ts';
import { pickRun } from './runPick.ts';
import type { RunsView } from './runsView.ts';

export interface RunCommandParts {
  readonly opener: Pick<ProfileOpener, 'openRun'>;
  readonly runs: Pick<RunsView, 'runs' | 'refresh' | 'rename' | 'delete' | 'selectForCompare'>;
  readonly baseline: Pick<Baseline, 'pin'>;
}

export function runCommands({ baseline, opener, runs }: RunCommandParts): Commands {
  const openRun = async (run: RunRef) => {
    await opener.openRun(run);
    return { runPath: fileOf(run) };
  };

  return {
    openRun: async (argument) => {
      const named = pathOf(argument, (one) => one instanceof vscode.Uri);
      if (named !== undefined) return openRun(fileRun(named));
      const run = await pickRun(await runs.runs(), vscode.l10n.t('The run whose heat to show'));
      return run && openRun(run);
    },
    refreshRuns: () => runs.refresh(),
    'runs.open': onRun((run) => openRun(listedRun(run))),
    'runs.rename': onRun((run) => runs.rename(run)),
    'runs.delete': onRun((run) => runs.delete(run)),
    'runs.reveal': onRun((run) => vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(run.path))),
    'runs.pinBaseline': onRun((run) => baseline.pin(run)),
    'runs.unpinBaseline': () => baseline.pin(undefined),
    'runs.selectForCompare': onRun((run) => runs.selectForCompare(run)),
  };
}
