// An expected failure of the engine or of a step before it, told in sentences.

/** `kind` is a stable word of the contract (wire.proto, Failure) or one of ours: engine-ended, timeout, cancelled, selection. */
export class EngineFailure extends Error {
  constructor(
    readonly kind: string,
    message: string,
    /** What the user can do; may hold a command on a line of its own. */
    readonly advice = '',
  ) {
    super(message);
    this.name = 'EngineFailure';
  }
}

/** Any thrown value as a failure; a bug keeps its own message under the kind `internal`. */
export function failureOf(error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error;
  return new EngineFailure('internal', error instanceof Error ? error.message : String(error));
}
