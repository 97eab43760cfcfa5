// Opens runs and comparisons for the user: heat in the editor, and the hottest place in view.
import * as vscode from 'vscode';
import { difference } from '../../../core/numbersAsText.ts';
import type { ComparisonOpened, FileDifference, RunOpened } from '../../../core/wire.ts';
import { expected } from '../engine/openProfiles.ts';
import { endOfHotPath } from '../heat/hotPath.ts';
import { isInsideFolders } from '../sources/insideFolders.ts';
import { type ActiveProfile, type Profile, workspaceFolderPaths } from './activeProfile.ts';
import type { FileHeats } from './fileHeats.ts';
import type { HeatPainter } from './heatPainter.ts';
import type { SourceNavigation } from './sourceNavigation.ts';

export class ProfileOpener {
  constructor(
    private readonly active: ActiveProfile,
    private readonly heats: FileHeats,
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

  async openComparison(base: string, current: string, normalisation: number): Promise<ComparisonOpened> {
    const opened = await this.active.showComparison(base, current, normalisation);
    this.painter.show();
    return opened;
  }

  /** The end of the hot path, or the line that changed most, in the files of the workspace; false: none. */
  async goToHottestLine(): Promise<boolean> {
    const profile = this.active.current;
    const place = profile && (await hottestPlace(profile, this.heats));
    if (!place) return false;
    await this.navigation.show({ recordedPath: place.path, ...place }, { aside: false });
    return true;
  }

  private hotFileInView(): boolean {
    return vscode.window.visibleTextEditors.some(({ document }) => this.active.fileOf(document.uri.fsPath));
  }
}

/** The files of a profile that are in the open folders. */
export async function ownPathsOf(profile: Profile): Promise<ReadonlySet<string>> {
  const folders = workspaceFolderPaths();
  const paths = profile.opened.files.map(({ path }) => path);
  // As written first: most files of a run are libraries', and asking the disk about each takes its time.
  const candidates = paths.filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
  const inside = await Promise.all(candidates.map((path) => isInsideFolders(path, folders)));
  return new Set(candidates.filter((_, row) => inside[row]));
}

async function hottestPlace(profile: Profile, heats: FileHeats): Promise<{ path: string; line: number } | undefined> {
  const ownPaths = await ownPathsOf(profile);
  const isOwn = (path: string) => ownPaths.has(path);
  const own = profile.opened.files.filter(({ path }) => isOwn(path));
  const file = own[largest(own.map(({ totalSamples }) => totalSamples))];
  if (!file) return undefined;
  const { path } = file;
  // Through the same figures as the marks: lines are those of the text as it is now.
  const figuresOf = async (of: string) => heats.of(await vscode.workspace.openTextDocument(vscode.Uri.file(of)));
  if (profile.kind === 'comparison') {
    const answer = await figuresOf(path);
    return { path, line: answer?.kind === 'comparison' ? mostChanged(answer.difference) : 1 };
  }
  const heatOf = async (of: string) => {
    const answer = await figuresOf(of);
    return expected(answer?.kind === 'run' ? answer.heat : null, 'FileHeat');
  };
  const detailOf = async ({ path, line }: { path: string; line: number }) =>
    expected((await profile.run.request((run) => ({ lineDetail: { run, path, line } }))).lineDetail, 'LineDetail');
  const { line, totalValueOfLine } = await heatOf(path);
  const start = { path, line: line[largest(totalValueOfLine)] ?? 1, function: '' };
  return endOfHotPath(start, { detailOf, heatOf, isOwn });
}

function mostChanged({ line, baseTotalOfLine, newTotalOfLine }: FileDifference): number {
  return line[largest(newTotalOfLine.map((now, row) => Math.abs(difference(baseTotalOfLine[row]!, now))))] ?? 1;
}

function largest(values: readonly number[]): number {
  return values.reduce((best, value, row) => (value > values[best]! ? row : best), 0);
}
