// The editor of profile files, whoever wrote them: the same page as the panels, and their heat.
import type * as vscode from 'vscode';
import type { RunEngines } from '../../engine/runEngines.ts';
import { fileRun, type RunRef } from '../../engine/runRef.ts';
import { openOptions } from '../settings.ts';
import { type PageParts, ProfilePage } from './profilePage.ts';
import { runSubject } from './profileSubjects.ts';

/** Files that are profiles by their name, and those that may be: other tools use those names too, so they are asked for. */
export const PROFILE_EDITORS = ['lineheat.profile', 'lineheat.anyProfile'];

export class ProfileEditor implements vscode.CustomReadonlyEditorProvider {
  private readonly open = new Map<ProfilePage, RunRef>();

  constructor(
    private readonly engines: RunEngines,
    private readonly parts: PageParts,
    /** Shows the heat of the opened file; the page itself says it when the file cannot be read. */
    private readonly showHeat: (run: RunRef) => void,
  ) {}

  /** Opens what is shown anew, as the settings are now. */
  reopen(): void {
    for (const [page, run] of this.open) page.showAnew(runSubject(this.engines, run, openOptions()));
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => {} };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    const run = fileRun(uri.fsPath);
    const subject = runSubject(this.engines, run, openOptions());
    const page = new ProfilePage(panel.webview, `file:${uri.fsPath}`, subject, this.parts);
    this.parts.retained.watch(panel, page);
    this.open.set(page, run);
    panel.onDidDispose(() => {
      this.open.delete(page);
      page.dispose();
    });
    this.showHeat(run);
  }
}
