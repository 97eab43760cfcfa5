// One recording at a time: starts it in an engine of its own, shows how it goes, and stops it: what was recorded is kept,
// or discarded if the user says so.
import fs from 'node:fs/promises';
import * as vscode from 'vscode';
import { visibleText } from '../../../../core/foreignText.ts';
import type { RecordingEnded, RecordingProgress, Reply, RequestBody } from '../../../../core/wire.ts';
import { EngineClient, type EngineClientOptions } from '../../engine/engineClient.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { expected } from '../../engine/openProfiles.ts';
import { progressText } from '../../heat/progressText.ts';
import { endSentence } from '../../heat/runText.ts';
import { busyFailure } from '../../recording/busyFailure.ts';
import { launchFields, type RecordSettings, requestFields } from '../../recording/recordOptions.ts';
import type { SweepParameter } from '../../targets/sweepText.ts';
import type { Plan } from '../../targets/target.ts';
import { withProgress } from '../notifications.ts';
import type { HeatSoFar } from './heatSoFar.ts';
import { TargetTerminal } from './targetTerminal.ts';

const DOUBLE_CLICK_MS = 700;

export interface RecordingOptions extends RecordSettings {
  readonly runsDirectory: string;
}

/** What is recorded beyond one program; nothing: the program of the plan, as it is. */
export interface RecordingKind {
  /** The plan's arguments and environment hold places for these; a run is recorded for each combination. */
  readonly sweep?: readonly SweepParameter[];
  /** The last build runs alternately with the present one, into a run of this name. */
  readonly earlierName?: string;
  /** Of the two builds: executions until such a relative change would show; 0: as many as the settings say. */
  readonly until?: number;
}

export class Recorder implements vscode.Disposable {
  private running: Recording | undefined;
  private last: Recording | undefined;
  /** What is profiled, from the first build step to the saved run: two at once would disturb each other's figures. */
  private busyWith: string | undefined;
  private isBuilding = false;

  constructor(
    private readonly engine: EngineClientOptions,
    private readonly soFar: Pick<HeatSoFar, 'began' | 'ended'>,
  ) {}

  /** Runs `work`, which builds and records `name`, unless something is being built or recorded already. */
  async exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    if (this.busyWith !== undefined) throw busyFailure({ name: this.busyWith, isBuilding: this.isBuilding });
    this.busyWith = name;
    try {
      return await work();
    } finally {
      this.busyWith = undefined;
    }
  }

  /** Runs `work`, which builds what is recorded afterwards. */
  async building<Result>(work: () => Promise<Result>): Promise<Result> {
    this.isBuilding = true;
    try {
      return await work();
    } finally {
      this.isBuilding = false;
    }
  }

  /**
   * Records until the target ends, the limit is reached, or someone stops it; undefined when it was discarded.
   * Throws EngineFailure.
   */
  async record(plan: Plan, options: RecordingOptions, kind: RecordingKind = {}): Promise<RecordingEnded | undefined> {
    const client = new EngineClient({ ...this.engine, timeoutMs: 0 });
    const recording = new Recording(client, plan, options, kind, (id) => this.soFar.began(client, id));
    this.running = recording;
    this.last = recording;
    await setRecording(true);
    try {
      const ended = await recording.run();
      await this.soFar.ended(ended ? { saved: ended.runPath } : 'discarded');
      return ended;
    } catch (error) {
      await this.soFar.ended('failed');
      throw error;
    } finally {
      this.running = undefined;
      await setRecording(false);
      client.dispose();
    }
  }

  /** Whether the last recording's program ran in a terminal of ours that the user has not closed. */
  get hasTerminal(): boolean {
    return this.last?.hasTerminal ?? false;
  }

  /** The terminal of the last recording: what the program printed. */
  showTerminal(): void {
    this.last?.showTerminal();
  }

  /** Ends the recording and keeps what was recorded; nothing when there is none. */
  stop(): void {
    this.running?.stop();
  }

  /** Ends the recording and leaves no run of it; nothing when there is none. */
  discard(): void {
    this.running?.discard();
  }

  dispose(): void {
    this.stop();
  }
}

class Recording {
  private id: number | undefined;
  private stopAsked = false;
  private stopAskedAt = 0;
  private discardAsked = false;
  /** Runs that were saved already: of a sweep, or when the recording had ended by itself. */
  private readonly saved: string[] = [];
  private userSpaceOnly = false;
  private readonly status = vscode.window.createStatusBarItem(
    'lineheat.recording',
    vscode.StatusBarAlignment.Right,
    100,
  );
  private terminal: TargetTerminal | undefined;
  private report: (text: string) => void = () => {};

  constructor(
    private readonly client: EngineClient,
    private readonly plan: Plan,
    private readonly options: RecordingOptions,
    private readonly kind: RecordingKind,
    /** Gets the id of the request. */
    private readonly began: (id: number) => void,
  ) {}

  async run(): Promise<RecordingEnded | undefined> {
    const title = vscode.l10n.t('Recording {0}', visibleText(this.plan.name));
    this.status.name = vscode.l10n.t('Lineheat Recording');
    this.status.command = 'lineheat.stop';
    this.status.tooltip = stopTooltip();
    this.showProgress(undefined);
    this.status.show();
    try {
      return await withProgress(title, async (report, token) => {
        token.onCancellationRequested(() => this.stop());
        this.report = report;
        return this.start();
      });
    } finally {
      this.status.dispose();
    }
  }

  get hasTerminal(): boolean {
    return this.terminal?.isOpen ?? false;
  }

  showTerminal(): void {
    this.terminal?.reveal();
  }

