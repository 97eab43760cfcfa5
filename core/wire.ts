// The engine's messages as TypeScript values: generated protobuf code behind types without `null` for scalars and lists.
import * as l10n from '@vscode/l10n';
import { lineheat } from './generated/wire.js';

export const wire: typeof lineheat.wire = lineheat.wire;

/** A decoded message: scalars and lists are always there (protobuf defaults), sub-messages may be null. */
export type Decoded<Message> = {
  readonly [Key in keyof Omit<Message, '$unknowns'>]-?: DecodedField<NonNullable<Message[Key & keyof Message]>>;
};
type DecodedField<Field> = Field extends Scalar
  ? Field
  : Field extends (infer Item)[]
    ? readonly DecodedItem<Item>[]
    : Decoded<Field> | null;
type DecodedItem<Item> = Item extends Scalar ? Item : Decoded<Item>;
type Scalar = string | number | boolean | Uint8Array;

export type RequestBody = Omit<lineheat.wire.Request.$Properties, 'id' | '$unknowns'>;
export type Reply = Decoded<lineheat.wire.Reply.$Properties>;
export type RunSummary = Decoded<lineheat.wire.RunSummary.$Properties>;
export type WrittenRun = Decoded<lineheat.wire.WrittenRun.$Properties>;
export type RunOpened = Decoded<lineheat.wire.RunOpened.$Properties>;
export type ValueType = Decoded<lineheat.wire.ValueType.$Properties>;
export type SourceFile = Decoded<lineheat.wire.SourceFile.$Properties>;
export type CalledFunction = Decoded<lineheat.wire.CalledFunction.$Properties>;
export type FileHeat = Decoded<lineheat.wire.FileHeat.$Properties>;
export type LineReason = Decoded<lineheat.wire.LineReason.$Properties>;
export type FunctionHeat = Decoded<lineheat.wire.FunctionHeat.$Properties>;
export type LineDetail = Decoded<lineheat.wire.LineDetail.$Properties>;
export type LineMeasure = Decoded<lineheat.wire.LineMeasure.$Properties>;
export type Neighbour = Decoded<lineheat.wire.Neighbour.$Properties>;
export type Place = Decoded<lineheat.wire.Place.$Properties>;
export type ComparisonOpened = Decoded<lineheat.wire.ComparisonOpened.$Properties>;
export type FileDifference = Decoded<lineheat.wire.FileDifference.$Properties>;
export type FunctionDifference = Decoded<lineheat.wire.FunctionDifference.$Properties>;
export type Effects = Decoded<lineheat.wire.Effects.$Properties>;
export type Effect = Decoded<lineheat.wire.Effect.$Properties>;
export type Execution = Decoded<lineheat.wire.Execution.$Properties>;
export type Spread = Decoded<lineheat.wire.Spread.$Properties>;
export type Explanation = Decoded<lineheat.wire.Explanation.$Properties>;
export type ExplainedFunction = Decoded<lineheat.wire.ExplainedFunction.$Properties>;
export type SweepTable = Decoded<lineheat.wire.SweepTable.$Properties>;
export type Callers = Decoded<lineheat.wire.Callers.$Properties>;
export type Match = Decoded<lineheat.wire.Match.$Properties>;
export type Location = Decoded<lineheat.wire.Location.$Properties>;
export type DoctorReport = Decoded<lineheat.wire.DoctorReport.$Properties>;
export type RecordingProgress = Decoded<lineheat.wire.RecordingProgress.$Properties>;
export type RecordingEnded = Decoded<lineheat.wire.RecordingEnded.$Properties>;
export type Process = Decoded<lineheat.wire.Process.$Properties>;
export type Executable = Decoded<lineheat.wire.Executable.$Properties>;
export type FlameGraph = Decoded<lineheat.wire.FlameGraph.$Properties>;
export type FunctionTable = Decoded<lineheat.wire.FunctionTable.$Properties>;
export type Selected = Decoded<lineheat.wire.Selected.$Properties>;
export type WireSelection = Omit<lineheat.wire.Selection.$Properties, '$unknowns'>;
export type HottestStack = Decoded<lineheat.wire.HottestStack.$Properties>;
export type ComparedTable = Decoded<lineheat.wire.ComparedTable.$Properties>;

export const PROTOCOL_VERSION = 1;

/** The bytes of a request, without the frame's length. */
export function encodeRequest(id: number, body: RequestBody): Uint8Array {
  return wire.Request.encode({ id, ...body }).finish();
}

/**
 * The reply that `bytes` (one frame without its length) holds.
 * @throws Error when the bytes are no Reply, or columns that belong together differ in length or order.
 */
export function decodeReply(bytes: Uint8Array): Reply {
  const reply = wire.Reply.decode(bytes) as Reply;
  if (reply.fileHeat) checkFileHeat(reply.fileHeat);
  if (reply.fileDifference) checkFileDifference(reply.fileDifference);
  return reply;
}

function checkFileHeat(heat: FileHeat): void {
  const { line, selfSamples, totalSamplesOfLine, selfValue, totalValueOfLine, changed } = heat;
  checkLines('FileHeat', line, [selfSamples, totalSamplesOfLine, selfValue, totalValueOfLine, changed]);
}

function checkFileDifference(difference: FileDifference): void {
  const { line, baseSelf, newSelf, baseTotalOfLine, newTotalOfLine, baseSamples, newSamples } = difference;
  const columns = [baseSelf, newSelf, baseTotalOfLine, newTotalOfLine, baseSamples, newSamples];
  checkLines('FileDifference', line, [...columns, difference.verdict, difference.changed]);
  for (const effects of [difference.selfEffects, difference.totalEffects]) {
    if (effects) checkEffects('FileDifference', effects, line.length);
  }
}

/** Columns that say nothing may be left out, all of them. */
function checkEffects(message: string, effects: Effects, rows: number): void {
  const { change, low, high, q, verdict, missingExecutions } = effects;
  for (const column of [change, low, high, q, verdict, missingExecutions]) {
    if (column.length !== rows && column.length !== 0)
      throw new Error(
        l10n.t('{0}: a column of effects has {1} entries, {2} were expected', message, column.length, rows),
      );
  }
}

/** One row of `effects`; undefined where the engine has said nothing. */
export function effectAt(effects: Effects | null | undefined, row: number): Effect | undefined {
  const verdict = effects?.verdict[row];
  if (!effects || verdict === undefined) return undefined;
  const at = (column: readonly number[]) => column[row] ?? Number.NaN;
  return {
    ...{ change: at(effects.change), low: at(effects.low), high: at(effects.high), q: at(effects.q), verdict },
    missingExecutions: effects.missingExecutions[row] ?? 0,
  };
}

function checkLines(message: string, lines: readonly number[], columns: readonly (readonly unknown[])[]): void {
  for (const column of columns) {
    if (column.length !== lines.length)
      throw new Error(
        l10n.t('{0}: a column has {1} entries, {2} lines were expected', message, column.length, lines.length),
      );
  }
  for (let row = 0; row < lines.length; row++) {
    if (lines[row]! <= (lines[row - 1] ?? 0))
      throw new Error(l10n.t('{0}: line {1} is out of order', message, lines[row]!));
  }
}
