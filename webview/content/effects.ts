// What may be said of each row's difference: Effects of protocol/views.proto as checked columns.
import * as l10n from '@vscode/l10n';
import { Verdict } from '../../core/changeText.ts';
import { expectLength } from './frameTable.ts';
import { type Fields, MalformedContent, readFloatColumn, readMessage, readUint32Column } from './wireReader.ts';

/** NaN where something cannot be said. */
export interface Effects {
  readonly change: Float32Array; // relative: 0.25 is 25 % more
  readonly low: Float32Array; // its 95 % interval
  readonly high: Float32Array;
  readonly q: Float32Array;
  readonly verdict: Uint32Array;
  /** Of each side, roughly, for a test of a row with too few samples; 0: not said. */
  readonly missingExecutions: Uint32Array;
}

/** Reads the Effects in `field`, a row for each of `count`; undefined when the engine says none. */
export function readEffects(parent: Fields, field: number, count: number): Effects | undefined {
  const fields = readMessage(parent, field);
  const verdict = readUint32Column(fields, 5);
  if (verdict.length === 0) return undefined;
  const effects: Effects = {
    change: filled(readFloatColumn(fields, 1), count),
    low: filled(readFloatColumn(fields, 2), count),
    high: filled(readFloatColumn(fields, 3), count),
    q: filled(readFloatColumn(fields, 4), count),
    verdict,
    missingExecutions: noneFilled(readUint32Column(fields, 8), count),
  };
  for (const [name, column] of Object.entries(effects)) expectLength(`effects.${name}`, column, count);
  expectVerdicts(verdict);
  return effects;
}

/** Throws unless every verdict is one that is known. */
export function expectVerdicts(verdicts: Uint32Array) {
  for (const verdict of verdicts)
    if (verdict > Verdict.movedWithin)
      throw new MalformedContent(l10n.t('The verdict {0} is not one of 0 to {1}.', verdict, Verdict.movedWithin));
}

/** A column that is left out says nothing of any row. */
const filled = (column: Float32Array, count: number): Float32Array =>
  column.length === 0 ? new Float32Array(count).fill(Number.NaN) : column;

const noneFilled = (column: Uint32Array, count: number): Uint32Array =>
  column.length === 0 ? new Uint32Array(count) : column;
