// Which engine opens a run, and how that engine names it: each recording has an engine of its own, all other runs share one.
import * as l10n from '@vscode/l10n';
import type { RequestBody } from '../../../core/wire.ts';
import type { EngineClient } from './engineClient.ts';
import { EngineFailure } from './failure.ts';
import type { RecordingRun, RunRef } from './runRef.ts';

/** As `RunRef` of protocol/runs.proto. */
export type WireRun = NonNullable<NonNullable<RequestBody['openRun']>['run']>;

export interface RunEngine {
  readonly client: EngineClient;
  readonly run: WireRun;
}

export class RunEngines {
  private readonly recordings = new Map<number, RunEngine>();
  private lastRecording = 0;

  constructor(
    /** Opens and compares saved runs. */
    readonly viewing: EngineClient,
  ) {}

  /** Throws EngineFailure `not-found` when the recording has ended. */
  of(run: RunRef): RunEngine {
    if (run.kind === 'file') return { client: this.viewing, run: { file: run.path } };
    const engine = this.recordings.get(run.recording);
    if (engine) return engine;
    throw new EngineFailure(
      'not-found',
      l10n.t('The recording has ended.'),
      l10n.t('Open its run from the Runs view.'),
    );
  }

  /** A recording runs in `client`, by the request with this id. */
  begin(client: EngineClient, requestId: number): RecordingRun {
    const recording = ++this.lastRecording;
    this.recordings.set(recording, { client, run: { recording: requestId } });
    return { kind: 'recording', recording };
  }

  end({ recording }: RecordingRun): void {
    this.recordings.delete(recording);
  }
}
