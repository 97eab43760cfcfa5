// Opens runs and comparisons for the user: heat in the editor, and the hottest place in view.
import * as vscode from 'vscode';
import type { ComparisonOpened, RunOpened, SourceFile } from '../../../core/wire.ts';
import { expected, type OpenComparison, type OpenRun } from '../engine/openProfiles.ts';
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

  /** The line with the most self time, or the largest change, in the hottest file of the workspace; false: none. */
  async goToHottestLine(): Promise<boolean> {
    const profile = this.active.current;
    const file = profile && hottestFile(profile.opened.files);
    if (!profile || !file) return false;
    const line = profile.kind === 'run' ? await hottestLine(profile.run, file) : await mostChanged(profile, file);
    await this.navigation.show({ recordedPath: file.recordedPath, path: file.path, line }, { aside: false });
    return true;
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

async function hottestLine(run: OpenRun, { path }: SourceFile): Promise<number> {
  const reply = await run.request((id) => ({ fileHeat: { run: id, path, hasText: false } }));
  const { line, selfValue, totalValueOfLine } = expected(reply.fileHeat, 'FileHeat');
  // Without self time in the file, as with inlined library code, the line that costs most.
  return line[largest(selfValue.some((value) => value > 0) ? selfValue : totalValueOfLine)] ?? 1;
}

async function mostChanged({ comparison }: { comparison: OpenComparison }, { path }: SourceFile): Promise<number> {
  const reply = await comparison.request((id) => ({ fileDifference: { comparison: id, path, hasText: false } }));
  const { line, baseTotalOfLine, newTotalOfLine } = expected(reply.fileDifference, 'FileDifference');
  return line[largest(newTotalOfLine.map((value, row) => Math.abs(value - baseTotalOfLine[row]!)))] ?? 1;
}

function largest(values: readonly number[]): number {
  return values.reduce((best, value, row) => (value > values[best]! ? row : best), 0);
}
