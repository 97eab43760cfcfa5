// A sweep as the page shows it: the engine's table with foreign text made visible. Cells are named by their row.
import { durationText, percentText, share } from './numbersAsText.ts';

export interface ShownSweepRow {
  readonly values: readonly string[]; // of the parameters
  readonly runs: number;
  readonly meanWallNs: number;
  readonly sdWallNs: number;
  readonly meanCpuNs: number;
  readonly sdCpuNs: number;
  readonly best: boolean;
  readonly likeBest: boolean;
}

export interface ShownSweep {
  readonly parameters: readonly string[];
  /** What the means are: "wall time per execution" … */
  readonly value: string;
  readonly rows: readonly ShownSweepRow[];
  /** Functions whose CPU time follows a parameter, strongest first; `cpuNs` by row. */
  readonly growing: readonly {
    readonly name: string;
    readonly parameter: string;
    readonly exponent: number;
    readonly cpuNs: readonly number[];
  }[];
  /** How many cells the sweep is to have, when some are missing. */
  readonly cells: number;
}

/** `threads=4 chunk=5000`. */
export const cellText = ({ parameters }: ShownSweep, { values }: ShownSweepRow): string =>
  parameters.map((name, at) => `${name}=${values[at] ?? ''}`).join(' ');

/** `1.21 s ± 12.0 ms (1.0 %)`. */
export function spreadText(meanNs: number, sdNs: number): string {
  if (!(meanNs > 0)) return '–';
  return sdNs > 0
    ? `${durationText(meanNs)} ± ${durationText(sdNs)} (${percentText(share(sdNs, meanNs))})`
    : durationText(meanNs);
}
