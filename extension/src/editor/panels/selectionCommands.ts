// Commands on the part of a run that is selected.
import path from 'node:path';
import * as vscode from 'vscode';
import type { RunSelections } from '../../selection/runSelections.ts';
import { saveSelection } from '../../selection/saveSelection.ts';
import type { Commands } from '../commandTable.ts';
import type { ActiveProfile } from '../heat/activeProfile.ts';
import { nothingSelected } from '../heat/nothingOpen.ts';
import { inform } from '../notifications.ts';

export interface SelectionCommandParts {
  readonly active: Pick<ActiveProfile, 'current' | 'selected'>;
  readonly selections: RunSelections;
  /** The list of saved runs. */
  readonly runs: { refresh(): void };
}

export function selectionCommands({ active, selections, runs }: SelectionCommandParts): Commands {
  return {
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
