// The measures by which two runs can be compared: those that both have.

import { visibleText } from '../../../core/foreignText.ts';
import { hasChoice, measureNames } from '../../../core/measureText.ts';
import type { RunOpened, ValueType } from '../../../core/wire.ts';
import type { MeasureItem } from './measureChoice.ts';

/** A measure by its name and unit; the runs of a comparison may have it at different places. */
export interface ComparedMeasure {
  readonly type: string;
  readonly unit: string;
}

export const sameMeasure = (a: ComparedMeasure, b: ComparedMeasure): boolean => a.type === b.type && a.unit === b.unit;

type Measured = Pick<RunOpened, 'values'>;

/** In the order of the new run; empty where there is no choice. */
export function sharedMeasures(base: Measured, current: Measured): readonly ValueType[] {
  const shared = current.values.filter((value) => base.values.some((other) => sameMeasure(value, other)));
  return hasChoice(shared) ? shared : [];
}

/** As a list to choose from; `shown` is the one of now, and `value` an index into the measures. */
export function comparedItems(
  measures: readonly ComparedMeasure[],
  shown: ComparedMeasure | undefined,
  shownNow: string,
): MeasureItem[] {
  const names = measureNames(measures);
  return measures.map((measure, value) => {
    const isShown = shown !== undefined && sameMeasure(measure, shown);
    const facts = [measure.type, measure.unit].filter(Boolean).map((text) => visibleText(text));
    const description = [facts.join(', '), isShown ? shownNow : ''].filter(Boolean).join(' · ');
    return { label: names[value]!, description, value, isShown };
  });
}
