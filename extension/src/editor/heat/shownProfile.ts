// Which profile this window shows, so that its heat comes back after the window is reloaded.
import type { Memento } from 'vscode';

const MEMORY = 'lineheat.shownProfile';

export type RememberedProfile =
  | { readonly run: string }
  | { readonly base: string; readonly new: string; readonly normalisation: number };

export class ShownProfile {
  constructor(private readonly memory: Memento) {}

  /** Undefined when nothing was shown. */
  get(): RememberedProfile | undefined {
    return this.memory.get<RememberedProfile>(MEMORY);
  }

  set(profile: RememberedProfile | undefined): Thenable<void> {
    return this.memory.update(MEMORY, profile);
  }
}
