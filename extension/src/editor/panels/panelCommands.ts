// Commands that bring the page of a run, a comparison or a sweep to the front.
import { listedRun } from '../../engine/runRef.ts';
import { isFunction, isSweep, onRun } from '../commandArguments.ts';
import type { Commands } from '../commandTable.ts';
import type { ActiveProfile } from '../heat/activeProfile.ts';
import { nothingOpen } from '../heat/nothingOpen.ts';
import type { ProfilePanels } from './profilePanels.ts';

export interface PanelCommandParts {
  readonly active: Pick<ActiveProfile, 'current' | 'showRun'>;
  readonly panels: Pick<ProfilePanels, 'show'>;
}

export function panelCommands({ active, panels }: PanelCommandParts): Commands {
  const pageOfCurrent = () => {
    const profile = active.current;
    if (!profile) throw nothingOpen();
    if (profile.kind === 'run') return panels.show({ run: profile.run.ref });
    const { base, current } = profile.comparison;
    return panels.show({ base: base.ref, new: current.ref });
  };

  return {
    showFlameGraph: (argument) => {
      const page = pageOfCurrent();
      if (isFunction(argument)) page.reveal(argument);
    },
    'runs.showFlameGraph': onRun(async (listed) => {
      const run = listedRun(listed);
      await active.showRun(run);
      panels.show({ run });
    }),
    'runs.showSweep': (argument) => {
      if (isSweep(argument)) panels.show({ sweep: argument.sweep });
    },
  };
}
