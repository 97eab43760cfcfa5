// What one frame of the flame graph shows, and where its rows are.
import type { FlameGraph } from '../content/flameGraph.ts';
import type { Theme } from '../page/theme.ts';
import type { ColourMode } from './difference.ts';
import type { FramePaint } from './frameColours.ts';
import type { WidthMode } from './layout.ts';
import type { VisibleBoxes } from './visibleBoxes.ts';

export const ROW_HEIGHT = 20; // CSS pixels, with a gap of one below each box

export interface Scene {
  readonly graph: FlameGraph;
  readonly boxes: VisibleBoxes;
  readonly theme: Theme;
  readonly paintOf: (node: number) => FramePaint;
  readonly widthMode: WidthMode; // of a comparison, like the colours
  readonly colourMode: ColourMode;
  readonly width: number; // CSS pixels, like height and scrollTop
  readonly height: number;
  readonly scrollTop: number;
  readonly pixelRatio: number;
  readonly selected: number; // node; -1: none
  readonly hovered: number; // box; -1: none
  readonly matching: Uint8Array | undefined; // frames that the search found
  readonly currentMatch: number; // node; -1: none
}

/** The upper edge of a row on the screen, CSS pixels. */
export const topOf = (depth: number, { scrollTop }: Pick<Scene, 'scrollTop'>): number => depth * ROW_HEIGHT - scrollTop;
