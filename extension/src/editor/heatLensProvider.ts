// Code lenses above hot functions: one click to the flame graph at that function.
import * as vscode from 'vscode';
import { visibleText } from '../../../core/foreignText.ts';
import { functionLenses } from '../heat/lenses.ts';
import type { FileHeats } from './fileHeats.ts';
import type { HeatPainter } from './heatPainter.ts';
import { heatSettings } from './settings.ts';

export class HeatLensProvider implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly heats: FileHeats,
    private readonly painter: HeatPainter,
  ) {
    const changed = () => this.changed.fire();
    this.subscriptions = [heats.onDidChange(changed), painter.onDidToggle(changed)];
  }

  /** All lenses at once, from figures that marks use too: the text moves in one step. */
  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const settings = heatSettings(document.uri);
    if (!this.painter.shown || !settings.codeLenses) return [];
    const answer = await this.heats.of(document);
    if (answer?.kind !== 'run') return [];
    const { heat } = answer;
    const lenses = functionLenses(heat, settings.threshold).map(({ line, title, row, name }) =>
      lensAt(Math.min(line, document.lineCount), {
        title,
        tooltip: vscode.l10n.t('Show this function in the flame graph'),
        command: 'lineheat.showFlameGraph',
        arguments: [{ row, name }],
      }),
    );
    if (heat.notice) lenses.unshift(lensAt(1, { title: `≈ ${visibleText(heat.notice)}`, command: '' }));
    return lenses;
  }

  dispose(): void {
    this.changed.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}

function lensAt(line: number, command: vscode.Command): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line - 1, 0, line - 1, 0), command);
}
