// What timeline and table of threads are of.
import type { ShownMeasure } from '../../core/measureText.ts';

/** One of the run's measures by its number; no number: the default one. */
export interface Measured {
  readonly value: number | undefined;
  readonly measure: ShownMeasure | undefined;
}

export const DEFAULT_MEASURE: Measured = { value: undefined, measure: undefined };

/** As a part of a request. */
export const valuePart = ({ value }: Measured): { readonly value?: number } => (value === undefined ? {} : { value });
