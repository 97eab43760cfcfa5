// The status item that says which part of the run the heat in the editor is of. A click shows all of it again.
import * as vscode from 'vscode';
import { selectedText } from '../../../../core/numbersAsText.ts';
import { chipsOf } from '../../../../core/selectionChips.ts';
import { EMPTY_SELECTION, isEmptySelection } from '../../../../core/selectionMessages.ts';
import type { RunSelections } from '../../selection/runSelections.ts';
import { selectedFigures } from '../../selection/selectedFigures.ts';
import type { ActiveProfile } from './activeProfile.ts';

export class SelectionStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('lineheat.selection', vscode.StatusBarAlignment.Left, 10);
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly active: ActiveProfile,
    private readonly selections: RunSelections,
  ) {
    this.item.name = vscode.l10n.t('Lineheat Selection');
    this.item.command = 'lineheat.clearSelection';
    this.subscriptions = [active.onDidChange(() => this.show()), active.onDidSelect(() => this.show())];
  }

  dispose(): void {
    this.item.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private show(): void {
    const profile = this.active.current;
    const run = profile?.kind === 'run' ? profile.run : undefined;
    const selection = run ? this.selections.get(run.ref).selection : EMPTY_SELECTION;
    const hasSelection = !isEmptySelection(selection);
    void vscode.commands.executeCommand('setContext', 'lineheat.hasSelection', hasSelection);
    if (!hasSelection) {
      this.item.hide();
      return;
    }
    const words = chipsOf(selection, () => undefined).map(({ text }) => text);
    // A dollar sign would begin an icon.
    this.item.text = `$(filter) ${words.join(', ').replaceAll('$(', '$ (')}`;
    this.item.tooltip = [
      vscode.l10n.t('The heat in the editor is of this part of the run.'),
      this.figures(),
      vscode.l10n.t('Click to show all of the run.'),
    ]
      .filter(Boolean)
      .join('\n');
    this.item.show();
  }

  private figures(): string {
    const { selected, current, value } = this.active;
    if (!selected || current?.kind !== 'run' || value === undefined) return '';
    const figures = selectedFigures(current.opened, selected, value);
    return selectedText(figures, figures.unit);
  }
}
