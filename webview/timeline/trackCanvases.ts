// The two canvases of the timeline: the track of all threads, and the threads in view below it.
import { html } from 'lit';
import { rendered } from '../page/rendered.ts';
import { type PaintedRow, paintStrip, type StripScene } from './stripPainter.ts';
import type { NamedRow } from './trackRows.ts';

export const TRACK_HEIGHT = 24; // CSS pixels
export const ALL_HEIGHT = 40;

const makeCanvas = (): HTMLCanvasElement =>
  rendered(html`<canvas class="timeline-canvas" aria-hidden="true"></canvas>`);

export class TrackCanvases {
  readonly all = makeCanvas();
  readonly threads = makeCanvas();
  #height = 0; // CSS pixels of the threads

  /** Fits both to their places, in device pixels. */
  fit(width: number, height: number) {
    this.#height = height;
    fitCanvas(this.all, width, ALL_HEIGHT);
    fitCanvas(this.threads, width, height);
  }

  paint(scene: Omit<StripScene, 'rows' | 'height'>, all: NamedRow, rows: readonly NamedRow[], scrollTop: number) {
    paintStrip(contextOf(this.all), { ...scene, height: ALL_HEIGHT, rows: [painted(all, 0, ALL_HEIGHT)] });
    paintStrip(contextOf(this.threads), {
      ...scene,
      height: this.#height,
      rows: rows.map((row) => painted(row, row.top - scrollTop, TRACK_HEIGHT)),
    });
  }
}

const painted = ({ loaded, selected, underCursor }: NamedRow, top: number, height: number): PaintedRow => ({
  ...{ top, height, loaded, underCursor },
  selected: selected !== false,
});

const contextOf = (canvas: HTMLCanvasElement) => canvas.getContext('2d', { alpha: false })!;

function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number) {
  const ratio = window.devicePixelRatio;
  const [deviceWidth, deviceHeight] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  if (canvas.width === deviceWidth && canvas.height === deviceHeight) return;
  canvas.width = deviceWidth;
  canvas.height = deviceHeight;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}
