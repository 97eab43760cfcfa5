// How many samples a figure rests on. For some files nobody knows: a profile of memory stores each stack once, for any number of
// samples. Such a figure is told without a count, and is not one that rests on few.

/** What is counted. */
export type Counted = 'samples' | 'waits';

/** Undefined: nobody knows. */
export type SampleCount = number | undefined;

/** Fewer than this say too little for a colour. */
export const FEW_SAMPLES = 10;

/** A count of a message that says whether its counts are known; those that are not are 0 there. */
export const countOf = (samples: number, { samplesUnknown }: { readonly samplesUnknown: boolean }): SampleCount =>
  samplesUnknown ? undefined : samples;

/** The count that a figure rests on by chance; undefined also where all events are in it, so that none is missing. */
export const chanceCountOf = (
  samples: number,
  of: { readonly samplesUnknown: boolean; readonly complete: boolean },
): SampleCount => (of.complete ? undefined : countOf(samples, of));

export const areFew = (samples: SampleCount): boolean => samples !== undefined && samples < FEW_SAMPLES;

/** Whether there may be any. */
export const areSome = (samples: SampleCount): boolean => samples !== 0;
