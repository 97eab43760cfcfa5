// Runs that belong to one sweep: how they are grouped, named, and shown on a page.
import { visibleText } from '../../../core/foreignText.ts';
import type { ShownSweep } from '../../../core/sweepMessages.ts';
import type { RunSummary, SweepTable } from '../../../core/wire.ts';
import { runName } from './runText.ts';

/** The cells of a sweep that are there, in its own order. */
export interface SweepGroup {
  readonly sweep: string;
  readonly cells: readonly RunSummary[];
}

export type RunsEntry = RunSummary | SweepGroup;

export const isSweepGroup = (entry: RunsEntry): entry is SweepGroup => 'cells' in entry;

/** Runs as they are listed, the cells of a sweep as one entry where its newest cell stands. */
export function groupedRuns(runs: readonly RunSummary[]): RunsEntry[] {
  const groups = new Map<string, RunSummary[]>();
  const entries: RunsEntry[] = [];
  for (const run of runs) {
    const sweep = run.sweep?.sweep;
    if (!sweep) {
      entries.push(run);
      continue;
    }
    const known = groups.get(sweep);
    if (known) known.push(run);
    else {
      const cells = [run];
      groups.set(sweep, cells);
      entries.push({ sweep, cells });
    }
  }
  for (const cells of groups.values()) cells.sort((a, b) => a.sweep!.cell - b.sweep!.cell);
  return entries;
}

/** `shop: threads × chunk`. */
export function sweepName({ cells }: SweepGroup): string {
  const names = cells[0]?.sweep?.parameters.map(({ name }) => name) ?? [];
  return visibleText(`${cells[0]?.target ?? ''}: ${names.join(' × ')}`, 120);
}

/** `threads=4 chunk=5000`; the run's own name where it is no cell. */
export function cellName(run: RunSummary): string {
  const parameters = run.sweep?.parameters ?? [];
  if (parameters.length === 0) return runName(run);
  return visibleText(parameters.map(({ name, value }) => `${name}=${value}`).join('  '), 120);
}

/** How many cells the sweep is to have. */
export const cellsWanted = ({ cells }: SweepGroup): number =>
  cells.reduce((most, { sweep }) => Math.max(most, sweep?.cells ?? 0), cells.length);

export function shownSweep(table: SweepTable, cells: number): ShownSweep {
  return {
    parameters: table.parameters.map((name) => visibleText(name, 60)),
    value: visibleText(table.value, 100),
    rows: table.rows.map((row) => ({
      values: row.values.map((value) => visibleText(value, 100)),
      runs: row.runs,
      meanWallNs: row.meanWallNs,
      sdWallNs: row.sdWallNs,
      meanCpuNs: row.meanCpuNs,
      sdCpuNs: row.sdCpuNs,
      best: row.best,
      likeBest: row.likeBest,
    })),
    growing: table.growing.map(({ name, parameter, exponent, cpuNs }) => ({
      name: visibleText(name, 400),
      parameter: visibleText(parameter, 60),
      exponent,
      cpuNs,
    })),
    cells,
  };
}
