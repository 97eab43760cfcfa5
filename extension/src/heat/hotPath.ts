// Where to look first: down the heaviest calls, as long as they stay in the user's own files.
import { share } from '../../../core/numbersAsText.ts';
import type { FileHeat, LineDetail, Place } from '../../../core/wire.ts';

/** A call that takes less than this part of its line is no longer the story. */
const HEAVY_PART = 0.5;
const STEPS_MAX = 64;

export interface HotPathTools {
  detailOf(place: { path: string; line: number }): Promise<LineDetail>;
  heatOf(path: string): Promise<FileHeat>;
  /** Whether a file is one of the user's. */
  isOwn(path: string): boolean;
}

/** The last own place on the heaviest path from `start`: what is below it is spent there, or in libraries. */
export async function endOfHotPath(start: Place, { detailOf, heatOf, isOwn }: HotPathTools): Promise<Place> {
  const seen = new Set<string>();
  let place = start;
  for (let step = 0; step < STEPS_MAX; step++) {
    seen.add(`${place.path}:${place.line}`);
    const { callees, totalValue } = await detailOf(place);
    const callee = callees.find(
      ({ place: to, value }) => to && to.line > 0 && isOwn(to.path) && share(value, totalValue) >= HEAVY_PART,
    )?.place;
    if (!callee) return place;
    // A callee is named by the line of its definition; its time is spent on a line below.
    const next = { ...callee, line: hottestLineOfFunction(await heatOf(callee.path), callee.line) };
    if (seen.has(`${next.path}:${next.line}`)) return place;
    place = next;
  }
  return place;
}

/** The line with the most total time from a definition up to the next one; the definition when none has any. */
export function hottestLineOfFunction({ line, totalValueOfLine, functions }: FileHeat, definition: number): number {
  const end = Math.min(...functions.map((other) => other.line).filter((other) => other > definition));
  let hottest = -1;
  for (let row = 0; row < line.length; row++) {
    if (line[row]! < definition || line[row]! >= end) continue;
    if (hottest < 0 || totalValueOfLine[row]! > totalValueOfLine[hottest]!) hottest = row;
  }
  return line[hottest] ?? definition;
}
