// A measure for whose sake something is recorded: what the recording takes for it, and where it is in the run.
import { type RecordableMeasure, recordedWith } from '../../../../core/recordedKinds.ts';
import type { RunOpened } from '../../../../core/wire.ts';
import type { RecordSettings } from '../../recording/recordOptions.ts';

export interface WantedMeasure {
  /** Undefined: what the settings say is wanted. */
  readonly measure?: RecordableMeasure;
}

export const wantedSettings = ({ measure }: WantedMeasure): Partial<RecordSettings> =>
  measure ? recordedWith(measure) : {};

/** Index into the run's values; undefined: none is wanted, or the run has nothing of it. */
export function wantedValue(
  { values, totals }: Pick<RunOpened, 'values' | 'totals'>,
  { measure }: WantedMeasure,
): number | undefined {
  const value = values.findIndex(({ type }) => type === measure);
  return value >= 0 && totals[value]?.value ? value : undefined;
}
