// The measure of a run that a page shows: the page says which one was chosen on it, and hears which one was chosen elsewhere.
import type { HostMessage } from '../../../../core/webviewMessages.ts';
import type { OpenRun } from '../../engine/openProfiles.ts';
import { sameRun } from '../../engine/runRef.ts';
import type { RunMeasures } from '../../selection/runMeasures.ts';

export class PageMeasure {
  private readonly following: { dispose(): void };

  constructor(
    private readonly run: OpenRun,
    private readonly measures: RunMeasures,
    post: (message: HostMessage) => void,
  ) {
    this.following = measures.onDidChange((changed) => {
      const value = measures.get(changed);
      if (sameRun(changed, run.ref) && value !== undefined) post({ type: 'measureChosen', value });
    });
  }

  /** What was chosen in this window; undefined: nothing yet. */
  async chosen(): Promise<number | undefined> {
    const { ref } = this.run;
    return this.measures.get(ref) === undefined ? undefined : this.measures.of(ref, await this.run.opened());
  }

  /** What the run does not have is not chosen: a page may ask for anything. */
  async choose(value: number): Promise<void> {
    const { values } = await this.run.opened();
    if (value < values.length) this.measures.choose(this.run.ref, value);
  }

  dispose(): void {
    this.following.dispose();
  }
}
