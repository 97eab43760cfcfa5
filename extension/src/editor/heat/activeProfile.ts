// The profile whose heat the editor shows: one run, or a comparison of two, or none.
import * as vscode from 'vscode';
import { hasChoice } from '../../../../core/measureText.ts';
import type {
  ComparisonOpened,
  RunOpened,
  RunSummary,
  Selected,
  SourceFile,
  ValueType,
  WrittenRun,
} from '../../../../core/wire.ts';
import { OpenComparison, OpenRun } from '../../engine/openProfiles.ts';
import type { RunEngines } from '../../engine/runEngines.ts';
import { abilitiesOf, type RunRef, runKey, sameRun } from '../../engine/runRef.ts';
import { type ComparedMeasure, sharedMeasures } from '../../heat/comparedMeasures.ts';
import { OpeningOrder } from '../../heat/openingOrder.ts';
import { followSelection } from '../../selection/followSelection.ts';
import type { RunMeasures } from '../../selection/runMeasures.ts';
import type { RunSelections } from '../../selection/runSelections.ts';
import { openOptions } from '../settings.ts';
import type { RememberedProfile, ShownProfile } from './shownProfile.ts';

export type Profile =
  | { readonly kind: 'run'; readonly run: OpenRun; readonly opened: RunOpened; readonly selected: Selected | undefined }
  | {
      readonly kind: 'comparison';
      readonly comparison: OpenComparison;
      readonly opened: ComparisonOpened;
      /** By which it can be made; empty: there is no choice. */
      readonly measures: readonly ValueType[];
    };

export class ActiveProfile implements vscode.Disposable {
  private profile: Profile | undefined;
  private files: ReadonlyMap<string, SourceFile> = new Map();
  private readonly order = new OpeningOrder<Profile>({
    current: () => this.profile,
    show: (profile) => this.show(profile),
    drop: close,
  });
  private readonly changed = new vscode.EventEmitter<void>();
  /** Another profile, or none, is shown now. */
  readonly onDidChange = this.changed.event;
  private readonly didSelect = new vscode.EventEmitter<void>();
  /** Figures are of another part of the run, or of another of its measures, now. */
  readonly onDidSelect = this.didSelect.event;
  private part: Selected | undefined;
  private readonly following: vscode.Disposable;

  constructor(
    private readonly engines: RunEngines,
    private readonly shown: ShownProfile,
    private readonly selections: RunSelections,
    private readonly measures: RunMeasures,
  ) {
    const following = [
      selections.onDidChange((run) => void this.follow(run)),
      measures.onDidChange((run) => {
        if (this.profile?.kind === 'run' && sameRun(this.profile.run.ref, run)) this.didSelect.fire();
      }),
    ];
    this.following = { dispose: () => following.map((one) => one.dispose()) };
  }

  get current(): Profile | undefined {
    return this.profile;
  }

  /** The part of the run that its figures are of; undefined: all of it. */
  get selected(): Selected | undefined {
    return this.part;
  }

  /** Which of the run's values its figures are of; undefined: no run is shown. */
  get value(): number | undefined {
    const { profile } = this;
    return profile?.kind === 'run' ? this.measures.of(profile.run.ref, profile.opened) : undefined;
  }

  /** The profile's entry for a file on this machine, or for the recorded path of a saved text. */
  fileOf(path: string): SourceFile | undefined {
    return this.files.get(path);
  }

  /** Opens a run and shows its heat. Throws EngineFailure; what was shown before stays then. */
  async showRun(run: RunRef): Promise<RunOpened> {
    if (this.profile?.kind !== 'run' || !sameRun(this.profile.run.ref, run)) return this.openRun(run);
    this.order.supersede();
    return this.profile.opened;
  }

  /** Opens two runs and shows their differences. */
  async showComparison(
    baseRun: RunRef,
    newRun: RunRef,
    normalisation = 0,
    measure?: ComparedMeasure,
  ): Promise<ComparisonOpened> {
    const key = JSON.stringify([runKey(baseRun), runKey(newRun), normalisation, measure]);
    const profile = await this.order.open(key, async () => {
      const [base, current] = [baseRun, newRun].map((run) => new OpenRun(this.engines, run, openOptions()));
      const comparison = new OpenComparison(this.engines.viewing, base!, current!, normalisation, measure);
      const opened = await comparison.opened();
      const measures = sharedMeasures(await base!.opened(), await current!.opened());
      return { kind: 'comparison', comparison, opened, measures };
    });
    return profile.opened as ComparisonOpened;
  }

