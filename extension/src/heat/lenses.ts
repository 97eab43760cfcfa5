// Which functions of a file get a code lens, and its words.

import { FEW_SAMPLES } from '../../../core/heatLevels.ts';
import { percentText, samplesText, share } from '../../../core/numbersAsText.ts';
import type { FileHeat } from '../../../core/wire.ts';

export const LENSES_MAX = 20;

export interface FunctionLens {
  readonly line: number; // 1-based
  readonly title: string;
  /** Row in the functions view, and the name as the profile has it. */
  readonly row: number;
  readonly name: string;
}

/** The lenses of the hottest functions, at most one a line, in line order. */
export function functionLenses(heat: FileHeat, threshold: number): FunctionLens[] {
  const byLine = new Map<number, FunctionLens>();
  for (const { line, name, function: row, selfValue, totalValue, totalSamples } of heat.functions) {
    if (byLine.size === LENSES_MAX) break;
    const total = share(totalValue, heat.totalValue);
    if (line === 0 || byLine.has(line) || total < threshold || totalSamples < FEW_SAMPLES) continue;
    const self = percentText(share(selfValue, heat.totalValue));
    const title = `${percentText(total)} total · ${self} self · ${samplesText(totalSamples)} · flame graph`;
    byLine.set(line, { line, title, row, name });
  }
  return [...byLine.values()].sort((a, b) => a.line - b.line);
}
