// Which functions a search means, and how much of the run was spent in them.
import type { FlameGraph } from '../content/flameGraph.ts';
import { type FrameTable, frameFile, frameModule, frameName } from '../content/frameTable.ts';

export interface Query {
  readonly text: string;
  readonly regex: boolean;
  readonly matchCase: boolean;
}

export const NO_QUERY: Query = { text: '', regex: false, matchCase: false };

export type Matcher = (text: string) => boolean;

export interface Matches {
  /** 1 for each matching frame. */
  readonly frames: Uint8Array;
  /** Matching nodes in the order they are drawn. */
  readonly nodes: readonly number[];
  /** Share of the whole below matching nodes, each sample once however often its stack matches. */
  readonly share: number;
  /** The same of the new run, in a comparison. */
  readonly newShare: number | undefined;
}

/** A test for one query; undefined for an empty one; a string says why a regular expression is wrong. */
export function matcherOf({ text, regex, matchCase }: Query): Matcher | string | undefined {
  if (text === '') return undefined;
  if (regex) {
    try {
      const pattern = new RegExp(text, matchCase ? 'u' : 'iu');
      return (candidate) => pattern.test(candidate);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  if (matchCase) return (candidate) => candidate.includes(text);
  const wanted = text.toLowerCase();
  return (candidate) => candidate.toLowerCase().includes(wanted);
}

/** Marks the frames whose name, module or file matches. Each distinct string is tested once. */
export function matchingFrames(frames: FrameTable, matcher: Matcher): Uint8Array {
  const tested = new Int8Array(frames.strings.length); // 0 unknown, 1 matches, -1 does not
  const matches = (string: number) => {
    if (tested[string] === 0) tested[string] = matcher(frames.strings[string]!) ? 1 : -1;
    return tested[string] === 1;
  };
  const marks = new Uint8Array(frames.count);
  for (let frame = 0; frame < frames.count; frame++) {
    if (matches(frames.name[frame]!) || matches(frames.module[frame]!) || matches(frames.file[frame]!))
      marks[frame] = 1;
  }
  return marks;
}

/** Finds the nodes of the matching frames. */
export function matchesIn(graph: FlameGraph, matcher: Matcher): Matches {
  const frames = matchingFrames(graph.frames, matcher);
  const nodes: number[] = [];
  let value = 0;
  let newValue = 0;
  let coveredTo = 0; // below a matching node, whose cost is already counted
  for (let node = 1; node < graph.count; node++) {
    // not the root: it stands for the run and has a name of our making
    if (frames[graph.frame[node]!] === 0) continue;
    nodes.push(node);
    if (node < coveredTo) continue;
    value += graph.costs.total[node]!;
    newValue += graph.newCosts?.total[node] ?? 0;
    coveredTo = graph.end[node]!;
  }
  const whole = graph.costs.total[0] || 1;
  const newWhole = graph.newCosts?.total[0] || 1;
  return { frames, nodes, share: value / whole, newShare: graph.newCosts && newValue / newWhole };
}

/** The texts by which a frame can be found, for a table row. */
export const frameMatches = (frames: FrameTable, frame: number, matcher: Matcher): boolean =>
  matcher(frameName(frames, frame)) || matcher(frameModule(frames, frame)) || matcher(frameFile(frames, frame));
