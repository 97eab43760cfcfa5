// Paints tracks on a canvas: their bitmaps, a veil over what is not selected, edges of the selection, marks of executions and the
// keyboard's cursor. It reads and draws; it decides nothing.
import type { ShownTimeRange } from '../../core/selectionMessages.ts';
import type { ExecutionMark } from '../content/timeline.ts';
import { paintMemory } from './memoryArea.ts';
import type { StripColours } from './stripColours.ts';
import { gapsOf } from './timeRanges.ts';
import { pixelOf, type TimePlot } from './timeView.ts';
import { bitmapOf, type LoadedTrack, rangeOfTrack } from './trackStore.ts';

const GAP = 2; // CSS pixels above each track
const MARK_ROOM = 3; // pixels; marks nearer to each other would be a surface

/** A track in view; CSS pixels of the canvas. */
export interface PaintedRow {
  readonly top: number;
  readonly height: number;
  readonly loaded: LoadedTrack | undefined;
  readonly selected: boolean;
  readonly underCursor: boolean;
}

export interface StripScene {
  readonly plot: TimePlot;
  readonly height: number; // CSS pixels
  readonly pixelRatio: number;
  readonly colours: StripColours;
  readonly rows: readonly PaintedRow[];
  readonly unselected: readonly ShownTimeRange[]; // of time
  readonly edges: readonly ShownTimeRange[]; // ranges with edges to be seen
  readonly preview: boolean;
  readonly executions: readonly ExecutionMark[];
  readonly cursorNs: number; // -1: none
}

export function paintStrip(context: CanvasRenderingContext2D, scene: StripScene) {
  const { colours, plot, height, pixelRatio } = scene;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.imageSmoothingEnabled = false;
  context.fillStyle = colours.background;
  context.fillRect(0, 0, Math.ceil(plot.width * pixelRatio), Math.ceil(height * pixelRatio));
  for (const row of scene.rows) paintRow(context, scene, row);
  paintMarks(context, scene);
  for (const row of scene.rows) veilRow(context, scene, row);
  for (const { fromNs, toNs } of scene.edges) for (const ns of [fromNs, toNs]) paintEdge(context, scene, ns);
  paintCursor(context, scene);
}

/** The bars of a track, over whatever is there in the part of time that it covers. */
function paintBars(
  context: CanvasRenderingContext2D,
  { colours, plot, pixelRatio }: StripScene,
  loaded: LoadedTrack,
  top: number,
  height: number,
) {
  if (loaded.track.own.length === 0) return;
  const bitmap = bitmapOf(loaded, height, colours);
  const part = seenPart(plot, rangeOfTrack(loaded), bitmap.width);
  if (!part) return;
  const { from, columns, left, width } = part;
  const x = Math.round(left * pixelRatio);
  const wide = Math.max(1, Math.round((left + width) * pixelRatio) - x);
  context.fillStyle = colours.background;
  if (loaded.wider) context.fillRect(x, top, wide, height);
  context.drawImage(bitmap, from, 0, columns, height, x, top, wide, height);
}

/** Device pixels that the bars of a track of `height` CSS pixels have. */
export const barsHeight = (height: number, pixelRatio: number): number => Math.round((height - GAP) * pixelRatio) - 1;

function paintRow(context: CanvasRenderingContext2D, scene: StripScene, { top, height, loaded }: PaintedRow) {
  const { colours, plot, pixelRatio } = scene;
  const foot = Math.round((top + height) * pixelRatio);
  if (loaded?.timeline.memory)
    return paintMemory(context, scene, loaded.timeline, loaded.timeline.memory, { top, height });
  const bars = barsHeight(height, pixelRatio);
  const barsTop = foot - 1 - bars;
  if (loaded?.wider && gapsOf([rangeOfTrack(loaded)], plot.view).length > 0)
    paintBars(context, scene, loaded.wider, barsTop, bars);
  if (loaded) paintBars(context, scene, loaded, barsTop, bars);
  context.fillStyle = colours.line;
  context.fillRect(0, foot - 1, Math.ceil(plot.width * pixelRatio), 1);
}

/** Which columns of a range are in view, and where they go; undefined: none. */
export function seenPart(plot: TimePlot, range: ShownTimeRange, columns: number) {
  const step = (range.toNs - range.fromNs) / columns;
  if (!(step > 0)) return undefined;
  const from = Math.max(0, Math.floor((plot.view.fromNs - range.fromNs) / step));
  const end = Math.min(columns, Math.ceil((plot.view.toNs - range.fromNs) / step));
  if (from >= end) return undefined;
  const left = pixelOf(plot, range.fromNs + from * step);
  return { from, columns: end - from, left, width: pixelOf(plot, range.fromNs + end * step) - left };
}

/** Thins out what figures are not about. */
function veilRow(context: CanvasRenderingContext2D, scene: StripScene, row: PaintedRow) {
  const { plot, pixelRatio, colours, unselected } = scene;
  const top = Math.round(row.top * pixelRatio);
  const high = Math.round((row.top + row.height) * pixelRatio) - 1 - top;
  context.fillStyle = colours.background;
  context.globalAlpha = colours.quiet;
  const gaps = row.selected ? unselected : [plot.view];
  for (const { fromNs, toNs } of gaps) {
    const left = Math.max(0, Math.round(pixelOf(plot, fromNs) * pixelRatio));
    const right = Math.min(Math.ceil(plot.width * pixelRatio), Math.round(pixelOf(plot, toNs) * pixelRatio));
    if (right > left) context.fillRect(left, top, right - left, high);
  }
  context.globalAlpha = 1;
}

function paintEdge(context: CanvasRenderingContext2D, scene: StripScene, ns: number) {
  const { plot, pixelRatio, height, colours, preview } = scene;
  const pixel = pixelOf(plot, ns);
  if (pixel < -1 || pixel > plot.width + 1) return;
  const line = Math.max(1, Math.round((preview ? 2 : 1) * pixelRatio));
  const x = Math.min(Math.round(pixel * pixelRatio), Math.ceil(plot.width * pixelRatio) - line);
  context.fillStyle = colours.edge;
  context.fillRect(Math.max(0, x), 0, line, Math.ceil(height * pixelRatio));
}

/** Where each execution begins. */
function paintMarks(context: CanvasRenderingContext2D, scene: StripScene) {
  const { plot, pixelRatio, height, colours, executions } = scene;
  context.fillStyle = colours.mark;
  let last = Number.NEGATIVE_INFINITY;
  for (const { fromNs } of executions) {
    const pixel = pixelOf(plot, fromNs);
    if (pixel < 0 || pixel > plot.width || pixel - last < MARK_ROOM) continue;
    last = pixel;
    context.fillRect(Math.round(pixel * pixelRatio), 0, 1, Math.ceil(height * pixelRatio));
  }
}

function paintCursor(context: CanvasRenderingContext2D, scene: StripScene) {
  const { plot, pixelRatio, colours, cursorNs, rows } = scene;
  if (cursorNs < 0) return;
  const x = Math.round(pixelOf(plot, cursorNs) * pixelRatio);
  const line = Math.max(1, Math.round(pixelRatio));
  context.fillStyle = colours.cursor;
  for (const { top, height, underCursor } of rows) {
    if (!underCursor) continue;
    const y = Math.round(top * pixelRatio);
    const foot = Math.round((top + height) * pixelRatio) - 1;
    context.fillRect(x, y, line, foot - y);
    context.fillRect(x - 3 * line, foot - 2 * line, 7 * line, 2 * line);
    context.fillRect(x - 3 * line, y, 7 * line, 2 * line);
  }
}
