// Opens runs and comparisons for the user: heat in the editor, and the hottest place in view.
import * as vscode from 'vscode';
import type { ComparisonOpened, RunOpened, SourceFile } from '../../../core/wire.ts';
import { expected } from '../engine/openProfiles.ts';
import type { ActiveProfile } from './activeProfile.ts';
import { workspaceFolderPaths } from './activeProfile.ts';
import type { HeatPainter } from './heatPainter.ts';
import type { SourceNavigation } from './sourceNavigation.ts';

export class ProfileOpener {
  constructor(
    private readonly active: ActiveProfile,
    private readonly painter: HeatPainter,
    private readonly navigation: SourceNavigation,
  ) {}

  /** Shows the heat of a run. A hot file is opened when none is in view. */
  async openRun(path: string): Promise<RunOpened> {
    const opened = await this.active.showRun(path);
    this.painter.show();
    if (!this.hotFileInView()) await this.goToHottestLine();
    return opened;
  }

  async openComparison(base: string, current: string): Promise<ComparisonOpened> {
    const opened = await this.active.showComparison(base, current);
    this.painter.show();
    return opened;
  }

  /** The line with the most self time, in the hottest file of the workspace; false when there is none. */
  async goToHottestLine(): Promise<boolean> {
    const profile = this.active.current;
    const file = profile && hottestFile(profile.opened.files);
    if (!profile || !file) return false;
    const line = profile.kind === 'run' ? await this.hottestLine(file) : 1;
    await this.navigation.show({ recordedPath: file.recordedPath, path: file.path, line }, { aside: false });
    return true;
  }

  private async hottestLine(file: SourceFile): Promise<number> {
    const profile = this.active.current;
    if (profile?.kind !== 'run') return 1;
    const reply = await profile.run.request((run) => ({
      fileHeat: { run, path: file.path, hasText: false, text: '' },
    }));
    const { line, selfValue, totalValueOfLine } = expected(reply.fileHeat, 'FileHeat');
    // Without self time in the file, as with inlined library code, the line that costs most.
    const weight = selfValue.some((value) => value > 0) ? selfValue : totalValueOfLine;
    const hottest = weight.reduce((best, value, row) => (value > weight[best]! ? row : best), 0);
    return line[hottest] ?? 1;
  }

  private hotFileInView(): boolean {
    return vscode.window.visibleTextEditors.some(({ document }) => this.active.fileOf(document.uri.fsPath));
  }
}

/** The hottest file of the workspace; files elsewhere are libraries. */
function hottestFile(files: readonly SourceFile[]): SourceFile | undefined {
  const folders = workspaceFolderPaths();
  return files.find(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)));
}
