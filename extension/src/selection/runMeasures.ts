// Which measure of each run is looked at: its page and the heat in the editor follow the same choice.
import { type RunRef, runKey } from '../engine/runRef.ts';

type Listener = (run: RunRef) => void;

export class RunMeasures {
  private readonly chosen = new Map<string, number>();
  private readonly listeners = new Set<Listener>();

  /** Index into the run's values; undefined: none was chosen. */
  get(run: RunRef): number | undefined {
    return this.chosen.get(runKey(run));
  }

  /** The chosen one of a run that has these values; its own default where none was chosen, or one that the file no longer has. */
  of(run: RunRef, opened: { readonly values: readonly unknown[]; readonly defaultValue: number }): number {
    const value = this.chosen.get(runKey(run)) ?? opened.defaultValue;
    return value < opened.values.length ? value : opened.defaultValue;
  }

  choose(run: RunRef, value: number): void {
    if (this.chosen.get(runKey(run)) === value) return;
    this.chosen.set(runKey(run), value);
    for (const listener of this.listeners) listener(run);
  }

  /** What is chosen of one run is chosen of the other from now on, which is the same recording. */
  carry(from: RunRef, to: RunRef): void {
    const value = this.chosen.get(runKey(from));
    this.chosen.delete(runKey(from));
    if (value !== undefined) this.choose(to, value);
  }

  /** The listener hears of each run whose measure was chosen; what is given back ends that. */
  onDidChange(listener: Listener): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }
}
