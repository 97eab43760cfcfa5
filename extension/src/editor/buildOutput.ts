// Runs build steps with their output in an output channel and a progress that can be cancelled.
import * as vscode from 'vscode';
import { visibleLines, visibleText } from '../../../core/foreignText.ts';
import { runStep } from '../targets/runStep.ts';
import { type Step, StepFailed } from '../targets/target.ts';
import { tellError, withProgress } from './notifications.ts';

const LINE_MAX = 100_000; // characters; a linker's command line has tens of thousands

export class BuildOutput implements vscode.Disposable {
  private channel: vscode.OutputChannel | undefined;

  /** The step's standard output. A failure brings the compiler's words to the front, and is thrown. */
  async run(step: Step): Promise<string> {
    const channel = this.open();
    channel.appendLine(`> ${visibleText([step.command, ...step.args].join(' '), LINE_MAX)}`);
    try {
      return await withProgress(step.title, (_, token) => {
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
    channel.appendLine(`> ${visibleText([step.command, ...step.args].join(' '), LINE_MAX)}`);
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
    channel.appendLine(visibleLines(error.message, LINE_MAX));
    channel.show(true);
    void tellError(
      vscode.l10n.t('{0} Nothing was recorded. The output channel "Lineheat Build" has its words.', error.message),
    );
  }
}

/** Compilers colour their words even here when asked to; what else cannot be seen is shown. */
function withoutEscapes(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes begin with one
  const plain = text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').replace(/\r\n?/g, '\n');
  return visibleLines(plain, LINE_MAX);
}
