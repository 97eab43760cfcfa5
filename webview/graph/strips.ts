// The fills of all boxes, drawn by stretching lines of pixels. A row of a flame graph looks the same on each of its
// pixel lines, so one line of pixels a row is filled in memory and stretched to the row's height by one drawImage call:
// a few dozen calls a frame instead of one for each of eight thousand boxes, which halves the time of a frame.
import * as l10n from '@vscode/l10n';
import { FrameKind } from '../content/frameTable.ts';
import { isQuiet } from './difference.ts';
import { pixelOf } from './frameColours.ts';
import { ROW_HEIGHT, type Scene, topOf } from './scene.ts';

export interface Strips {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  image: ImageData;
  pixels: Uint32Array; // of the image
}

// Lines of a row: its boxes, the gap above them, the marks of search hits at their foot.
const BOXES = 0;
const GAP = 1;
const HITS = 2;
const LINES = 3;

export function makeStrips(): Strips {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (!context) throw new Error(l10n.t('This editor gave no second 2D canvas, so the flame graph cannot be drawn.'));
  const image = context.createImageData(1, 1);
  return { canvas, context, image, pixels: new Uint32Array(image.data.buffer) };
}

export function paintFills(context: CanvasRenderingContext2D, scene: Scene, strips: Strips) {
  const { width, height, scrollTop, pixelRatio, theme, matching } = scene;
  const firstDepth = Math.floor(scrollTop / ROW_HEIGHT);
  const rows = Math.floor((scrollTop + height) / ROW_HEIGHT) - firstDepth + 1;
  const pixelsWide = Math.ceil(width * pixelRatio);
  resize(strips, pixelsWide, rows * LINES);
  strips.pixels.fill(pixelOf(theme.background));
  fillLines(scene, strips.pixels, pixelsWide, firstDepth);
  strips.context.putImageData(strips.image, 0, 0);

  const gap = Math.max(1, Math.round(pixelRatio));
  context.imageSmoothingEnabled = false;
  const stretch = (line: number, top: number, bottom: number) =>
    context.drawImage(strips.canvas, 0, line, pixelsWide, 1, 0, top, pixelsWide, bottom - top);
  for (let row = 0; row < rows; row++) {
    const top = Math.round(topOf(firstDepth + row, scene) * pixelRatio);
    const bottom = Math.round((topOf(firstDepth + row, scene) + ROW_HEIGHT) * pixelRatio) - gap;
    stretch(row * LINES + GAP, top - gap, top);
    stretch(row * LINES + BOXES, top, matching ? bottom - 2 * gap : bottom);
    if (matching) stretch(row * LINES + HITS, bottom - 2 * gap, bottom);
  }
}

function fillLines(scene: Scene, pixels: Uint32Array, pixelsWide: number, firstDepth: number) {
  const { graph, boxes, theme, paintOf, pixelRatio, matching, colourMode } = scene;
  const gap = Math.max(1, Math.round(pixelRatio));
  const background = pixelOf(theme.background);
  const folded = pixelOf(theme.foldedFill);
  const quiet = pixelOf(theme.quietFill);
  const hit = pixelOf(theme.match);
  for (let box = 0; box < boxes.count; box++) {
    const node = boxes.node[box]!;
    const frame = graph.frame[node]!;
    const isRun = boxes.end[box] !== 0;
    const from = Math.round(boxes.left[box]! * pixelRatio);
    const to = Math.max(from + 1, Math.round(boxes.right[box]! * pixelRatio));
    const left = Math.max(0, from);
    const right = Math.min(pixelsWide, to - from > 3 * gap ? to - gap : to);
    const matches = matching === undefined || (!isRun && matching[frame] === 1);
    let pixel: number;
    if (isRun) pixel = folded;
    else if (theme.highContrast) pixel = background;
    else if (!matches || isQuiet(graph, node, colourMode)) pixel = quiet;
    else pixel = paintOf(node).pixel;

    const line = (boxes.depth[box]! - firstDepth) * LINES * pixelsWide;
    pixels.fill(pixel, line + left, line + right);
    if (!isRun && graph.frames.kind[frame] === FrameKind.inlined) {
      const above = line + GAP * pixelsWide; // an inlined frame hangs on its caller
      pixels.fill(pixel, above + left, above + right);
    }
    if (matching) {
      const foot = line + HITS * pixelsWide;
      pixels.fill(!isRun && matches ? hit : pixel, foot + left, foot + right);
    }
  }
}

function resize(strips: Strips, width: number, height: number) {
  if (strips.image.width === width && strips.image.height === height) return;
  strips.canvas.width = Math.max(1, width);
  strips.canvas.height = Math.max(1, height);
  strips.image = strips.context.createImageData(Math.max(1, width), Math.max(1, height));
  strips.pixels = new Uint32Array(strips.image.data.buffer);
}
