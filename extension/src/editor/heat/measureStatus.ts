// The status item that says which measure of the run the heat in the editor is of, where that is not the usual one. A click shows
// the list of all.
import * as vscode from 'vscode';
import { hasChoice, measureNames } from '../../../../core/measureText.ts';
import type { ActiveProfile } from './activeProfile.ts';

export class MeasureStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('lineheat.measure', vscode.StatusBarAlignment.Left, 10);
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly active: ActiveProfile) {
    this.item.name = vscode.l10n.t('Lineheat Measure');
    this.item.command = 'lineheat.chooseMeasure';
    this.item.tooltip = [
      vscode.l10n.t('The heat in the editor is of this measure of the run.'),
      vscode.l10n.t('Click to show another.'),
    ].join('\n');
    this.subscriptions = [active.onDidChange(() => this.show()), active.onDidSelect(() => this.show())];
  }

  dispose(): void {
    this.item.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private show(): void {
    const { current, value } = this.active;
    const opened = current?.kind === 'run' ? current.opened : undefined;
    if (!opened || value === undefined || value === opened.defaultValue || !hasChoice(opened.values)) {
      this.item.hide();
      return;
    }
    // A dollar sign would begin an icon.
    this.item.text = `$(flame) ${measureNames(opened.values)[value]!.replaceAll('$(', '$ (')}`;
    this.item.show();
  }
}
