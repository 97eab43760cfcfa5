// Shows two runs beside each other: the differences beside the lines, and their page.
import type { ProfileOpener } from '../heat/profileOpener.ts';
import type { ProfilePanels, ShownPair } from '../panels/profilePanels.ts';

/** `base` and `current` are paths of runs, which it gives back once both are open. */
export type Compare = (base: string, current: string) => Promise<ShownPair>;

export function comparing({ opener, panels }: { opener: ProfileOpener; panels: ProfilePanels }): Compare {
  return async (base, current) => {
    const shown = { base, new: current };
    await opener.openComparison(base, current, panels.normalisationOf(shown));
    panels.show(shown);
    return shown;
  };
}
