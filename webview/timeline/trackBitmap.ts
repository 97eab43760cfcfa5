// A track as pixels: one bitmap of a column a pixel, blown up to its place when it is drawn. Pixels, because 64 tracks of
// three stacked parts take forty times as long as paths.
import type { BarHeights } from './barScale.ts';
import type { StripColours } from './stripColours.ts';

/** Draws the bars into a bitmap of `height` device pixels. */
export function trackBitmap(bars: BarHeights, height: number, colours: StripColours): ImageBitmap {
  const columns = bars.own.length;
  const canvas = new OffscreenCanvas(Math.max(1, columns), Math.max(1, height));
  const context = canvas.getContext('2d')!;
  const image = context.createImageData(Math.max(1, columns), Math.max(1, height));
  fillBars(new Uint32Array(image.data.buffer), bars, height, colours);
  context.putImageData(image, 0, 0);
  return canvas.transferToImageBitmap();
}

/** Row by row, so that memory is written in order; what no bar covers stays transparent. */
export function fillBars(
  pixels: Uint32Array,
  { own, library, kernel, queued, waiting, tinted }: BarHeights,
  height: number,
  {
    ownPixel,
    libraryPixel,
    kernelPixel,
    queuedPixel,
    waitingPixel,
    tintedPixel,
  }: Pick<StripColours, `${keyof BarHeights}Pixel`>,
) {
  const columns = own.length;
  let at = 0;
  for (let row = height; row > 0; row--) {
    for (let column = 0; column < columns; column++, at++) {
      if (waiting[column]! < row) continue;
      if (tinted && tinted[column]! >= row) pixels[at] = tintedPixel;
      else if (kernel[column]! < row) pixels[at] = queued[column]! >= row ? queuedPixel : waitingPixel;
      else pixels[at] = own[column]! >= row ? ownPixel : library[column]! >= row ? libraryPixel : kernelPixel;
    }
  }
}
