// Read-only documents of ours (scheme `lineheat`): the doctor's report, annotated listings, saved source texts.
import * as vscode from 'vscode';

export const SCHEME = 'lineheat';

/** Bounded: the oldest text goes when a session makes very many. */
const TEXTS_MAX = 200;

export class TextDocuments implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.texts.get(uri.toString()) ?? vscode.l10n.t('This text is not kept across a reload. Ask for it again.\n')
    );
  }

  /** Opens `text` under `path`; a later text for the same path takes its place. `origin` tells equal paths apart. */
  async open(place: { path: string; origin?: string }, text: string): Promise<vscode.TextDocument> {
    const { path, origin = '' } = place;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: path.startsWith('/') ? path : `/${path}`, query: origin });
    this.texts.delete(uri.toString());
    this.texts.set(uri.toString(), text);
    if (this.texts.size > TEXTS_MAX) this.texts.delete(this.texts.keys().next().value!);
    this.changed.fire(uri);
    return vscode.workspace.openTextDocument(uri);
  }

  dispose(): void {
    this.changed.dispose();
  }
}
