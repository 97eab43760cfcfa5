// The editor of profile files (*.pb.gz, *.pprof), whoever wrote them: the same page as the panels, and their heat.
import type * as vscode from 'vscode';
import type { EngineClient } from '../engine/engineClient.ts';
import { workspaceFolderPaths } from './activeProfile.ts';
import { type PageParts, ProfilePage } from './profilePage.ts';
import { runSubject } from './profileSubjects.ts';

export const PROFILE_EDITOR = 'lineheat.profile';

export class ProfileEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(
    private readonly client: EngineClient,
    private readonly parts: PageParts,
    /** Shows the heat of the opened file; the page itself says it when the file cannot be read. */
    private readonly showHeat: (path: string) => void,
  ) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => {} };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    const subject = runSubject(this.client, uri.fsPath, workspaceFolderPaths());
    const page = new ProfilePage(panel.webview, `file:${uri.fsPath}`, subject, this.parts);
    panel.onDidDispose(() => page.dispose());
    this.showHeat(uri.fsPath);
  }
}
