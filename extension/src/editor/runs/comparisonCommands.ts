// Commands that compare two runs, however the user names them.
import * as vscode from 'vscode';
import type { RunSummary } from '../../../../core/wire.ts';
import { fileOf, fileRun, listedRun, type RunRef, sameRun } from '../../engine/runRef.ts';
import { runName } from '../../heat/runText.ts';
import { isFunction, namedComparison, onRun } from '../commandArguments.ts';
import type { Commands } from '../commandTable.ts';
import type { ActiveProfile } from '../heat/activeProfile.ts';
import { nothingOpen } from '../heat/nothingOpen.ts';
import type { ProfilePanels } from '../panels/profilePanels.ts';
import type { Baseline } from './baseline.ts';
import { pickRun } from './runPick.ts';
import type { RunsView } from './runsView.ts';
import type { Compare } from './showComparison.ts';

export interface ComparisonCommandParts {
  readonly compare: Compare;
  readonly active: Pick<ActiveProfile, 'current'>;
  readonly runs: Pick<RunsView, 'runs' | 'selectedForCompare'>;
  readonly baseline: Pick<Baseline, 'run'>;
  readonly panels: Pick<ProfilePanels, 'show'>;
}

export function comparisonCommands(parts: ComparisonCommandParts): Commands {
  const { active, baseline, panels, runs } = parts;
  /** What callers get: the files. */
  const compare = async (base: RunRef, current: RunRef) => {
    await parts.compare(base, current);
    return { base: fileOf(base), new: fileOf(current) };
  };

  const compareRuns = async (argument?: unknown) => {
    const named = namedComparison(argument);
    if (named) return compare(fileRun(named.base), fileRun(named.new));
    const saved = await runs.runs();
    const base = await pickRun(saved, vscode.l10n.t('The base: the run before the change'));
    if (!base) return undefined;
    const others = saved.filter((run) => !sameRun(listedRun(run), base));
    const beside = saved.find((run) => sameRun(listedRun(run), base));
    const current = await pickRun(others, vscode.l10n.t('The new run: after the change'), beside);
    return current && compare(base, current);
  };
  /** Asks what to hold a run against; it is the new side. */
  const compareWith = async (current: RunRef, summary: RunSummary) => {
    const others = (await runs.runs()).filter((run) => !sameRun(listedRun(run), current));
    const base = await pickRun(others, vscode.l10n.t('The base: what {0} is compared with', runName(summary)), summary);
    return base && compare(base, current);
  };
  const compareFunction = async (argument?: unknown) => {
    const profile = active.current;
    if (profile?.kind !== 'run' || !profile.opened.summary) throw nothingOpen();
    fileOf(profile.run.ref); // before anything is asked
    const named = await compareWith(profile.run.ref, profile.opened.summary);
    if (named && isFunction(argument)) {
      const shown = { base: fileRun(named.base), new: fileRun(named.new) };
      panels.show(shown).reveal({ ...argument, module: '' });
    }
    return named;
  };

  return {
    compareRuns,
    compareFunction,
    'runs.compareWith': onRun((run) => compareWith(listedRun(run), run)),
    'runs.compareWithBaseline': onRun((run) => (baseline.run ? compare(baseline.run, listedRun(run)) : undefined)),
    'runs.compareWithSelected': onRun((run) => {
      const selected = runs.selectedForCompare;
      return selected && compare(listedRun(selected), listedRun(run));
    }),
  };
}
