// Commands on the part of a run that is selected.
import path from 'node:path';
import * as vscode from 'vscode';
import { type ComparedParts, partsOf, type RunPart, whyNotCompared } from '../../../../core/partsOfRun.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { fileOf, fileRun, type RunRef, runOfKey } from '../../engine/runRef.ts';
import type { RunSelections } from '../../selection/runSelections.ts';
import { saveSelection } from '../../selection/saveSelection.ts';
import type { Commands } from '../commandTable.ts';
import type { ActiveProfile } from '../heat/activeProfile.ts';
import { nothingOpen, nothingSelected } from '../heat/nothingOpen.ts';
import { inform } from '../notifications.ts';
import type { Compare } from '../runs/showComparison.ts';

export interface SelectionCommandParts {
  readonly active: Pick<ActiveProfile, 'current' | 'selected'>;
  readonly selections: RunSelections;
  readonly compare: Compare;
  /** The list of saved runs. */
  readonly runs: { refresh(): void };
}

export function selectionCommands({ active, selections, runs, compare }: SelectionCommandParts): Commands {
  /** Of a run that is named by its key, else of the one that is shown. */
  const compareParts = async (argument: unknown, compared: ComparedParts) => {
    const run = runOfKey(argument) ?? (active.current?.kind === 'run' ? active.current.run.ref : undefined);
    if (!run) throw nothingOpen();
    const { selection } = selections.get(run);
    const parts = partsOf(selection, compared);
    if (!parts) {
      const message = vscode.l10n.t('There are no two parts of the run to compare.');
      throw new EngineFailure('not-found', message, whyNotCompared(selection, compared));
    }
    const part = (of: RunPart): RunRef => ({ ...fileRun(fileOf(run)), part: of });
    return compare(part(parts.base), part(parts.new));
  };
  return {
    compareWithRest: (argument?: unknown) => compareParts(argument, 'rest'),
    compareRanges: (argument?: unknown) => compareParts(argument, 'ranges'),
    saveSelection: async () => {
      const profile = active.current;
      if (profile?.kind !== 'run' || !active.selected) throw nothingSelected();
      const saved = await saveSelection(profile.run, selections);
      runs.refresh();
      void inform(vscode.l10n.t('The selection is saved as {0}.', path.basename(saved)));
      return { runPath: saved };
    },
    clearSelection: () => {
      if (active.current?.kind === 'run') selections.clear(active.current.run.ref);
    },
  };
}
