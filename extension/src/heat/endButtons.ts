// Which buttons the message after a recording has: two at most, what helps most first.

export interface RecordingEnd {
  /** The program crashed or failed. */
  readonly endedBadly: boolean;
  /** It ran in a terminal of ours that is still open. */
  readonly hasTerminal: boolean;
  readonly hasSamples: boolean;
  /** Some of the samples have source lines. */
  readonly hasLines: boolean;
}

export type EndButton = 'terminal' | 'graph' | 'hottest';

/** `advised`: buttons for what a problem advises; they come first unless the program failed. */
export function endButtons(end: RecordingEnd, advised: readonly string[]): (EndButton | { readonly advice: string })[] {
  const shown: EndButton[] = [
    ...(end.hasSamples ? (['graph'] as const) : []),
    ...(end.hasSamples && end.hasLines ? (['hottest'] as const) : []),
  ];
  // What a program that failed printed last says more than where it spent its time.
  if (end.endedBadly) return [...(end.hasTerminal ? (['terminal'] as const) : []), ...shown].slice(0, 2);
  return [...advised.map((advice) => ({ advice })), ...shown].slice(0, 2);
}
