// Which functions a search means, and where they are in the graph. How much was spent in them the engine says.
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
  // Not the root: it stands for the run and has a name of our making.
  for (let node = 1; node < graph.count; node++) if (frames[graph.frame[node]!] === 1) nodes.push(node);
  return { frames, nodes };
}

/** The texts by which a frame can be found, for a table row. */
export const frameMatches = (frames: FrameTable, frame: number, matcher: Matcher): boolean =>
  matcher(frameName(frames, frame)) || matcher(frameModule(frames, frame)) || matcher(frameFile(frames, frame));
