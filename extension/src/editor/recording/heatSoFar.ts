// The heat of a recording in progress: shown when the user asks for it, shown anew as it grows, and moved over to the saved run at
// the end. How often it grows is the engine's to say: it waits for what was opened last.
import * as vscode from 'vscode';
import type { EngineClient } from '../../engine/engineClient.ts';
import { EngineFailure } from '../../engine/failure.ts';
import type { RunEngines } from '../../engine/runEngines.ts';
import { fileRun, type RecordingRun, type RunRef, sameRun } from '../../engine/runRef.ts';
import type { RunMeasures } from '../../selection/runMeasures.ts';
import type { RunSelections } from '../../selection/runSelections.ts';
import type { ActiveProfile } from '../heat/activeProfile.ts';
import type { ProfileOpener } from '../heat/profileOpener.ts';
import { inform } from '../notifications.ts';
import type { OutputLog } from '../outputLog.ts';
import type { ProfilePanels } from '../panels/profilePanels.ts';

export interface HeatSoFarParts {
  readonly engines: RunEngines;
  readonly active: Pick<ActiveProfile, 'current' | 'refresh' | 'showRun' | 'clear'>;
  readonly opener: Pick<ProfileOpener, 'openRun'>;
  readonly panels: Pick<ProfilePanels, 'shows' | 'reopen' | 'move' | 'close'>;
  readonly selections: RunSelections;
  readonly measures: RunMeasures;
  readonly log: OutputLog;
}

/** How a recording ended: with a run, by the user's wish without one, or with its engine. */
export type RecordingEnd = { readonly saved: string } | 'discarded' | 'failed';

export class HeatSoFar {
  private running: { readonly run: RecordingRun; readonly client: EngineClient; isFollowed: boolean } | undefined;

  constructor(private readonly parts: HeatSoFarParts) {}

  /** A recording runs in `client`, by the request with this id. */
  began(client: EngineClient, requestId: number): void {
    const run = this.parts.engines.begin(client, requestId);
    this.running = { run, client, isFollowed: false };
  }

  /** Throws EngineFailure when nothing is being recorded, or has no samples yet. */
  async show(): Promise<void> {
    const { running } = this;
    if (!running) {
      throw new EngineFailure(
        'not-found',
        vscode.l10n.t('No recording is running.'),
        vscode.l10n.t('Start one with "Lineheat: Profile This Target".'),
      );
    }
    await this.parts.opener.openRun(running.run);
    if (!running.isFollowed) void this.follow(running.run);
    running.isFollowed = true;
  }

  /** Whoever shows the recording shows its saved run from now on, looked at in the same way; or nothing, if there is none. */
  async ended(end: RecordingEnd): Promise<void> {
    const { running } = this;
    if (!running) return;
    this.running = undefined;
    const { active, engines, log, measures, panels, selections } = this.parts;
    const { run } = running;
    const isActive = this.isActive(run);
    try {
      const saved = this.savedRun(run, end);
      if (!isActive && !panels.shows(run)) return;
      if (!saved) return await this.showNothing(run, end);
      selections.carry(run, saved);
      measures.carry(run, saved);
      if (isActive) await active.showRun(saved);
      panels.move(run, saved);
    } catch (error) {
      log.warn(`the run of an ended recording: ${(error as Error).message}`);
      await this.showNothing(run, end);
    } finally {
      engines.end(run);
    }
  }

  private async follow(run: RecordingRun): Promise<void> {
    const { engines, log } = this.parts;
    const { client, run: named } = engines.of(run);
    const watchRecording = { recording: named.recording ?? 0 };
    try {
      await client.request({ watchRecording }, { timeoutMs: 0, onPart: () => this.refresh(run) });
    } catch (error) {
      // With its engine the recording ends too, and says why.
      log.info(`the recording is not followed any more: ${(error as Error).message}`);
    }
  }

  private async refresh(run: RecordingRun): Promise<void> {
    if (!this.running || !sameRun(this.running.run, run)) return;
    const { active, log, panels } = this.parts;
    try {
      await active.refresh(run);
      panels.reopen(run);
    } catch (error) {
      log.warn(`the recording in progress: ${(error as Error).message}`);
    }
  }

  /** An engine that ended under the recording has left what it had in the file, which recovers it. */
  private savedRun(run: RunRef, end: RecordingEnd): RunRef | undefined {
    if (typeof end === 'object') return fileRun(end.saved);
    const profile = this.parts.active.current;
    const path = profile?.kind === 'run' && sameRun(profile.run.ref, run) ? profile.opened.summary?.path : undefined;
    return end === 'failed' && path ? fileRun(path) : undefined;
  }

  private async showNothing(run: RunRef, end: RecordingEnd): Promise<void> {
    const { active, panels } = this.parts;
    if (this.isActive(run)) await active.clear();
    panels.close(run);
    if (end === 'discarded') {
      void inform(vscode.l10n.t('The recording was discarded, so its heat is no longer shown.'));
    }
  }

  private isActive(run: RunRef): boolean {
    const profile = this.parts.active.current;
    return profile?.kind === 'run' && sameRun(profile.run.ref, run);
  }
}
