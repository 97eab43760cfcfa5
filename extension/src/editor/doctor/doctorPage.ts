// The doctor's page: its report as a read-only text with marks in colour, and lenses that copy a command or set things up.
import * as vscode from 'vscode';
import {
  type CheckWord,
  type DoctorText,
  doctorText,
  recordsWithPrivilege,
  TITLE_COLUMN,
} from '../../doctor/doctorText.ts';
import type { EngineClient } from '../../engine/engineClient.ts';
import { expected } from '../../engine/openProfiles.ts';
import { SCHEME, type TextDocuments } from '../textDocuments.ts';

const PAGE = 'Lineheat Doctor';
const WORD_COLOURS: Readonly<Record<CheckWord, string>> = {
  ok: 'testing.iconPassed',
  costs: 'list.warningForeground',
  missing: 'list.errorForeground',
};

export interface Diagnosis {
  readonly canRecord: boolean;
  readonly withPrivilege: boolean;
}

export class DoctorPage implements vscode.CodeLensProvider, vscode.Disposable {
  private shown: DoctorText | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly styles = new Map<CheckWord, vscode.TextEditorDecorationType>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly client: EngineClient,
    private readonly documents: TextDocuments,
  ) {
    this.subscriptions = [
      this.changed,
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME, pattern: `/${PAGE}` }, this),
      vscode.window.onDidChangeVisibleTextEditors(() => this.paint()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => isPage(document) && this.paint()),
    ];
  }

  /** Examines this machine and shows what was found; a page that is open already shows it anew. */
  async open(): Promise<Diagnosis> {
    const title = vscode.l10n.t('Lineheat is checking what this machine allows');
    const report = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async () =>
      expected((await this.client.request({ doctor: {} })).doctor, 'DoctorReport'),
    );
    this.shown = doctorText(report);
    const document = await this.documents.open({ path: PAGE }, this.shown.text);
    await vscode.window.showTextDocument(document, { preview: false });
    this.changed.fire();
    this.paint();
    const withPrivilege = recordsWithPrivilege(report);
    await vscode.commands.executeCommand('setContext', 'lineheat.hasPermission', withPrivilege);
    return { canRecord: report.canRecord, withPrivilege };
  }

  /** The command that helps with a check of the page; undefined for anything that is no such check. */
  commandOf(id: unknown): string | undefined {
    return this.shown?.checks.find((check) => check.id === id && check.command)?.command;
  }

  provideCodeLenses(): vscode.CodeLens[] {
    if (!this.shown) return [];
    const lens = (line: number, title: string, command: string, ...words: string[]) =>
      new vscode.CodeLens(new vscode.Range(line - 1, 0, line - 1, 0), {
        title,
        command: `lineheat.${command}`,
        arguments: words,
      });
    const copies = this.shown.checks
      .filter(({ commandLine }) => commandLine > 0)
      .map(({ id, commandLine }) => lens(commandLine, vscode.l10n.t('Copy Command'), 'doctor.copy', id));
    return [
      lens(VERDICT_LINE, `$(refresh) ${vscode.l10n.t('Check Again')}`, 'doctor'),
      lens(VERDICT_LINE, `$(shield) ${vscode.l10n.t('Set Up Profiling Permission')}`, 'setUpPermission'),
      lens(VERDICT_LINE, vscode.l10n.t('Remove Profiling Permission'), 'removePermission'),
      ...copies,
    ];
  }

  dispose(): void {
    for (const subscription of [...this.subscriptions, ...this.styles.values()]) subscription.dispose();
  }

  private paint(): void {
    const checks = this.shown?.checks ?? [];
    for (const editor of vscode.window.visibleTextEditors.filter(({ document }) => isPage(document)))
      for (const word of Object.keys(WORD_COLOURS) as CheckWord[]) {
        const lines = checks.filter((check) => check.word === word).map(({ titleLine }) => titleLine - 1);
        const ranges = lines.map((line) => new vscode.Range(line, 0, line, TITLE_COLUMN - 1));
        editor.setDecorations(this.style(word), ranges);
      }
  }

  private style(word: CheckWord): vscode.TextEditorDecorationType {
    const color = new vscode.ThemeColor(WORD_COLOURS[word]);
    const made = this.styles.get(word) ?? vscode.window.createTextEditorDecorationType({ color, fontWeight: 'bold' });
    this.styles.set(word, made);
    return made;
  }
}

/** Lenses for the whole stand above the first sentence (doctorText.ts). */
const VERDICT_LINE = 3;

function isPage({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === SCHEME && uri.path === `/${PAGE}`;
}
