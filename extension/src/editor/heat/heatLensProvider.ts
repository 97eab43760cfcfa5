// Code lenses above hot functions, or above those that changed: one click to the flame graph at that function.
import * as vscode from 'vscode';
import { visibleText } from '../../../../core/foreignText.ts';
import { countedIn, type ShownMeasure } from '../../../../core/measureText.ts';
import { samplesText } from '../../../../core/numbersAsText.ts';
import type { SampleCount } from '../../../../core/sampleCount.ts';
import { abilitiesOf } from '../../engine/runRef.ts';
import { differenceLenses, type FunctionLens, functionLenses } from '../../heat/lenses.ts';
import { heatSettings } from '../settings.ts';
import type { ActiveProfile } from './activeProfile.ts';
import type { DocumentHeat, FileHeats } from './fileHeats.ts';
import type { HeatPainter } from './heatPainter.ts';

export class HeatLensProvider implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly active: ActiveProfile,
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
    if (!answer) return [];
    const notice = answer.kind === 'run' ? answer.heat.notice : answer.difference.notice;
    const lenses = this.lensesOf(answer, settings.threshold).flatMap(
      ({ line, title, samples, instances, name, module, called }) => {
        const at = Math.min(line, document.lineCount);
        const target = [{ name, module }];
        if (answer.kind !== 'run') {
          const command = 'lineheat.showFlameGraph';
          return [lensAt(at, { title: visibleText(title), tooltip: shownWith(), command, arguments: target })];
        }
        const figures = lensAt(at, {
          title: visibleText(title),
          tooltip: visibleText(called?.note ?? ''),
          command: '',
        });
        const graph = lensAt(at, {
          title: vscode.l10n.t('Flame graph'),
          tooltip: [shownWith(samples, answer.measure), instances > 1 ? instancesText(instances) : '']
            .filter(Boolean)
            .join('\n'),
          command: 'lineheat.showFlameGraph',
          arguments: target,
        });
        const compare = lensAt(at, {
          title: vscode.l10n.t('Compare with…'),
          tooltip: vscode.l10n.t('Compare this function with another run'),
          command: 'lineheat.compareFunction',
          arguments: target,
        });
        const count = lensAt(at, {
          title: vscode.l10n.t('Count calls'),
          tooltip: vscode.l10n.t('Count each call of this function in the next recordings'),
          command: 'lineheat.countCalls',
          arguments: target,
        });
        return [figures, graph, ...(this.canCompare() ? [compare] : []), ...(called ? [] : [count])];
      },
    );
    if (notice) lenses.unshift(lensAt(1, { title: `≈ ${visibleText(notice)}`, command: '' }));
    return lenses;
  }

  private canCompare(): boolean {
    const profile = this.active.current;
    return profile?.kind === 'run' && abilitiesOf(profile.run.ref).isFinal;
  }

  private lensesOf(answer: DocumentHeat, threshold: number): FunctionLens[] {
    if (answer.kind === 'run') return functionLenses(answer.heat, threshold, answer.measure);
    const profile = this.active.current;
    return differenceLenses(answer.difference, profile?.kind === 'comparison' ? profile.opened.per : '', threshold);
  }

  dispose(): void {
    this.changed.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}

function shownWith(samples?: SampleCount, measure?: ShownMeasure): string {
  const shown = vscode.l10n.t('Show this function in the flame graph');
  const count = samplesText(samples, countedIn(measure?.type ?? ''));
  return count ? `${shown} (${count})` : shown;
}

function instancesText(count: number): string {
  return vscode.l10n.t('{0} instances have this definition: the graph opens at the hottest', count);
}

function lensAt(line: number, command: vscode.Command): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line - 1, 0, line - 1, 0), command);
}
