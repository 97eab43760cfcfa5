// Runs build steps with their output in an output channel and a progress that can be cancelled.
import * as vscode from 'vscode';
import { runStep } from '../targets/runStep.ts';
import { type Step, StepFailed } from '../targets/target.ts';

export class BuildOutput implements vscode.Disposable {
  private channel: vscode.OutputChannel | undefined;

  /** The step's standard output. A failure brings the compiler's words to the front, and is thrown. */
  async run(step: Step): Promise<string> {
    const channel = this.open();
    channel.appendLine(`> ${[step.command, ...step.args].join(' ')}`);
    const location = vscode.ProgressLocation.Notification;
    try {
      return await vscode.window.withProgress({ location, title: step.title, cancellable: true }, (_, token) => {
        const abort = new AbortController();
        token.onCancellationRequested(() => abort.abort());
        return runStep(step, (text) => channel.append(withoutEscapes(text)), abort.signal);
      });
    } catch (error) {
      if (error instanceof StepFailed) this.showFailure(error);
      throw error;
    }
  }

  /** A step that only reads what there is: no progress, no message. */
  async runQuietly(step: Step): Promise<string> {
    const channel = this.open();
    channel.appendLine(`> ${[step.command, ...step.args].join(' ')}`);
    return runStep(step, (text) => channel.append(withoutEscapes(text)));
  }

  dispose(): void {
    this.channel?.dispose();
  }

  private open(): vscode.OutputChannel {
    this.channel ??= vscode.window.createOutputChannel('Lineheat Build');
    return this.channel;
  }

  private showFailure(error: StepFailed): void {
    const channel = this.open();
    channel.appendLine(error.message);
    channel.show(true);
    void vscode.window.showErrorMessage(
      vscode.l10n.t('{0} Nothing was recorded. The output channel "Lineheat Build" has its words.', error.message),
    );
  }
}

/** Compilers colour their words even here when asked to; an output channel would show the escapes. */
function withoutEscapes(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes begin with one
  return text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').replace(/\r\n?/g, '\n');
}
