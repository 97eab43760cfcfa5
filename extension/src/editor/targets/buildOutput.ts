// Runs build steps with their output in an output channel, their complaints in Problems, and a progress that can be
// cancelled.
import fs from 'node:fs';
import * as vscode from 'vscode';
import { visibleLines, visibleText } from '../../../../core/foreignText.ts';
import { type Problem, type ProblemMatcher, ProblemReader } from '../../targets/problemMatchers.ts';
import { runStep } from '../../targets/runStep.ts';
import { type Step, StepFailed } from '../../targets/target.ts';
import { tellError, withProgress } from '../notifications.ts';
import { BuildProblems } from './buildProblems.ts';

const LINE_MAX = 100_000; // characters; a linker's command line has tens of thousands

export class BuildOutput implements vscode.Disposable {
  private channel: vscode.OutputChannel | undefined;
  private readonly problems = new BuildProblems();

  constructor(private readonly matchers: readonly ProblemMatcher[]) {}

  /** The step's standard output. A failure brings the compiler's words to the front, and is thrown. */
  async run(step: Step): Promise<string> {
    const channel = this.open();
    channel.appendLine(`> ${visibleText([step.command, ...step.args].join(' '), LINE_MAX)}`);
    const reader = new ProblemReader(this.matchers, step.cwd, isFile);
    const show = (chunk: string) => {
      const text = withoutEscapes(chunk);
      channel.append(text);
      reader.read(text);
    };
    this.problems.show([]);
    try {
      return await withProgress(step.title, (_, token) => {
        const abort = new AbortController();
        token.onCancellationRequested(() => abort.abort());
        return runStep(step, show, abort.signal);
      });
    } catch (error) {
      if (error instanceof StepFailed) this.showFailure(error, reader.problems);
      throw error;
    } finally {
      this.problems.show(reader.problems);
    }
  }

  /** A step that only reads what there is: no progress, no message. */
  async runQuietly(step: Step): Promise<string> {
    const channel = this.open();
    channel.appendLine(`> ${visibleText([step.command, ...step.args].join(' '), LINE_MAX)}`);
    return runStep(step, (text) => channel.append(withoutEscapes(text)));
  }

  dispose(): void {
    this.problems.dispose();
    this.channel?.dispose();
  }

  private open(): vscode.OutputChannel {
    this.channel ??= vscode.window.createOutputChannel('Lineheat Build');
    return this.channel;
  }

  /** With the compiler's messages at hand where it named a line, else with its output. */
  private showFailure(error: StepFailed, problems: readonly Problem[]): void {
    const channel = this.open();
    channel.appendLine(visibleLines(error.message, LINE_MAX));
    const words = vscode.l10n.t('{0} failed, so nothing was recorded: {1}.', error.step.title, error.why);
    const [showProblems, showOutput] = [vscode.l10n.t('Show Problems'), vscode.l10n.t('Show Output')];
    const hasErrors = problems.some(({ severity }) => severity === 'error');
    if (!hasErrors) channel.show(true);
    void tellError(words, ...(hasErrors ? [showProblems] : []), showOutput).then((choice) => {
      if (choice === showProblems) void vscode.commands.executeCommand('workbench.actions.view.problems');
      if (choice === showOutput) channel.show(true);
    });
  }
}

function isFile(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Compilers colour their words even here when asked to; what else cannot be seen is shown. */
function withoutEscapes(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes begin with one
  const plain = text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').replace(/\r\n?/g, '\n');
  return visibleLines(plain, LINE_MAX);
}
