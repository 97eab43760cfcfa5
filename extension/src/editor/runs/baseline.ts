// The run that later ones are held against: pinned in this workspace. The verdicts are computed one after the other when
// the Runs view first shows a run, and kept; the comparisons behind them are closed at once.
import fs from 'node:fs/promises';
import * as vscode from 'vscode';
import type { RunSummary } from '../../../../core/wire.ts';
import { OpenComparison, OpenRun } from '../../engine/openProfiles.ts';
import type { RunEngines } from '../../engine/runEngines.ts';
import { fileOf, listedRun, type RunRef, runKey, runOfKey, sameRun } from '../../engine/runRef.ts';
import { baselineVerdict, isHeldAgainst } from '../../heat/baselineText.ts';
import type { OutputLog } from '../outputLog.ts';
import { openOptions } from '../settings.ts';

const MEMORY = 'lineheat.baseline';
/** Of the newest runs: a folder may hold hundreds, and each costs opening it. */
const VERDICTS_MAX = 30;

export class Baseline implements vscode.Disposable {
  private readonly verdicts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<RunSummary | undefined>();
  /** A run's verdict is there now; undefined: another run, or none, is the baseline. */
  readonly onDidChange = this.changed.event;
  private working = false;
  private waiting: { readonly baseline: RunSummary; readonly runs: readonly RunSummary[] } | undefined;

  constructor(
    private readonly engines: RunEngines,
    private readonly memory: vscode.Memento,
    private readonly log: OutputLog,
  ) {
    void this.tellContext();
  }

  /** The pinned run. */
  get run(): RunRef | undefined {
    return runOfKey(this.memory.get<string>(MEMORY));
  }

  isPinned(run: RunSummary): boolean {
    const pinned = this.run;
    return pinned !== undefined && sameRun(pinned, listedRun(run));
  }

  async pin(run: RunSummary | undefined): Promise<void> {
    // What is being computed is against the former one; the view asks anew.
    this.waiting = undefined;
    await this.memory.update(MEMORY, run && runKey(listedRun(run)));
    await this.tellContext();
    this.changed.fire(undefined);
  }

  /** The verdict of a run against the baseline; empty while it is unknown, and for what is not compared. */
  verdictOf(run: RunSummary): string {
    return this.verdicts.get(this.keyOf(run)) ?? '';
  }

  /** Computes what is not known yet of the runs that the view lists, newest first. A baseline that is gone is unpinned. */
  consider(runs: readonly RunSummary[]): void {
    const baseline = runs.find((run) => this.isPinned(run));
    this.waiting = baseline && { baseline, runs };
    void (baseline ? this.work() : this.unpinIfGone());
  }

  dispose(): void {
    this.waiting = undefined;
    this.changed.dispose();
  }

  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    try {
      for (let run = this.next(); run; run = this.next()) {
        const { baseline } = this.waiting!;
        const key = this.keyOf(run);
        this.verdicts.set(key, await this.compare(baseline, run));
        this.changed.fire(run);
      }
    } finally {
      this.working = false;
    }
  }

  /** The list alone does not say it: another folder may be the first one now. */
  private async unpinIfGone(): Promise<void> {
    const pinned = this.run;
    if (!pinned) return;
    const isGone = await fs.stat(fileOf(pinned)).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
    if (isGone && this.run && sameRun(pinned, this.run)) await this.pin(undefined);
  }

  private next(): RunSummary | undefined {
    if (!this.waiting) return undefined;
    const { baseline, runs } = this.waiting;
    const held = runs.filter((run) => isHeldAgainst(baseline, run)).slice(0, VERDICTS_MAX);
    return held.find((run) => !this.verdicts.has(this.keyOf(run)));
  }

  /** Empty when the two cannot be compared: a row has no room for why, opening the comparison says it. */
  private async compare(baseline: RunSummary, run: RunSummary): Promise<string> {
    const open = (one: RunSummary) => new OpenRun(this.engines, listedRun(one), openOptions());
    const comparison = new OpenComparison(this.engines.viewing, open(baseline), open(run));
    try {
      return baselineVerdict(await comparison.opened());
    } catch (error) {
      this.log.warn(`${run.path} against the baseline: ${(error as Error).message}`);
      return '';
    } finally {
      comparison.close();
    }
  }

  /** A run that is still being written has other samples later. */
  private keyOf(run: RunSummary): string {
    const baseline = this.run && runKey(this.run);
    return JSON.stringify([baseline, runKey(listedRun(run)), run.samples, run.partial]);
  }

  private tellContext(): Thenable<unknown> {
    return vscode.commands.executeCommand('setContext', 'lineheat.hasBaseline', this.run !== undefined);
  }
}
