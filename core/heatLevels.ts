// How hot a line is drawn: five levels by share of the run, and none for what is too little to speak of.
import { areFew, type SampleCount } from './sampleCount.ts';

/** 0: a figure without colour. 1 to 5: coloured, 5 the hottest. */
export type HeatLevel = 0 | 1 | 2 | 3 | 4 | 5;

/** Shares from which the levels 2 to 5 begin; level 1 begins at the user's threshold. */
const LEVEL_STARTS = [0.03, 0.08, 0.2, 0.4] as const;

/** The level of a line with `samples` samples that are `shareOfRun` of the run (0 to 1); by the share alone where nobody knows how many. */
export function heatLevel(shareOfRun: number, samples: SampleCount, threshold: number): HeatLevel {
  if (areFew(samples) || shareOfRun < threshold || shareOfRun <= 0) return 0;
  return (1 + LEVEL_STARTS.filter((start) => shareOfRun >= start).length) as HeatLevel;
}
