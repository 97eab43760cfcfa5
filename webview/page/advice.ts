// A sentence of the engine, with a button for each command that it names.
import { html, type TemplateResult } from 'lit';
import { type AdvisedCommand, withCommands } from '../../core/advisedCommands.ts';

/** What a button asks the host for; it bubbles up to the document. */
export class CommandWanted extends Event {
  static readonly type = 'lineheat-command';

  constructor(readonly command: AdvisedCommand) {
    super(CommandWanted.type, { bubbles: true });
  }
}

export const adviceOf = (sentence: string): readonly (string | TemplateResult)[] =>
  withCommands(sentence).map((part) => {
    if (typeof part === 'string') return part;
    const pressed = (event: MouseEvent) => {
      // The sentence may be the head of a fold, which would open.
      event.preventDefault();
      event.currentTarget!.dispatchEvent(new CommandWanted(part.command));
    };
    return html`<button type="button" class="link-button" @click=${pressed}>${part.label}</button>`;
  });
