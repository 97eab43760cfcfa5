// Shows two runs beside each other: the differences beside the lines, and their page.
import type { RunRef } from '../../engine/runRef.ts';
import type { ProfileOpener } from '../heat/profileOpener.ts';
import type { ProfilePanels, ShownPair } from '../panels/profilePanels.ts';

/** Gives back what it shows once both runs are open. */
export type Compare = (base: RunRef, current: RunRef) => Promise<ShownPair>;

export function comparing({ opener, panels }: { opener: ProfileOpener; panels: ProfilePanels }): Compare {
  return async (base, current) => {
    const shown = { base, new: current };
    await opener.openComparison(base, current, panels.choiceOf(shown));
    panels.show(shown);
    return shown;
  };
}
