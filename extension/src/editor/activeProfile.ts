// The profile whose heat the editor shows: one run, or a comparison of two, or none.
import * as vscode from 'vscode';
import type { ComparisonOpened, RunOpened, SourceFile } from '../../../core/wire.ts';
import type { EngineClient } from '../engine/engineClient.ts';
import { OpenComparison, OpenRun } from '../engine/openProfiles.ts';
import { openOptions } from './settings.ts';

export type Profile =
  | { readonly kind: 'run'; readonly run: OpenRun; readonly opened: RunOpened }
  | { readonly kind: 'comparison'; readonly comparison: OpenComparison; readonly opened: ComparisonOpened };

export class ActiveProfile implements vscode.Disposable {
  private profile: Profile | undefined;
  private files: ReadonlyMap<string, SourceFile> = new Map();
  private turn = 0;
  private readonly changed = new vscode.EventEmitter<void>();
  /** Another profile, or none, is shown now. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly client: EngineClient) {}

  get current(): Profile | undefined {
    return this.profile;
  }

  /** The profile's entry for a file on this machine, or for the recorded path of a saved text. */
  fileOf(path: string): SourceFile | undefined {
    return this.files.get(path);
  }

  /** Opens a run and shows its heat. Throws EngineFailure; what was shown before stays then. */
  async showRun(path: string): Promise<RunOpened> {
    if (this.profile?.kind === 'run' && this.profile.run.path === path) return this.profile.opened;
    return this.openRun(path);
  }

  /** Opens two runs and shows their differences. */
  async showComparison(basePath: string, newPath: string, normalisation = 0): Promise<ComparisonOpened> {
    const turn = ++this.turn;
    const [base, current] = [basePath, newPath].map((path) => new OpenRun(this.client, path, openOptions()));
    const comparison = new OpenComparison(this.client, base!, current!, normalisation);
    const opened = await comparison.opened();
    if (turn === this.turn) await this.show({ kind: 'comparison', comparison, opened });
    else comparison.close();
    return opened;
  }

  /** Opens what is shown anew, as the settings are now. */
  async reopen(): Promise<void> {
    const profile = this.profile;
    if (profile?.kind === 'run') await this.openRun(profile.run.path);
    else if (profile) {
      const { base, current, normalisation } = profile.comparison;
      await this.showComparison(base.path, current.path, normalisation);
    }
  }

  async clear(): Promise<void> {
    this.turn++;
    await this.show(undefined);
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async openRun(path: string): Promise<RunOpened> {
    const turn = ++this.turn;
    const run = new OpenRun(this.client, path, openOptions());
    const opened = await run.opened();
    if (turn === this.turn) await this.show({ kind: 'run', run, opened });
    else run.close();
    return opened;
  }

  private async show(profile: Profile | undefined): Promise<void> {
    const former = this.profile;
    this.profile = profile;
    const entries = (profile?.opened.files ?? []).flatMap((file) => [
      [file.recordedPath, file] as const,
      ...(file.path ? [[file.path, file] as const] : []),
    ]);
    this.files = new Map(entries);
    const setContext = (key: string, value: unknown) => vscode.commands.executeCommand('setContext', key, value);
    await Promise.all([
      setContext('lineheat.hasProfile', profile !== undefined),
      setContext('lineheat.hasRun', profile?.kind === 'run'),
      setContext('lineheat.hasComparison', profile?.kind === 'comparison'),
      setContext('lineheat.hotFiles', [...this.files.keys()]),
    ]);
    this.changed.fire();
    if (former?.kind === 'run') former.run.close();
    else former?.comparison.close();
  }
}

/** Where sources are looked for when a recorded path does not exist on this machine. */
export function workspaceFolderPaths(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
}