  /** The second time it ends at once, with what there is; a double click is one time. */
  stop(): void {
    if (this.discardAsked) return;
    const now = Date.now();
    if (this.stopAsked && now - this.stopAskedAt < DOUBLE_CLICK_MS) return;
    const text = this.stopAsked
      ? vscode.l10n.t('stopping immediately, everything recorded so far is kept')
      : vscode.l10n.t('stopping, everything recorded is kept; stop again to end immediately');
    this.stopAsked = true;
    this.stopAskedAt = now;
    this.report(text);
    if (this.id !== undefined) this.sendStop(this.id);
  }

  discard(): void {
    if (this.discardAsked) return;
    this.discardAsked = true;
    this.report(vscode.l10n.t('discarding the recording'));
    if (this.id !== undefined) this.sendStop(this.id);
  }

  private async start(): Promise<RecordingEnded | undefined> {
    const attached = 'attachPid' in this.plan;
    // A process that we attach to has its terminal already.
    if (!attached) this.terminal = new TargetTerminal(visibleText(this.plan.name), this.terminalEvents());
    const size = await this.terminal?.size();
    const target =
      'attachPid' in this.plan
        ? { attachPid: this.plan.attachPid }
        : {
            program: this.plan.program,
            args: [...this.plan.args],
            cwd: this.plan.cwd,
            env: { ...this.plan.env },
            ...launchFields(this.options),
          };
    const record = {
      ...target,
      name: 'runName' in this.plan ? (this.plan.runName ?? '') : '',
      runsDirectory: this.options.runsDirectory,
      ...requestFields(this.options),
      terminalColumns: size?.columns ?? 0,
      terminalRows: size?.rows ?? 0,
    };
    try {
      const options = { timeoutMs: 0, onPart: (reply: Reply) => this.receive(reply) };
      const { id, reply } = await this.client.requestWithId(this.bodyOf(record), options);
      this.id = id;
      this.began(id);
      if (this.stopAsked || this.discardAsked) this.sendStop(id);
      const ended = expected((await reply).recordingEnded, 'RecordingEnded');
      if (this.discardAsked) {
        await removeRuns([...this.saved, ended.runPath, ended.baseRunPath]);
        this.terminal?.end(vscode.l10n.t('The recording was discarded.'));
        return undefined;
      }
      this.terminal?.end(ended.run ? endSentence(ended.run) : vscode.l10n.t('The recording has ended.'));
      return ended;
    } catch (error) {
      this.terminal?.end(visibleText((error as Error).message, 2000));
      throw interrupted(error);
    }
  }

  private bodyOf(record: NonNullable<RequestBody['record']>): RequestBody {
    const { sweep, earlierName, until = 0 } = this.kind;
    if (earlierName !== undefined) return { compareBuilds: { record, earlierName, until } };
    if (!sweep) return { record };
    const parameters = sweep.map(({ name, values }) => ({ name, values: [...values] }));
    return { sweep: { record, parameters, name: this.plan.name } };
  }

  private receive(reply: Reply): void {
    if (reply.recordingStarted) this.userSpaceOnly = reply.recordingStarted.mode === 'user-space';
    if (reply.recordingEnded) this.saved.push(reply.recordingEnded.runPath);
    if (reply.targetOutput) this.terminal?.write(reply.targetOutput.bytes);
    if (reply.recordingProgress) this.showProgress(reply.recordingProgress);
  }

  private showProgress(progress: RecordingProgress | undefined): void {
    const state = progress ? progressText(progress) : vscode.l10n.t('starting');
    const text = this.userSpaceOnly ? vscode.l10n.t('{0}, user space only', state) : state;
    if (!this.stopAsked && !this.discardAsked) this.report(vscode.l10n.t('{0} (Cancel stops and keeps)', text));
    this.status.text = `$(debug-stop) ${vscode.l10n.t('Stop and Keep')}: ${text}`;
  }

  private terminalEvents() {
    const send = (body: Parameters<EngineClient['request']>[0]) => {
      if (this.id !== undefined) this.client.request(body).catch(() => {});
    };
    return {
      onInput: (bytes: Uint8Array) => send({ terminalInput: { recordId: this.id ?? 0, bytes } }),
      onSize: (size: { columns: number; rows: number }) => send({ terminalSize: { recordId: this.id ?? 0, ...size } }),
      onClose: () => this.stop(),
    };
  }

  private sendStop(recordId: number): void {
    // When the engine is gone, the recording's own request says so.
    this.client.request({ stop: { recordId, discard: this.discardAsked } }).catch(() => {});
  }
}

/** What the engine had saved before it heard of the discarding. */
async function removeRuns(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.filter(Boolean).map((path) => fs.rm(path, { force: true })));
}

function stopTooltip(): vscode.MarkdownString {
  const discard = vscode.l10n.t('Discard Recording');
  const soFar = vscode.l10n.t('Show Heat So Far');
  const tooltip = new vscode.MarkdownString(
    `${vscode.l10n.t('Stop the recording and keep it')}\n\n[${soFar}](command:lineheat.showHeatSoFar)\n\n[${discard}](command:lineheat.discard)`,
  );
  tooltip.isTrusted = { enabledCommands: ['lineheat.showHeatSoFar', 'lineheat.discard'] };
  return tooltip;
}

/** An engine that ends under a recording has saved it up to its last checkpoint. */
function interrupted(error: unknown): unknown {
  if (!(error instanceof EngineFailure) || error.kind !== 'engine-ended') return error;
  const advice = vscode.l10n.t('The samples up to the last second are in the Runs view, marked partial.');
  return new EngineFailure(error.kind, error.message, advice);
}

function setRecording(value: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand('setContext', 'lineheat.recording', value);
}