  /** Opens what is shown anew, as the settings are now. */
  async reopen(): Promise<void> {
    const profile = this.profile;
    // What is on the way has the settings of before.
    if (profile) this.order.supersede();
    if (profile?.kind === 'run') await this.openRun(profile.run.ref);
    else if (profile) {
      const { base, current, normalisation, measure } = profile.comparison;
      await this.showComparison(base.ref, current.ref, normalisation, measure);
    }
  }

  /** Opens the run anew if it is shown, unless something else is being opened. */
  async refresh(run: RunRef): Promise<void> {
    if (this.profile?.kind !== 'run' || !sameRun(this.profile.run.ref, run) || this.order.isOpening) return;
    await this.openRun(run);
  }

  /** Whether a file of what is shown was written since it was opened. */
  isOlderThan(written: readonly WrittenRun[]): boolean {
    const opened = this.profile?.opened;
    // A recording in progress is followed in its own way.
    if (!opened || (this.profile?.kind === 'run' && !abilitiesOf(this.profile.run.ref).isFinal)) return false;
    const shown = 'summary' in opened ? [opened.summary] : [opened.base, opened.new];
    const isOlder = (run: RunSummary | null) =>
      run !== null && written.some((now) => now.path === run.path && now.modifiedUnixUs !== run.modifiedUnixUs);
    return shown.some(isOlder);
  }

  /** Shows what the window showed before it was reloaded; nothing when something else is shown or being opened. */
  async restore(): Promise<void> {
    const shown = this.shown.get();
    await this.order.restore(async () => shown && this.showAgain(shown));
  }

  /** A panel came back after a reload: shows its profile when there is no other to show. */
  async offer(shown: RememberedProfile): Promise<void> {
    await this.order.offer(
      () => this.restore(),
      () => this.showAgain(shown),
    );
  }

  async clear(): Promise<void> {
    this.order.decline();
    await this.show(undefined);
  }

  dispose(): void {
    this.following.dispose();
    this.changed.dispose();
    this.didSelect.dispose();
  }

  /** The figures of a run are of what is selected of it. */
  private async follow(run: RunRef): Promise<void> {
    const { profile } = this;
    if (profile?.kind !== 'run' || !sameRun(profile.run.ref, run)) return;
    const { selected } = await followSelection(profile.run, this.selections);
    if (this.profile !== profile) return;
    this.part = selected;
    this.didSelect.fire();
  }

  private async showAgain(shown: RememberedProfile): Promise<void> {
    if ('run' in shown) await this.showRun(shown.run);
    else await this.showComparison(shown.base, shown.new, shown.normalisation, shown.measure);
  }

  private async openRun(ref: RunRef): Promise<RunOpened> {
    const profile = await this.order.open(JSON.stringify([runKey(ref)]), async () => {
      const run = new OpenRun(this.engines, ref, openOptions());
      const opened = await run.opened();
      const { selected } = await followSelection(run, this.selections);
      return { kind: 'run', run, opened, selected };
    });
    return profile.opened as RunOpened;
  }

  private async show(profile: Profile | undefined): Promise<void> {
    const former = this.profile;
    this.profile = profile;
    this.part = profile?.kind === 'run' ? profile.selected : undefined;
    void this.shown.set(profile && rememberedOf(profile));
    const entries = (profile?.opened.files ?? []).flatMap((file) => [
      [file.recordedPath, file] as const,
      ...(file.path ? [[file.path, file] as const] : []),
    ]);
    this.files = new Map(entries);
    const setContext = (key: string, value: unknown) => vscode.commands.executeCommand('setContext', key, value);
    await Promise.all([
      setContext('lineheat.hasProfile', profile !== undefined),
      setContext('lineheat.hasSavedRun', profile?.kind === 'run' && abilitiesOf(profile.run.ref).isFinal),
      setContext('lineheat.hasMeasures', profile !== undefined && hasMeasures(profile)),
      setContext('lineheat.hasComparison', profile?.kind === 'comparison'),
      setContext('lineheat.hotFiles', [...this.files.keys()]),
    ]);
    this.changed.fire();
    if (former) close(former);
  }
}

function close(profile: Profile): void {
  if (profile.kind === 'run') profile.run.close();
  else profile.comparison.close();
}

const hasMeasures = (profile: Profile): boolean =>
  profile.kind === 'run' ? hasChoice(profile.opened.values) : profile.measures.length > 0;

/** Undefined: it is gone when the window is loaded anew. */
function rememberedOf(profile: Profile): RememberedProfile | undefined {
  if (profile.kind === 'run') return abilitiesOf(profile.run.ref).isFinal ? { run: profile.run.ref } : undefined;
  const { base, current, normalisation, measure } = profile.comparison;
  return { base: base.ref, new: current.ref, normalisation, ...(measure ? { measure } : {}) };
}
