// The status item that says which measure of a run or comparison the heat in the editor is of, where that is not the usual one. A click shows
// the list of all.
import * as vscode from 'vscode';
import { hasChoice, measureName, measureNames } from '../../../../core/measureText.ts';
import type { ActiveProfile } from './activeProfile.ts';

export class MeasureStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('lineheat.measure', vscode.StatusBarAlignment.Left, 10);
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly active: ActiveProfile) {
    this.item.name = vscode.l10n.t('Lineheat Measure');
    this.item.command = 'lineheat.chooseMeasure';
    this.item.tooltip = [
      vscode.l10n.t('The heat in the editor is of this measure.'),
      vscode.l10n.t('Click to show another.'),
    ].join('\n');
    this.subscriptions = [active.onDidChange(() => this.show()), active.onDidSelect(() => this.show())];
  }

  dispose(): void {
    this.item.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private show(): void {
    const name = unusualMeasure(this.active);
    if (name === undefined) {
      this.item.hide();
      return;
    }
    // A dollar sign would begin an icon.
    this.item.text = `$(flame) ${name.replaceAll('$(', '$ (')}`;
    this.item.show();
  }
}

/** In words; undefined: it is the usual one, or nothing is shown. */
function unusualMeasure({ current, value }: ActiveProfile): string | undefined {
  if (current?.kind === 'comparison') {
    const { measure } = current.comparison;
    return measure && measureName(measure);
  }
  if (!current || value === undefined) return undefined;
  const { values, defaultValue } = current.opened;
  return value === defaultValue || !hasChoice(values) ? undefined : measureNames(values)[value];
}
