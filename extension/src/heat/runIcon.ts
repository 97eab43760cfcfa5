// The icon of a run in the Runs view: what the user did with the run comes before how its program ended.
import type { RunSummary } from '../../../core/wire.ts';
import { endedBadly } from './runText.ts';

export interface RunMarks {
  /** It is the one to compare with. */
  readonly selected: boolean;
  readonly baseline: boolean;
  /** Its heat is shown. */
  readonly shown: boolean;
}

/** A codicon; `failed`: drawn in the colour of errors, for the program ended badly. */
export function runIcon(run: RunSummary, { selected, baseline, shown }: RunMarks): { name: string; failed: boolean } {
  if (run.problem) return { name: 'warning', failed: false };
  const failed = endedBadly(run);
  if (selected) return { name: 'git-compare', failed };
  if (baseline) return { name: 'pinned', failed };
  if (failed) return { name: 'error', failed };
  return { name: shown ? 'flame' : 'graph', failed };
}
