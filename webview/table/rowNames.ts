// The short names of a table's rows.

import { distinctShortNames, shortName } from '../../core/shortName.ts';
import { type FrameTable, frameName } from '../content/frameTable.ts';

/** Rows that are told from each other: the hottest. To do so for a hundred thousand would hold up the first view. */
const DISTINCT_ROWS = 2000;

/** The short name of each row, made when it is first asked for. */
export function rowNames(frames: FrameTable): (row: number) => string {
  let distinct: readonly string[] | undefined;
  return (row) => {
    if (row >= DISTINCT_ROWS) return shortName(frameName(frames, row));
    distinct ??= distinctShortNames(
      Array.from({ length: Math.min(frames.count, DISTINCT_ROWS) }, (_, at) => frameName(frames, at)),
    );
    return distinct[row]!;
  };
}
