// An expected failure of the engine or of a step before it, told in sentences.
import { wire } from '../../../core/wire.ts';

/** The words of the engine's kinds of failures (protocol/wire.proto), as the log has them. */
const ENGINE_KINDS = {
  INTERNAL: 'internal',
  PROTOCOL: 'protocol',
  NOT_FOUND: 'not-found',
  NOT_EXECUTABLE: 'not-executable',
  NOT_ALLOWED: 'not-allowed',
  NO_PERMISSION: 'no-permission',
  ADMIN_ONLY: 'admin-only',
  NO_BPF: 'no-bpf',
  UNSUPPORTED: 'unsupported',
  BUILD_MISMATCH: 'build-mismatch',
  TOO_MANY: 'too-many',
  TOO_LARGE: 'too-large',
  NOT_WRITABLE: 'not-writable',
  FAILED: 'failed',
  NO_ANSWER: 'no-answer',
  STOPPED: 'stopped',
  BAD_PROFILE: 'bad-profile',
  IO: 'io',
  NO_EARLIER_BUILD: 'no-earlier-build',
  NEVER_KEPT: 'never-kept',
  UNCHANGED_BUILD: 'unchanged-build',
  NOT_KEPT: 'not-kept',
  NOTHING_TO_COMPARE: 'nothing-to-compare',
} as const satisfies Record<keyof typeof wire.Failure.Kind, string>;

/** Those that the engine gives, and ours. */
export type FailureKind =
  | (typeof ENGINE_KINDS)[keyof typeof ENGINE_KINDS]
  | 'engine-ended'
  | 'no-engine'
  | 'timeout'
  | 'busy'
  | 'cancelled'
  | 'untrusted'
  | 'selection'
  | 'being-recorded';

export class EngineFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    /** What the user can do; may hold a command on a line of its own. */
    readonly advice = '',
  ) {
    super(message);
    this.name = 'EngineFailure';
  }
}

/** A failure as the engine sent it; a number that is none of its kinds is an internal one. */
export function engineFailure(sent: { readonly kind: number; readonly message: string; readonly advice: string }) {
  const name = wire.Failure.Kind[sent.kind] as keyof typeof ENGINE_KINDS | undefined;
  return new EngineFailure(name === undefined ? 'internal' : ENGINE_KINDS[name], sent.message, sent.advice);
}

/** Any thrown value as a failure; a bug keeps its own message under the kind `internal`. */
export function failureOf(error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error;
  return new EngineFailure('internal', error instanceof Error ? error.message : String(error));
}
