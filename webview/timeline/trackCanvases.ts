// The two canvases of the timeline: the track of all threads, and the threads in view below it.
import { html } from 'lit';
import { rendered } from '../page/rendered.ts';
import { type PaintedRow, paintStrip, type StripScene } from './stripPainter.ts';
import { samePlot, sameRange } from './timeView.ts';
import { isSameRow, type NamedRow } from './trackRows.ts';

export const TRACK_HEIGHT = 24; // CSS pixels
export const ALL_HEIGHT = 40;
export const MEMORY_HEIGHT = 96; // of memory in use, in place of all threads

/** What both canvases have in common. */
type AnyScene = Omit<StripScene, 'rows' | 'height'>;

const makeCanvas = (): HTMLCanvasElement =>
  rendered(html`<canvas class="timeline-canvas" aria-hidden="true"></canvas>`);

export class TrackCanvases {
  readonly all = makeCanvas();
  readonly threads = makeCanvas();
  #height = 0; // CSS pixels of the threads
  #allHeight = ALL_HEIGHT;
  #paintedAll: readonly [AnyScene, NamedRow] | undefined;

  /** Fits both to their places, in device pixels. */
  fit(width: number, height: number, allHeight: number) {
    this.#height = height;
    this.#allHeight = allHeight;
    this.#paintedAll = undefined;
    fitCanvas(this.all, width, allHeight);
    fitCanvas(this.threads, width, height);
  }

  /** The track of all threads is painted only when something of it changed: scrolling does not touch it. */
  paint(scene: AnyScene, all: NamedRow, rows: readonly NamedRow[], scrollTop: number) {
    const before = this.#paintedAll;
    if (!before || !isSameScene(scene, before[0]) || !isSameRow(all, before[1])) {
      const height = this.#allHeight;
      paintStrip(contextOf(this.all), { ...scene, height, rows: [painted(all, 0, height)] });
      this.#paintedAll = [scene, all];
    }
    paintStrip(contextOf(this.threads), {
      ...scene,
      height: this.#height,
      rows: rows.map((row) => painted(row, row.top - scrollTop, TRACK_HEIGHT)),
    });
  }
}

function isSameScene(a: AnyScene, b: AnyScene): boolean {
  return (
    samePlot(a.plot, b.plot) &&
    a.unselected.length === b.unselected.length &&
    a.unselected.every((range, i) => sameRange(range, b.unselected[i]!)) &&
    (['pixelRatio', 'colours', 'edges', 'preview', 'executions', 'cursorNs'] as const).every((key) => a[key] === b[key])
  );
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
