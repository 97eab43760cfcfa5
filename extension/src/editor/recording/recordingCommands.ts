// Commands that record, and those that end a recording.
import { fileRun, type RunRef } from '../../engine/runRef.ts';
import { isSweep } from '../commandArguments.ts';
import type { Commands } from '../commandTable.ts';
import type { Compare } from '../runs/showComparison.ts';
import type { HeatSoFar } from './heatSoFar.ts';
import type { ProfileCommands, ProfileResult, SweepResult } from './profileCommands.ts';
import type { Recorder } from './recorder.ts';

export interface RecordingCommandParts {
  readonly profiles: ProfileCommands;
  readonly recorder: Pick<Recorder, 'stop' | 'discard'>;
  readonly soFar: Pick<HeatSoFar, 'show'>;
  /** The list of saved runs. */
  readonly runs: { refresh(): void };
  /** Shows two runs beside each other. */
  readonly compare: Compare;
  /** Shows the page of a sweep or a run. */
  readonly panels: { show(shown: SweepResult | { readonly run: RunRef }): unknown };
}

export function recordingCommands(parts: RecordingCommandParts): Commands {
  const { compare, panels, profiles, recorder, runs, soFar } = parts;

  // A recording that ends badly has saved a run too, and the watcher of files may be late or missing.
  const thenListed = <Result>(recording: Promise<Result>) => recording.finally(() => runs.refresh());
  const thenShown = async (recording: Promise<ProfileResult | SweepResult | undefined>) => {
    const result = await thenListed(recording);
    if (isSweep(result)) panels.show(result);
    return result;
  };

  return {
    profileTarget: (argument) => thenListed(profiles.profile(argument)),
    profileAllocations: async (argument) => {
      const result = await thenListed(profiles.profile(argument, { measure: 'alloc_space' }));
      if (result) panels.show({ run: fileRun(result.runPath) });
      return result;
    },
    profileRepeatedly: (argument) => thenListed(profiles.profileRepeatedly(argument)),
    sweep: (argument) => thenShown(profiles.sweep(argument)),
    compareWithLastBuild: async (argument) => {
      const builds = await thenListed(profiles.compareWithLastBuild(argument));
      if (builds) await compare(fileRun(builds.base), fileRun(builds.new));
      return builds;
    },
    profileAgain: () => thenShown(profiles.profileAgain()),
    showHeatSoFar: () => soFar.show(),
    stop: () => recorder.stop(),
    discard: () => recorder.discard(),
  };
}
