// Where to look first: down the heaviest calls, as long as they stay in the user's own files.
import type { LineDetail, Place } from '../../../core/wire.ts';

/** A call that takes less than this part of its line is no longer the story. */
const HEAVY_PART = 0.5;
const STEPS_MAX = 64;

export interface HotPathTools {
  detailOf(place: { path: string; line: number }): Promise<LineDetail>;
  /** Whether a file is one of the user's. */
  isOwn(path: string): boolean;
}

/** The last own place on the heaviest path from `start`: what is below it is spent there, or in libraries. */
export async function endOfHotPath(start: Place, { detailOf, isOwn }: HotPathTools): Promise<Place> {
  const seen = new Set<string>();
  let place = start;
  for (let step = 0; step < STEPS_MAX; step++) {
    seen.add(`${place.path}:${place.line}`);
    const { callees, totalValue } = await detailOf(place);
    const next = callees.find(
      ({ place: to, value }) => to && to.line > 0 && isOwn(to.path) && value >= totalValue * HEAVY_PART,
    )?.place;
    if (!next || seen.has(`${next.path}:${next.line}`)) return place;
    place = next;
  }
  return place;
}
