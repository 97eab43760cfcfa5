// Memory in use over time: an area with an axis in bytes and the peak marked. The engine says the highest of each column.
import * as l10n from '@vscode/l10n';
import { valueText } from '../../core/numbersAsText.ts';
import type { MemoryColumns, MemoryPeak, Timeline } from '../content/timeline.ts';
import type { StripColours } from './stripColours.ts';
import { pixelOf, type TimePlot } from './timeView.ts';

const HEAD = 16; // CSS pixels above the area: the peak's words
const LABEL_GAP = 3;

export interface MemoryScene {
  readonly plot: TimePlot;
  readonly pixelRatio: number;
  readonly colours: StripColours;
}

/** Of all executions; undefined: none is known. */
export const highestPeak = ({ peaks }: MemoryColumns): MemoryPeak | undefined =>
  peaks.reduce<MemoryPeak | undefined>(
    (most, peak) => (most && most.peakBytes >= peak.peakBytes ? most : peak),
    undefined,
  );

/** Round amounts of bytes up to `most`, 0 left out: two to five, in steps of 1, 2 or 5 KiB, MiB, GiB … times a power of ten. */
export function memoryTicks(most: number): number[] {
  if (!(most > 0)) return [];
  const unit = 1024 ** Math.floor(Math.log(most) / Math.log(1024));
  const power = 10 ** Math.floor(Math.log10(most / unit));
  const step = [0.2, 0.5, 1, 2, 5].map((digit) => digit * power * unit).find((size) => most / size <= 5)!;
  return Array.from({ length: Math.floor(most / step) }, (_, i) => (i + 1) * step);
}

/** Paints over the whole width of the plot; `top` and `height` of the row are CSS pixels. */
export function paintMemory(
  context: CanvasRenderingContext2D,
  { plot, pixelRatio, colours }: MemoryScene,
  { fromNs, toNs }: Timeline,
  memory: MemoryColumns,
  row: { readonly top: number; readonly height: number },
) {
  const { highestBytes } = memory;
  const peak = highestPeak(memory);
  const most = Math.max(1, peak?.peakBytes ?? 0, ...highestBytes);
  const foot = row.top + row.height - 1;
  const yOf = (bytes: number) => foot - (bytes / most) * (row.height - HEAD - 1);
  const step = (toNs - fromNs) / Math.max(1, highestBytes.length);
  context.save();
  context.scale(pixelRatio, pixelRatio);
  const outline = new Path2D();
  highestBytes.forEach((bytes, column) => {
    for (const edge of [column, column + 1]) outline.lineTo(pixelOf(plot, fromNs + edge * step), yOf(bytes));
  });
  const area = new Path2D(outline);
  area.lineTo(pixelOf(plot, toNs), foot);
  area.lineTo(pixelOf(plot, fromNs), foot);
  context.fillStyle = colours.memory;
  context.strokeStyle = colours.memory;
  context.globalAlpha = 0.35;
  context.fill(area);
  context.globalAlpha = 1;
  context.stroke(outline);
  paintAxis(context, { plot, colours }, most, yOf);
  if (peak) paintPeak(context, { plot, colours }, peak, yOf(peak.peakBytes));
  context.fillStyle = colours.line;
  context.fillRect(0, foot, plot.width, 1);
  context.restore();
}

type Plain = Pick<MemoryScene, 'plot' | 'colours'>;

function paintAxis(context: CanvasRenderingContext2D, of: Plain, most: number, yOf: (bytes: number) => number) {
  for (const bytes of memoryTicks(most)) {
    const y = Math.round(yOf(bytes));
    context.fillStyle = of.colours.line;
    context.fillRect(0, y, of.plot.width, 1);
    write(context, of, valueText(bytes, 'bytes'), 2, y + 11);
  }
}

/** A mark above the area and its words, on the side where there is room. */
function paintPeak(context: CanvasRenderingContext2D, of: Plain, { timeNs, peakBytes }: MemoryPeak, y: number) {
  const x = pixelOf(of.plot, timeNs);
  if (x < 0 || x > of.plot.width) return;
  context.fillStyle = of.colours.text;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 4, y - 7);
  context.lineTo(x + 4, y - 7);
  context.fill();
  const words = l10n.t('peak {0}', valueText(peakBytes, 'bytes'));
  setFont(context);
  const { width } = context.measureText(words);
  const isLeft = x + 8 + width > of.plot.width;
  write(context, of, words, isLeft ? x - 8 - width : x + 8, y - LABEL_GAP);
}

/** On a plate of the background, so that it can be read over the area. */
function write(context: CanvasRenderingContext2D, { colours }: Plain, words: string, x: number, y: number) {
  setFont(context);
  const { width } = context.measureText(words);
  context.fillStyle = colours.background;
  context.globalAlpha = 0.75;
  context.fillRect(x - 1, y - 10, width + 2, 12);
  context.globalAlpha = 1;
  context.fillStyle = colours.text;
  context.fillText(words, x, y);
}

function setFont(context: CanvasRenderingContext2D) {
  context.font = `10px ${getComputedStyle(document.body).fontFamily}`;
}
