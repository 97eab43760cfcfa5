// Shows two runs beside each other: the differences beside the lines, and their page.
import type { RunRef } from '../../engine/runRef.ts';
import type { ComparedMeasure } from '../../heat/comparedMeasures.ts';
import type { ProfileOpener } from '../heat/profileOpener.ts';
import type { ProfilePanels, ShownPair } from '../panels/profilePanels.ts';

/** Gives back what it shows once both runs are open. */
export type Compare = (base: RunRef, current: RunRef) => Promise<ShownPair>;

export interface ComparingParts {
  readonly opener: ProfileOpener;
  readonly panels: ProfilePanels;
  /** What two runs that were never compared are compared by; undefined: the usual measure. */
  readonly firstMeasure: (base: RunRef, current: RunRef) => Promise<ComparedMeasure | undefined>;
}

export function comparing({ opener, panels, firstMeasure }: ComparingParts): Compare {
  return async (base, current) => {
    const shown = { base, new: current };
    const measure = panels.choiceOf(shown).measure ? undefined : await firstMeasure(base, current);
    if (measure) panels.compareMeasure(shown, measure);
    await opener.openComparison(base, current, panels.choiceOf(shown));
    panels.show(shown);
    return shown;
  };
}
