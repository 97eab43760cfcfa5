// What part of each run is looked at: one selection a run, which its panel, the heat in the editor and the status bar follow.
import { EMPTY_SELECTION, type ShownSelection, sameSelection } from '../../../core/selectionMessages.ts';
import { type RunRef, runKey } from '../engine/runRef.ts';

export interface RunSelection {
  readonly selection: ShownSelection;
  /** It replaces the committed one while the user drags. */
  readonly preview: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

/** Steps that can be undone; of a run that is looked at for long, the oldest go. */
const STEPS_MAX = 100;

interface History {
  before: ShownSelection[];
  committed: ShownSelection;
  after: ShownSelection[];
  preview: ShownSelection | undefined;
}

type Listener = (run: RunRef) => void;

export class RunSelections {
  private readonly histories = new Map<string, History>();
  private readonly listeners = new Set<Listener>();

  get(run: RunRef): RunSelection {
    const history = this.histories.get(runKey(run));
    if (!history) return { selection: EMPTY_SELECTION, preview: false, canUndo: false, canRedo: false };
    return {
      selection: history.preview ?? history.committed,
      preview: history.preview !== undefined,
      canUndo: history.before.length > 0,
      canRedo: history.after.length > 0,
    };
  }

  /** What equals the committed selection is no step, but ends a preview. */
  select(run: RunRef, selection: ShownSelection, preview: boolean): void {
    const history = this.historyOf(run);
    if (sameSelection(selection, history.committed)) history.preview = undefined;
    else if (preview) history.preview = selection;
    else {
      history.before = [...history.before, history.committed].slice(-STEPS_MAX);
      history.committed = selection;
      history.after = [];
      history.preview = undefined;
    }
    this.tell(run);
  }

  clear(run: RunRef): void {
    this.select(run, EMPTY_SELECTION, false);
  }

  /** A preview is no step: undoing drops it, and goes back no further. */
  undo(run: RunRef): void {
    const history = this.historyOf(run);
    const dropped = history.preview !== undefined;
    history.preview = undefined;
    const former = dropped ? undefined : history.before.pop();
    if (former) {
      history.after.push(history.committed);
      history.committed = former;
    }
    this.tell(run);
  }

  redo(run: RunRef): void {
    const history = this.historyOf(run);
    history.preview = undefined;
    const later = history.after.pop();
    if (later) {
      history.before.push(history.committed);
      history.committed = later;
    }
    this.tell(run);
  }

  /** Goes back from a selection that the engine refused, as if it had not been made. */
  refuse(run: RunRef, refused: ShownSelection): void {
    const history = this.historyOf(run);
    if (history.preview && sameSelection(history.preview, refused)) history.preview = undefined;
    else if (sameSelection(history.committed, refused)) history.committed = history.before.pop() ?? EMPTY_SELECTION;
    else return;
    this.tell(run);
  }

  /** The listener hears of each run whose selection changed; what is given back ends that. */
  onDidChange(listener: Listener): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** What is selected of one run is selected of the other from now on, which is the same recording. */
  carry(from: RunRef, to: RunRef): void {
    const history = this.histories.get(runKey(from));
    if (!history) return;
    this.histories.delete(runKey(from));
    this.histories.set(runKey(to), history);
    this.tell(to);
  }

  private historyOf(run: RunRef): History {
    const known = this.histories.get(runKey(run));
    if (known) return known;
    const fresh: History = { before: [], committed: EMPTY_SELECTION, after: [], preview: undefined };
    this.histories.set(runKey(run), fresh);
    return fresh;
  }

  private tell(run: RunRef): void {
    for (const listener of this.listeners) listener(run);
  }
}
