// The part of a run that a page shows: answers what it asks of selection and timeline, and says each change of it.
import { visibleText } from '../../../../core/foreignText.ts';
import type { SelectionHostMessage, SelectionPageMessage } from '../../../../core/selectionMessages.ts';
import { failureOf } from '../../engine/failure.ts';
import { expected, type OpenRun } from '../../engine/openProfiles.ts';
import { type RunRef, sameRun } from '../../engine/runRef.ts';
import { followSelection } from '../../selection/followSelection.ts';
import type { RunMeasures } from '../../selection/runMeasures.ts';
import type { RunSelections } from '../../selection/runSelections.ts';
import { selectedFigures } from '../../selection/selectedFigures.ts';
import { runtimesOf, wireNameQuery, wireTimeline } from '../../selection/wireSelection.ts';

export interface PageSelectionParts {
  readonly selections: RunSelections;
  readonly measures: RunMeasures;
  readonly post: (message: SelectionHostMessage) => void;
}

const SHOWN_NAME = 80; // characters of a name that matches

export class PageSelection {
  private readonly following: { dispose(): void };

  constructor(
    private readonly run: OpenRun,
    private readonly parts: PageSelectionParts,
  ) {
    const follow = (changed: RunRef) => {
      if (sameRun(changed, run.ref))
        void this.follow().catch((error: unknown) => this.refuse(failureOf(error).message));
    };
    const following = [parts.selections.onDidChange(follow), parts.measures.onDidChange(follow)];
    this.following = { dispose: () => following.map((one) => one.dispose()) };
  }

  /** Makes the figures those of the selection, and says what it is. */
  async follow(): Promise<void> {
    const opened = await this.run.opened();
    const { selection, ...state } = this.parts.selections.get(this.run.ref);
    const { selected, refused } = await followSelection(this.run, this.parts.selections);
    if (refused !== undefined) return this.refuse(refused);
    const figures = selectedFigures(opened, selected, this.parts.measures.of(this.run.ref, opened));
    this.parts.post({
      type: 'selected',
      selection,
      ...state,
      ...figures,
      unit: visibleText(figures.unit),
      notice: selected?.notice ?? '',
      runtimes: runtimesOf(opened.runtimes),
    });
  }

  async answer(message: Exclude<SelectionPageMessage, { type: 'compareParts' }>): Promise<void> {
    const { selections, post } = this.parts;
    const { ref } = this.run;
    switch (message.type) {
      case 'select':
        return selections.select(ref, message.selection, message.preview);
      case 'undoSelection':
        return selections.undo(ref);
      case 'redoSelection':
        return selections.redo(ref);
      case 'timeline': {
        const { request } = message;
        const timeline = wireTimeline(request);
        try {
          const reply = await this.run.requestWhole((run) => ({ timeline: { ...timeline, run } }));
          const content = Uint8Array.from(expected(reply.timeline, 'Timeline').content).buffer;
          return post({ type: 'timeline', request, content });
        } catch (error) {
          return post({ type: 'timelineFailed', request, message: visibleText(failureOf(error).message, 1000) });
        }
      }
      case 'matchNames': {
        const { ask } = message;
        try {
          const query = wireNameQuery(message);
          const reply = await this.run.requestWhole((run) => ({ matchNames: { run, ...query } }));
          const { count, names, problem } = expected(reply.matchedNames, 'MatchedNames');
          const shown = names.map((name) => visibleText(name, SHOWN_NAME));
          return post({ type: 'namesMatched', ask, count, names: shown, problem: visibleText(problem, 1000) });
        } catch (error) {
          const problem = visibleText(failureOf(error).message, 1000);
          return post({ type: 'namesMatched', ask, count: 0, names: [], problem });
        }
      }
      case 'hottestStack': {
        const { ask, time, pid, tid, value } = message;
        const body = (run: number) => ({ hottestStack: { run, time: { ...time }, pid, tid, value: value ?? null } });
        const stack = expected((await this.run.requestWhole(body)).hottestStack, 'HottestStack');
        const frames = stack.frames.map(({ name, module }) => ({ name, module }));
        const { samples, ofSamples, waitsFor, waitedNs } = stack;
        return post({ type: 'hottestStack', ask, frames, samples, ofSamples, waitsFor, waitedNs });
      }
    }
  }

  /** Something was selected that the run does not have: why, in the engine's words. */
  private refuse(message: string): void {
    this.parts.post({ type: 'selectionRefused', message: visibleText(message, 1000) });
  }

  dispose(): void {
    this.following.dispose();
  }
}
