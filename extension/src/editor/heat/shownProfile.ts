// Which profile this window shows, so that its heat comes back after the window is reloaded.
import type { Memento } from 'vscode';
import { type RunRef, runKey, runOfKey } from '../../engine/runRef.ts';
import type { ComparedMeasure } from '../../heat/comparedMeasures.ts';

const MEMORY = 'lineheat.shownProfile';

export type RememberedProfile =
  | { readonly run: RunRef }
  | {
      readonly base: RunRef;
      readonly new: RunRef;
      readonly normalisation: number;
      readonly measure?: ComparedMeasure | undefined;
    };

/** With keys in place of the runs. */
type Saved =
  | { readonly run: string }
  | {
      readonly base: string;
      readonly new: string;
      readonly normalisation: number;
      readonly measure?: ComparedMeasure | undefined;
    };

export class ShownProfile {
  constructor(private readonly memory: Memento) {}

  /** Undefined when nothing was shown. */
  get(): RememberedProfile | undefined {
    const saved = this.memory.get<Saved>(MEMORY);
    if (!saved) return undefined;
    if ('run' in saved) {
      const run = runOfKey(saved.run);
      return run && { run };
    }
    const [base, current] = [runOfKey(saved.base), runOfKey(saved.new)];
    return base && current && { ...saved, base, new: current };
  }

  set(profile: RememberedProfile | undefined): Thenable<void> {
    return this.memory.update(MEMORY, profile && savedOf(profile));
  }
}

function savedOf(profile: RememberedProfile): Saved {
  if ('run' in profile) return { run: runKey(profile.run) };
  return { ...profile, base: runKey(profile.base), new: runKey(profile.new) };
}
