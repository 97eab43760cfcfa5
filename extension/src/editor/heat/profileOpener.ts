// Opens runs and comparisons for the user: heat in the editor, and the hottest place in view.
import * as vscode from 'vscode';
import { difference } from '../../../../core/numbersAsText.ts';
import type { ComparisonOpened, FileDifference, RunOpened } from '../../../../core/wire.ts';
import { expected } from '../../engine/openProfiles.ts';
import type { RunRef } from '../../engine/runRef.ts';
import type { ComparedMeasure } from '../../heat/comparedMeasures.ts';
import { endOfHotPath } from '../../heat/hotPath.ts';
import { hottestFile } from '../../heat/hottestFile.ts';
import { isInsideFolders } from '../../sources/insideFolders.ts';
import { savedText } from '../../sources/savedText.ts';
import { missingSource, type SourceNavigation } from '../sourceNavigation.ts';
import { workspaceFolderPaths } from '../workspaceFolders.ts';
import type { ActiveProfile, Profile } from './activeProfile.ts';
import type { DocumentHeat, FileHeats } from './fileHeats.ts';
import type { HeatPainter } from './heatPainter.ts';

export class ProfileOpener {
  constructor(
    private readonly active: ActiveProfile,
    private readonly heats: FileHeats,
    private readonly painter: HeatPainter,
    private readonly navigation: SourceNavigation,
  ) {}

  /** Shows the heat of a run. A hot file is opened when none is in view. */
  async openRun(run: RunRef): Promise<RunOpened> {
    const opened = await this.active.showRun(run);
    this.painter.show();
    // Only what needs no question: the user did not ask to see a line.
    if (!this.hotFileInView()) await this.goToHottestOwnLine();
    return opened;
  }

  async openComparison(
    base: RunRef,
    current: RunRef,
    { normalisation, measure }: { readonly normalisation: number; readonly measure: ComparedMeasure | undefined },
  ): Promise<ComparisonOpened> {
    const opened = await this.active.showComparison(base, current, normalisation, measure);
    this.painter.show();
    return opened;
  }

  /**
   * The end of the hot path, or the line that changed most, in the files of the workspace; else in the hottest other file,
   * after a question. Gives the reason, for the user, when there is no line to go to.
   */
  async goToHottestLine(): Promise<string | undefined> {
    const profile = this.active.current;
    if (!profile || (await this.goToHottestOwnLine())) return undefined;
    const file = hottestFile(profile.opened.files);
    if (!file) {
      return vscode.l10n.t(
        'The program of this profile has no line information. Compile it with -g and profile it again.',
      );
    }
    const sides = profile.kind === 'run' ? [profile.run] : [profile.comparison.current, profile.comparison.base];
    // A decoded message has its empty fields in its prototype: a copy of it would lack them.
    const { recordedPath, path } = file;
    const document = await this.navigation.documentOf({ recordedPath, path, line: 1 }, async () => {
      const texts = await Promise.all(sides.map((run) => savedText(run, file.recordedPath)));
      return texts.find((text) => text !== undefined);
    });
    if (!document) return missingSource(file);
    if (document !== 'refused') {
      const answer = await this.heats.of(document);
      await this.navigation.showLine(document, answer ? hottestLineOf(answer) : 1, false);
    }
    return undefined;
  }

  private async goToHottestOwnLine(): Promise<boolean> {
    const profile = this.active.current;
    const place = profile && (await hottestPlace(profile, this.active.value ?? null, this.heats));
    if (!place) return false;
    await this.navigation.show({ recordedPath: place.path, ...place }, { aside: false });
    return true;
  }

  private hotFileInView(): boolean {
    return vscode.window.visibleTextEditors.some(({ document }) => this.heats.pathOf(document) !== undefined);
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

async function hottestPlace(
  profile: Profile,
  value: number | null,
  heats: FileHeats,
): Promise<{ path: string; line: number } | undefined> {
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
    expected(
      (await profile.run.request((run) => ({ lineDetail: { run, path, line, value } }))).lineDetail,
      'LineDetail',
    );
  const { line, totalValueOfLine } = await heatOf(path);
  const start = { path, line: line[largest(totalValueOfLine)] ?? 1, function: '' };
  return endOfHotPath(start, { detailOf, heatOf, isOwn });
}

function hottestLineOf(answer: DocumentHeat): number {
  if (answer.kind === 'comparison') return mostChanged(answer.difference);
  return answer.heat.line[largest(answer.heat.totalValueOfLine)] ?? 1;
}

function mostChanged({ line, baseTotalOfLine, newTotalOfLine }: FileDifference): number {
  return line[largest(newTotalOfLine.map((now, row) => Math.abs(difference(baseTotalOfLine[row]!, now))))] ?? 1;
}

function largest(values: readonly number[]): number {
  return values.reduce((best, value, row) => (value > values[best]! ? row : best), 0);
}
