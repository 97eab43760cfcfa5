// Opens the source that a profile names: inside the workspace at once, elsewhere after a question, else the saved text.
import fs from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { visibleText } from '../../../core/foreignText.ts';
import { isInsideFolders } from '../sources/insideFolders.ts';
import { inform } from './notifications.ts';
import type { TextDocuments } from './textDocuments.ts';
import { workspaceFolderPaths } from './workspaceFolders.ts';

const SOURCE_BYTES_MAX = 50 << 20;

export interface SourcePlace {
  /** As debug information names it. */
  readonly recordedPath: string;
  /** Where it is on this machine; empty: not found. */
  readonly path: string;
  readonly line: number; // 0: unknown
}

export interface ShowOptions {
  readonly aside: boolean;
  /** The text of a file that is not on this machine, if the run has kept it. */
  readonly savedText?: () => Promise<string | undefined>;
}

export class SourceNavigation {
  private readonly allowedFiles = new Set<string>();
  private allAllowed = false;

  constructor(private readonly documents: TextDocuments) {}

  /** Shows a place. Gives the reason, for the user, when there is no source to show; nothing when the user said no. */
  async show(place: SourcePlace, { aside, savedText }: ShowOptions): Promise<string | undefined> {
    const document = await this.documentOf(place, savedText);
    if (!document) return missingSource(place);
    if (document !== 'refused') await this.showLine(document, place.line, aside);
    return undefined;
  }

  /** The file that a place is in, else the text that was saved with the run; asks before it opens what is elsewhere. */
  async documentOf(
    place: SourcePlace,
    savedText?: ShowOptions['savedText'],
  ): Promise<vscode.TextDocument | 'refused' | undefined> {
    const document = await this.openFile(place);
    if (document) return document;
    const text = await savedText?.();
    if (text === undefined) return undefined;
    return this.documents.open({ path: place.recordedPath, origin: 'saved with the run' }, text);
  }

  async showLine(document: vscode.TextDocument, lineNumber: number, aside: boolean): Promise<void> {
    const line = Math.min(Math.max(lineNumber, 1), document.lineCount) - 1;
    const start = document.lineAt(line).firstNonWhitespaceCharacterIndex;
    await vscode.window.showTextDocument(document, {
      viewColumn: aside ? vscode.ViewColumn.Beside : columnForSource(document.uri),
      selection: new vscode.Range(line, start, line, start),
    });
  }

  private async openFile(place: SourcePlace): Promise<vscode.TextDocument | 'refused' | undefined> {
    if (!path.isAbsolute(place.path)) return undefined;
    // Two slashes at the start would name another host to the editor.
    const file = path.normalize(place.path);
    const stat = await fs.stat(file).catch(() => undefined);
    // Reading a FIFO or a device would hang; a profile can name one.
    if (!stat?.isFile() || stat.size > SOURCE_BYTES_MAX) return undefined;
    if (!(await this.mayOpen(file))) return 'refused';
    return vscode.workspace.openTextDocument(vscode.Uri.file(file));
  }

  private async mayOpen(file: string): Promise<boolean> {
    if (this.allAllowed || this.allowedFiles.has(file)) return true;
    if (await isInsideFolders(file, workspaceFolderPaths())) return true;
    const once = vscode.l10n.t('Open');
    const always = vscode.l10n.t('Open, and Do Not Ask Again');
    const question = vscode.l10n.t('The profile refers to {0}, which is outside this workspace.', visibleText(file));
    const choice = await inform(question, once, always);
    if (choice === always) this.allAllowed = true;
    if (choice === once) this.allowedFiles.add(file);
    return choice !== undefined;
  }
}

/** Why a place has no source to show, and how to get it. */
export function missingSource({ recordedPath }: Pick<SourcePlace, 'recordedPath'>): string {
  if (!recordedPath)
    return vscode.l10n.t(
      'This function has no source lines: its module has no line information. Compile it with -g to get them.',
    );
  return vscode.l10n.t(
    'The source {0} is not on this machine, and the run did not save its text. Open the folder that contains it, or map its path with the setting lineheat.sourcePathMap.',
    visibleText(recordedPath),
  );
}

/** A group that shows text already, so that the graph stays in view; else the active one. */
function columnForSource(uri: vscode.Uri): vscode.ViewColumn {
  const editors = vscode.window.visibleTextEditors.filter((editor) => editor.viewColumn !== undefined);
  const same = editors.find((editor) => editor.document.uri.toString() === uri.toString());
  const active = vscode.window.tabGroups.activeTabGroup;
  // From a webview the active group is the webview's own.
  const other = editors.find((editor) => editor.viewColumn !== active.viewColumn) ?? editors[0];
  const textIsActive = active.activeTab?.input instanceof vscode.TabInputText;
  if (same?.viewColumn) return same.viewColumn;
  return textIsActive ? active.viewColumn : (other?.viewColumn ?? active.viewColumn);
}
