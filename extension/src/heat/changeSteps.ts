// From one significant change to the next: through the lines of a file, then through the files in their order.
import type { Mark } from './marks.ts';

export interface ChangePlace {
  readonly path: string;
  readonly line: number; // 1-based
}

export type LinesOf = (path: string) => Promise<readonly number[]>;

/** The lines that are coloured as changed, ascending. */
export const changedLines = (marks: readonly Mark[]): number[] =>
  marks.filter(({ style }) => style === 'slower' || style === 'faster').map(({ line }) => line);

/**
 * The change after (or before) `from`, in `paths` as in a ring; undefined when there is none at all. Without a `from`, or
 * one in another file, the first (last) change of the ring. Files are read only as far as it takes.
 */
export async function stepFrom(
  from: ChangePlace | undefined,
  direction: 1 | -1,
  paths: readonly string[],
  linesOf: LinesOf,
): Promise<ChangePlace | undefined> {
  const start = from ? paths.indexOf(from.path) : -1;
  const inOrder = (lines: readonly number[]) => (direction > 0 ? [...lines] : [...lines].reverse());
  if (from && start >= 0) {
    const beyond = (line: number) => (direction > 0 ? line > from.line : line < from.line);
    const line = inOrder(await linesOf(from.path)).find(beyond);
    if (line !== undefined) return { path: from.path, line };
  }
  // The whole ring once, the file of the start last: its other changes are on the way round.
  const first = start >= 0 ? start + direction : direction > 0 ? 0 : paths.length - 1;
  for (let step = 0; step < paths.length; step++) {
    const path = paths[(first + step * direction + 2 * paths.length) % paths.length]!;
    const [line] = inOrder(await linesOf(path));
    if (line !== undefined) return { path, line };
  }
  return undefined;
}
