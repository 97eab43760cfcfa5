// The messages of the last build step in the Problems view and in the text, until the next step starts.
import * as vscode from 'vscode';
import { visibleText } from '../../../../core/foreignText.ts';
import type { Problem } from '../../targets/problemMatchers.ts';

const MESSAGE_MAX = 1000; // characters
const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
};

export class BuildProblems implements vscode.Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection('lineheat');

  /** In place of those shown before. */
  show(problems: readonly Problem[]): void {
    this.collection.clear();
    // Several entries of one file are put together.
    this.collection.set(problems.map((problem) => [vscode.Uri.file(problem.file), [diagnosticOf(problem)]]));
  }

  dispose(): void {
    this.collection.dispose();
  }
}

function diagnosticOf({ line, column, severity, message, source }: Problem): vscode.Diagnostic {
  const row = Math.max(line, 1) - 1;
  // An empty range is drawn as the word there; without a column the whole line is meant.
  const start = Math.max(column, 1) - 1;
  const range = new vscode.Range(row, start, row, column > 0 ? start : Number.MAX_SAFE_INTEGER);
  const diagnostic = new vscode.Diagnostic(range, visibleText(message, MESSAGE_MAX), SEVERITIES[severity]);
  diagnostic.source = visibleText(source, MESSAGE_MAX);
  return diagnostic;
}
