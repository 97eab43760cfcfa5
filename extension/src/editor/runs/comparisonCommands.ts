// Commands that compare two runs, however the user names them.
import * as vscode from 'vscode';
import type { RunSummary } from '../../../../core/wire.ts';
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
  readonly baseline: Pick<Baseline, 'path'>;
  readonly panels: Pick<ProfilePanels, 'show'>;
}

export function comparisonCommands(parts: ComparisonCommandParts): Commands {
  const { active, baseline, compare, panels, runs } = parts;

  const compareRuns = async (argument?: unknown) => {
    const named = namedComparison(argument);
    if (named) return compare(named.base, named.new);
    const saved = await runs.runs();
    const base = await pickRun(saved, vscode.l10n.t('The base: the run before the change'));
    if (!base) return undefined;
    const others = saved.filter(({ path }) => path !== base);
    const beside = saved.find(({ path }) => path === base);
    const current = await pickRun(others, vscode.l10n.t('The new run: after the change'), beside);
    return current && compare(base, current);
  };
  /** Asks what to hold a run against; it is the new side. */
  const compareWith = async (current: RunSummary) => {
    const others = (await runs.runs()).filter(({ path }) => path !== current.path);
    const base = await pickRun(others, vscode.l10n.t('The base: what {0} is compared with', runName(current)), current);
    return base && compare(base, current.path);
  };
  const compareFunction = async (argument?: unknown) => {
    const profile = active.current;
    if (profile?.kind !== 'run' || !profile.opened.summary) throw nothingOpen();
    const named = await compareWith({ ...profile.opened.summary, path: profile.run.path });
    if (named && isFunction(argument)) panels.show(named).reveal({ ...argument, module: '' });
    return named;
  };

  return {
    compareRuns,
    compareFunction,
    'runs.compareWith': onRun(compareWith),
    'runs.compareWithBaseline': onRun((run) => (baseline.path ? compare(baseline.path, run.path) : undefined)),
    'runs.compareWithSelected': onRun((run) => {
      const selected = runs.selectedForCompare;
      return selected && compare(selected.path, run.path);
    }),
  };
}
