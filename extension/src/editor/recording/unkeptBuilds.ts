// Why the last build of a program is not kept: said in the log, and again where somebody wants to compare with it.
import * as vscode from 'vscode';
import type { RecordingEnded } from '../../../../core/wire.ts';
import { EngineFailure } from '../../engine/failure.ts';
import type { OutputLog } from '../outputLog.ts';
import { recordSettings } from '../settings.ts';

const MEMORY = 'lineheat.unkeptBuilds';
const REMEMBERED_MAX = 20;

interface Unkept {
  readonly program: string;
  readonly message: string;
  readonly advice: string;
}

export class UnkeptBuilds {
  constructor(
    private readonly memory: vscode.Memento,
    private readonly log: OutputLog,
  ) {}

  /** After a recording of this program; null: its build is kept, or was not to be. */
  note(program: string, notKept: RecordingEnded['notKept']): void {
    const before = this.memory.get<Unkept[]>(MEMORY, []);
    const others = before.filter((one) => one.program !== program);
    if (!notKept) {
      if (others.length < before.length) void this.memory.update(MEMORY, others);
      return;
    }
    const { message, advice } = notKept;
    const isKnown = before.some((one) => one.program === program && one.message === message);
    if (!isKnown) this.log.warn(`${program}: ${message} ${advice}`);
    void this.memory.update(MEMORY, [{ program, message, advice }, ...others].slice(0, REMEMBERED_MAX));
  }

  /** Why there is no earlier build of this program: with the reason and what to do where they are known. */
  explained(error: unknown, program: string): unknown {
    if (!(error instanceof EngineFailure) || error.kind !== 'never-kept') return error;
    if (!recordSettings().keepBuilds) {
      const advice = vscode.l10n.t(
        'Builds are not kept, because the setting lineheat.record.keepBuilds is off. Turn it on, profile the program, change it, and compare again.',
      );
      return new EngineFailure(error.kind, error.message, advice);
    }
    const unkept = this.of(program);
    return unkept ? new EngineFailure(error.kind, `${error.message} ${unkept.message}`, unkept.advice) : error;
  }

  /** What a comparison is with where an older build than the last one is kept; undefined: the last one is. */
  olderInstead(program: string, recordedAt: string): string | undefined {
    const unkept = this.of(program);
    if (!unkept) return undefined;
    return vscode.l10n.t('{0} The comparison is with the build profiled at {1}.', unkept.message, recordedAt);
  }

  private of(program: string): Unkept | undefined {
    return this.memory.get<Unkept[]>(MEMORY, []).find((one) => one.program === program);
  }
}
