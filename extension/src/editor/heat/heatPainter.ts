// Keeps the marks of all visible editors as the active profile, the text and the settings want them.
import * as vscode from 'vscode';
import { differenceMarks, heatMarks, type Mark, waitMarks } from '../../heat/marks.ts';
import { type HeatSettings, heatSettings } from '../settings.ts';
import type { DocumentHeat, FileHeats } from './fileHeats.ts';
import { HeatDecorations } from './heatDecorations.ts';

export class HeatPainter implements vscode.Disposable {
  private decorations = new HeatDecorations(heatSettings());
  /** The toggle of this window; undefined: as the setting says. */
  private shownHere: boolean | undefined;
  private readonly toggled = new vscode.EventEmitter<void>();
  readonly onDidToggle = this.toggled.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly heats: FileHeats) {
    this.subscriptions = [
      heats.onDidChange(() => this.paint()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.paint()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration('lineheat.heat')) return;
        if (event.affectsConfiguration('lineheat.heat.show')) this.shownHere = undefined;
        this.decorations.dispose();
        this.decorations = new HeatDecorations(heatSettings());
        this.paint();
        this.toggled.fire();
      }),
    ];
  }

  get shown(): boolean {
    return this.shownHere ?? heatSettings().show;
  }

  toggle(): void {
    this.shownHere = !this.shown;
    this.paint();
    this.toggled.fire();
  }

  /** Shows the marks again after the user asked for a profile. */
  show(): void {
    if (this.shownHere === false) this.toggle();
  }

  dispose(): void {
    this.decorations.dispose();
    this.toggled.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private paint(): void {
    for (const editor of vscode.window.visibleTextEditors) void this.paintEditor(editor);
  }

  private async paintEditor(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    const heat = this.shown ? await this.heats.of(document) : undefined;
    const decorations = this.decorations;
    if (!vscode.window.visibleTextEditors.includes(editor)) return;
    decorations.draw(editor, heat ? marksOf(heat, heatSettings(document.uri)) : []);
  }
}

function marksOf(heat: DocumentHeat, settings: HeatSettings): Mark[] {
  return heat.kind === 'run'
    ? [...heatMarks(heat.heat, settings, heat.measure), ...waitMarks(heat.heat, settings)]
    : differenceMarks(heat.difference, settings);
}
