// Opens runs and comparisons for the user: heat in the editor, and the hottest place in view.
import * as vscode from 'vscode';
import type { ComparisonOpened, FileHeat, RunOpened } from '../../../core/wire.ts';
import { expected, type OpenComparison, type OpenRun } from '../engine/openProfiles.ts';
import { endOfHotPath } from '../heat/hotPath.ts';
import { type ActiveProfile, type Profile, workspaceFolderPaths } from './activeProfile.ts';
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

  /** The end of the hot path, or the line that changed most, in the files of the workspace; false: none. */
  async goToHottestLine(): Promise<boolean> {
    const profile = this.active.current;
    const place = profile && (await hottestPlace(profile));
    if (!place) return false;
    await this.navigation.show({ recordedPath: place.path, ...place }, { aside: false });
    return true;
  }

  private hotFileInView(): boolean {
    return vscode.window.visibleTextEditors.some(({ document }) => this.active.fileOf(document.uri.fsPath));
  }
}

async function hottestPlace(profile: Profile): Promise<{ path: string; line: number } | undefined> {
  const folders = workspaceFolderPaths();
  const isOwn = (path: string) => folders.some((folder) => path.startsWith(`${folder}/`));
  const own = profile.opened.files.filter(({ path }) => isOwn(path));
  const file = own[largest(own.map(({ totalSamples }) => totalSamples))];
  if (!file) return undefined;
  const { path } = file;
  if (profile.kind === 'comparison') return { path, line: await mostChanged(profile.comparison, path) };
  const { run } = profile;
  const heats = new Map<string, Promise<FileHeat>>();
  const heatOf = (of: string) => {
    const heat = heats.get(of) ?? savedTextHeat(run, of);
    heats.set(of, heat);
    return heat;
  };
  const detailOf = async ({ path, line }: { path: string; line: number }) =>
    expected((await run.request((id) => ({ lineDetail: { run: id, path, line } }))).lineDetail, 'LineDetail');
  const { line, totalValueOfLine } = await heatOf(path);
  const start = { path, line: line[largest(totalValueOfLine)] ?? 1, function: '' };
  return endOfHotPath(start, { detailOf, heatOf, isOwn });
}

/** Heat of a file as it was recorded: no editor needs to show it. */
async function savedTextHeat(run: OpenRun, path: string): Promise<FileHeat> {
  const reply = await run.request((id) => ({ fileHeat: { run: id, path, hasText: false } }));
  return expected(reply.fileHeat, 'FileHeat');
}

async function mostChanged(comparison: OpenComparison, path: string): Promise<number> {
  const reply = await comparison.request((id) => ({ fileDifference: { comparison: id, path, hasText: false } }));
  const { line, baseTotalOfLine, newTotalOfLine } = expected(reply.fileDifference, 'FileDifference');
  return line[largest(newTotalOfLine.map((value, row) => Math.abs(value - baseTotalOfLine[row]!)))] ?? 1;
}

function largest(values: readonly number[]): number {
  return values.reduce((best, value, row) => (value > values[best]! ? row : best), 0);
}
