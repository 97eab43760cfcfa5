// The function under the cursor of a text editor: pages of the run colour its samples on the timeline.
import * as vscode from 'vscode';
import type { NamedFunction } from '../../../../core/namedFunction.ts';
import type { RunRef } from '../../engine/runRef.ts';
import { functionAtLine } from '../../heat/functionAtLine.ts';
import type { ActiveProfile } from './activeProfile.ts';
import type { FileHeats } from './fileHeats.ts';

const REST_MS = 150; // a cursor that is held down passes many functions

export interface FunctionOfRun {
  readonly run: RunRef;
  readonly function: NamedFunction;
}

export class CursorFunction implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<FunctionOfRun>();
  /** Not fired where no sampled function is: what was coloured last stays. */
  readonly onDidChange = this.changed.event;
  private readonly subscription: vscode.Disposable;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly active: Pick<ActiveProfile, 'current'>,
    private readonly heats: Pick<FileHeats, 'of'>,
  ) {
    this.subscription = vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.look(textEditor), REST_MS);
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.changed.dispose();
  }

  private async look({ document, selection }: vscode.TextEditor): Promise<void> {
    const profile = this.active.current;
    if (profile?.kind !== 'run') return;
    const answer = await this.heats.of(document);
    if (answer?.kind !== 'run') return;
    const found = functionAtLine(answer.heat, selection.active.line + 1);
    if (found) this.changed.fire({ run: profile.run.ref, function: found });
  }
}
