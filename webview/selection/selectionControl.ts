// What is selected, as the page wants it and as the host has confirmed it. The host keeps the selection and its history; the page
// shows at once what it asked for, and the confirmed one as soon as nothing is on its way.
import {
  EMPTY_SELECTION,
  type SelectedMessage,
  type SelectionPageMessage,
  type ShownSelection,
  sameSelection,
} from '../../core/selectionMessages.ts';
import { LatestOnly } from './latestOnly.ts';

interface Wanted {
  readonly selection: ShownSelection;
  readonly preview: boolean;
}

export interface SelectionEvents {
  send(message: SelectionPageMessage): void;
  /** What is shown as selected changed. */
  changed(): void;
}

export class SelectionControl {
  readonly #events: SelectionEvents;
  readonly #queue: LatestOnly<Wanted>;
  #shown: Wanted = { selection: EMPTY_SELECTION, preview: false };
  #committed: ShownSelection = EMPTY_SELECTION;
  #confirmed: SelectedMessage | undefined;
  #refused = '';

  constructor(events: SelectionEvents) {
    this.#events = events;
    this.#queue = new LatestOnly((wanted) => events.send({ type: 'select', ...wanted }));
  }

  /** With the preview, if there is one. */
  get selection(): ShownSelection {
    return this.#shown.selection;
  }
  get isPreview(): boolean {
    return this.#shown.preview;
  }
  get committed(): ShownSelection {
    return this.#committed;
  }
  /** The host's last word: figures, and whether there is something to undo. */
  get confirmed(): SelectedMessage | undefined {
    return this.#confirmed;
  }

  /** Why what was wanted last is not selected, in one sentence, until something else is wanted; or empty. */
  get refused(): string {
    return this.#refused;
  }

  preview(selection: ShownSelection) {
    if (!sameSelection(selection, this.selection)) this.#want({ selection, preview: true });
  }

  commit(selection: ShownSelection = this.selection) {
    if (sameSelection(selection, this.#committed) && !this.isPreview) return;
    this.#committed = selection;
    this.#want({ selection, preview: false });
  }

  /** Goes back to what is committed. False: there is no preview. */
  dropPreview(): boolean {
    if (!this.isPreview) return false;
    this.#want({ selection: this.#committed, preview: false });
    return true;
  }

  undo() {
    if (this.dropPreview() || !this.#confirmed?.canUndo) return;
    this.#refused = '';
    this.#events.send({ type: 'undoSelection' });
  }

  redo() {
    if (!this.#confirmed?.canRedo) return;
    this.#refused = '';
    this.#events.send({ type: 'redoSelection' });
  }

  received(message: SelectedMessage) {
    this.#confirmed = message;
    this.#queue.answered();
    if (!this.#queue.busy) {
      this.#shown = { selection: message.selection, preview: message.preview };
      if (!message.preview) this.#committed = message.selection;
    }
    this.#events.changed();
  }

  /** The selection is as before; the host says it once more. */
  receivedRefusal(message: string) {
    this.#refused = message;
    this.#events.changed();
  }

  #want(wanted: Wanted) {
    this.#refused = '';
    this.#shown = wanted;
    this.#queue.want(wanted);
    this.#events.changed();
  }
}
