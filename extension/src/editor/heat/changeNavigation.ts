// Next and Previous Significant Change: through the lines that the marks colour, in the files of the workspace.
import * as vscode from 'vscode';
import { type ChangePlace, changedLines, stepFrom } from '../../heat/changeSteps.ts';
import { differenceMarks } from '../../heat/marks.ts';
import { heatSettings } from '../settings.ts';
import type { SourceNavigation } from '../sourceNavigation.ts';
import type { ActiveProfile } from './activeProfile.ts';
import type { FileHeats } from './fileHeats.ts';
import { ownPathsOf } from './profileOpener.ts';

export class ChangeNavigation {
  constructor(
    private readonly active: ActiveProfile,
    private readonly heats: FileHeats,
    private readonly navigation: SourceNavigation,
  ) {}

  /** Goes to the change after or before the cursor; false: there is none. */
  async go(direction: 1 | -1): Promise<boolean> {
    const profile = this.active.current;
    if (profile?.kind !== 'comparison') return false;
    const own = await ownPathsOf(profile);
    const paths = profile.opened.files.map(({ path }) => path).filter((path) => own.has(path));
    const place = await stepFrom(this.here(), direction, paths, (path) => this.linesOf(path));
    if (!place) return false;
    await this.navigation.show({ recordedPath: place.path, ...place }, { aside: false });
    return true;
  }

  private here(): ChangePlace | undefined {
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    const path = editor && this.heats.pathOf(editor.document);
    return editor && path !== undefined ? { path, line: editor.selection.active.line + 1 } : undefined;
  }

  /** The lines of a file as it is now: the same figures, threshold and measure as the marks. */
  private async linesOf(path: string): Promise<readonly number[]> {
    const uri = vscode.Uri.file(path);
    const answer = await this.heats.of(await vscode.workspace.openTextDocument(uri));
    return answer?.kind === 'comparison' ? changedLines(differenceMarks(answer.difference, heatSettings(uri))) : [];
  }
}
