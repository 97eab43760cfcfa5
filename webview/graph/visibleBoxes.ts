// Finds the boxes worth drawing: those inside the viewport and at least half a pixel wide. A subtree narrower than that
// is left out whole; neighbours left out together make one grey box that knows how many nodes it stands for. What is
// visible saturates near eight thousand boxes whatever the tree's size, so a frame costs the same for any profile.
import type { FlameGraph } from '../content/flameGraph.ts';
import type { Layout } from './layout.ts';
import type { Span } from './span.ts';

export interface Viewport {
  readonly span: Span; // the part of the root's width in view
  readonly pixels: number; // its width on the screen
  readonly firstDepth: number;
  readonly lastDepth: number; // inclusive
}

/** Columns of boxes; the arrays are kept from frame to frame and grow when needed. */
export interface VisibleBoxes {
  count: number;
  node: Int32Array; // the node, or the first node of a run
  end: Int32Array; // 0: one node; else one after the last node of the run
  depth: Int32Array;
  left: Float32Array; // pixels, cut at the viewport's edges
  right: Float32Array;
}

export const PIXELS_MIN = 0.5;
const OUTSIDE = 4; // pixels that a box may stand out on either side, so that cut edges are not seen

export const emptyBoxes = (capacity = 4096): VisibleBoxes => ({
  count: 0,
  node: new Int32Array(capacity),
  end: new Int32Array(capacity),
  depth: new Int32Array(capacity),
  left: new Float32Array(capacity),
  right: new Float32Array(capacity),
});

/** Fills `boxes` with what the viewport shows, in depth-first order. */
export function findVisibleBoxes(graph: FlameGraph, layout: Layout, viewport: Viewport, boxes: VisibleBoxes) {
  const { start, width, childrenEnd, heaviestFirst } = layout;
  const { depth, end, parent } = graph;
  const { span, pixels, firstDepth, lastDepth } = viewport;
  const scale = pixels / span.width;
  boxes.count = 0;

  let runFirst = -1; // the run of culled siblings that is open
  let runEnd = -1;
  let runLeft = 0;
  let runRight = 0;
  const closeRun = () => {
    if (runFirst >= 0 && runRight - runLeft >= PIXELS_MIN)
      add(boxes, runFirst, runEnd, depth[runFirst]!, runLeft, runRight);
    runFirst = -1;
  };

  let node = 0;
  while (node < graph.count) {
    const left = (start[node]! - span.left) * scale;
    const boxWidth = width[node]! * scale;
    if (depth[node]! > lastDepth) {
      node = end[node]!;
      continue;
    }
    if (boxWidth < PIXELS_MIN && heaviestFirst && node > 0) {
      // All siblings from here on are at least as narrow: one step takes them together, however many they are.
      closeRun();
      const up = parent[node]!;
      const right = (childrenEnd[up]! - span.left) * scale;
      if (depth[node]! >= firstDepth && right > 0 && left < pixels) {
        runFirst = node;
        runEnd = end[up]!;
        runLeft = Math.max(left, -OUTSIDE);
        runRight = Math.min(right, pixels + OUTSIDE);
        closeRun();
      }
      node = end[up]!;
      continue;
    }
    const right = left + boxWidth;
    if (right <= 0 || left >= pixels) {
      node = end[node]!;
      continue;
    }
    if (boxWidth < PIXELS_MIN) {
      const shown = depth[node]! >= firstDepth && boxWidth > 0;
      if (shown && runFirst >= 0 && runEnd === node && parent[runFirst] === parent[node]) {
        runRight = right;
        runEnd = end[node]!;
      } else if (shown) {
        closeRun();
        runFirst = node;
        runEnd = end[node]!;
        runLeft = left;
        runRight = right;
      }
      node = end[node]!;
      continue;
    }
    closeRun();
    if (depth[node]! >= firstDepth) {
      add(boxes, node, 0, depth[node]!, Math.max(left, -OUTSIDE), Math.min(right, pixels + OUTSIDE));
    }
    node++;
  }
  closeRun();
}

/** The box at a place, or -1. Boxes are few, so looking at each is quicker than keeping an index. */
export function boxAt(boxes: VisibleBoxes, depth: number, x: number): number {
  for (let box = 0; box < boxes.count; box++) {
    if (boxes.depth[box] === depth && boxes.left[box]! <= x && x < boxes.right[box]!) return box;
  }
  return -1;
}

function add(boxes: VisibleBoxes, node: number, end: number, depth: number, left: number, right: number) {
  if (boxes.count === boxes.node.length) grow(boxes);
  const box = boxes.count++;
  boxes.node[box] = node;
  boxes.end[box] = end;
  boxes.depth[box] = depth;
  boxes.left[box] = left;
  boxes.right[box] = right;
}

function grow(boxes: VisibleBoxes) {
  const larger = emptyBoxes(boxes.node.length * 2);
  for (const column of ['node', 'end', 'depth', 'left', 'right'] as const) {
    larger[column].set(boxes[column]);
  }
  Object.assign(boxes, larger, { count: boxes.count });
}
