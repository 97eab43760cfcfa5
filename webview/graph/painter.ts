// Paints the boxes in view on a canvas of the viewport's size. Edges are snapped to device pixels, so neighbours meet
// without seams; a label is cut where its box ends. It reads columns and draws; it decides nothing.
import { visibleText } from '../../core/foreignText.ts';
import { cutInMiddle, shortName } from '../../core/shortName.ts';
import { FrameKind, frameName, isKernel } from '../content/frameTable.ts';
import type { Theme } from '../page/theme.ts';
import { glyphOf, isQuiet } from './difference.ts';
import { baseMark } from './layout.ts';
import { ROW_HEIGHT, type Scene, topOf } from './scene.ts';
import { makeStrips, paintFills, type Strips } from './strips.ts';

const PADDING = 5;
const MARK_MIN = 10; // CSS pixels of a box from which the base's mark is drawn
const MARK_HEIGHT = 4;
const HATCH_STEP = 6; // device pixels from line to line; of a narrower box nothing would be seen of it
const COLLAPSED = '▸';
const LABEL_MIN = 22; // CSS pixels: room for two letters and the cut mark

/** What stays from frame to frame: labels, the width of a letter, hatching, the memory of the fills. */
export interface Brushes {
  readonly labels: Label[]; // by frame
  readonly letterWidth: number; // 0: the font is not monospaced
  readonly hatch: CanvasPattern | null;
  readonly strips: Strips;
}

interface Label {
  readonly full: string;
  readonly short: string; // where the full name has no room
}

function labelOf(name: string): Label {
  return { full: visibleText(name), short: visibleText(shortName(name)) };
}

export function makeBrushes(context: CanvasRenderingContext2D, theme: Theme): Brushes {
  context.font = fontOf(theme, 1);
  const narrow = context.measureText('iiii').width / 4;
  const wide = context.measureText('WWWW').width / 4;
  return {
    labels: [],
    letterWidth: Math.abs(narrow - wide) < 0.01 ? wide : 0,
    hatch: hatchOf(context, theme),
    strips: makeStrips(),
  };
}

export function paint(context: CanvasRenderingContext2D, scene: Scene, brushes: Brushes) {
  const { theme, width, height, pixelRatio } = scene;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = theme.background;
  context.fillRect(0, 0, Math.ceil(width * pixelRatio), Math.ceil(height * pixelRatio));
  paintFills(context, scene, brushes.strips);
  paintPatterns(context, scene, brushes);
  paintLabels(context, scene, brushes);
  paintMarks(context, scene);
}

/** What fills cannot show: hatching over what is not beyond noise, the base's mark, edges in high contrast. */
function paintPatterns(context: CanvasRenderingContext2D, scene: Scene, { hatch }: Brushes) {
  const { graph, boxes, theme, colourMode } = scene;
  const compared = graph.newCosts !== undefined;
  if (!compared && !theme.highContrast) return;
  if (compared && hatch) {
    context.fillStyle = hatch;
    for (let box = 0; box < boxes.count; box++) {
      if (boxes.end[box] !== 0 || !isQuiet(graph, boxes.node[box]!, colourMode)) continue;
      const { left, right, top, bottom } = edgesOf(scene, box);
      if (right - left >= HATCH_STEP) context.fillRect(left, top, right - left, bottom - top);
    }
  }
  for (let box = 0; box < boxes.count; box++) {
    if (boxes.end[box] !== 0) continue;
    if (theme.highContrast) outlineInHighContrast(context, scene, edgesOf(scene, box), boxes.node[box]!);
    if (compared) paintBaseMark(context, scene, box);
  }
}

/** A notch at the foot of a box where the base's part ends: right of the middle, or of the new run's edge, is less cost now. */
function paintBaseMark(context: CanvasRenderingContext2D, scene: Scene, box: number) {
  const { graph, boxes, theme, widthMode, pixelRatio, width } = scene;
  const left = boxes.left[box]!;
  const right = boxes.right[box]!;
  // A box that is cut at the view's edge has its mark elsewhere.
  if (right - left < MARK_MIN || left < 0 || right > width + 1) return;
  const at = baseMark(graph, boxes.node[box]!, widthMode);
  if (Number.isNaN(at)) return;
  const { bottom } = edgesOf(scene, box);
  const line = Math.max(1, Math.round(pixelRatio));
  const height = Math.round(MARK_HEIGHT * pixelRatio);
  const x = Math.round((left + at * (right - left)) * pixelRatio) - line;
  context.fillStyle = theme.background;
  context.fillRect(x - line, bottom - height, 3 * line, height);
  context.fillStyle = theme.foreground;
  context.fillRect(x, bottom - height, line, height);
}

interface Edges {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** High contrast has no fills: kernel frames get a double edge, inlined ones stay open at the top. */
function outlineInHighContrast(context: CanvasRenderingContext2D, scene: Scene, edges: Edges, node: number) {
  const { graph, theme, pixelRatio } = scene;
  const { left, right, top, bottom } = edges;
  const line = Math.max(1, Math.round(pixelRatio));
  const kind = graph.frames.kind[graph.frame[node]!];
  context.fillStyle = theme.border;
  if (kind !== FrameKind.inlined) context.fillRect(left, top, right - left, line);
  context.fillRect(left, bottom - line, right - left, line);
  context.fillRect(left, top, line, bottom - top);
  context.fillRect(right - line, top, line, bottom - top);
  if (kind !== undefined && isKernel(kind) && right - left > 8 * line)
    context.fillRect(left + 2 * line, top, line, bottom - top);
}

function paintLabels(context: CanvasRenderingContext2D, scene: Scene, { labels, letterWidth }: Brushes) {
  const { graph, boxes, theme, paintOf, width, pixelRatio, matching, colourMode } = scene;
  const compared = graph.newCosts !== undefined;
  context.font = fontOf(theme, pixelRatio);
  context.textBaseline = 'middle';
  const letter = letterWidth || theme.fontSize * 0.62;
  let style = '';
  for (let box = 0; box < boxes.count; box++) {
    const from = Math.max(0, boxes.left[box]!);
    const room = Math.min(width, boxes.right[box]!) - from - 2 * PADDING;
    if (boxes.end[box] !== 0 || room < LABEL_MIN - 2 * PADDING) continue;
    const node = boxes.node[box]!;
    const frame = graph.frame[node]!;
    labels[frame] ??= labelOf(frameName(graph.frames, frame));
    const glyph = compared ? glyphOf(graph, node, colourMode) : graph.frames.collapsed.has(frame) ? COLLAPSED : '';
    const letters = Math.floor(room / letter) - (glyph ? 2 : 0);
    const { full, short } = labels[frame];
    const label = full.length <= letters ? full : cutInMiddle(short, letters);
    const text = glyph ? `${glyph} ${label}` : label;
    if (label === '') continue;
    const quiet = matching !== undefined && matching[frame] !== 1;
    const few = isQuiet(graph, node, colourMode);
    const fill = theme.highContrast
      ? theme.foreground
      : quiet
        ? theme.quietText
        : few
          ? theme.foreground
          : paintOf(node).text;
    if (fill !== style) {
      style = fill;
      context.fillStyle = fill;
    }
    const x = Math.round((from + PADDING) * pixelRatio);
    const y = Math.round((topOf(boxes.depth[box]!, scene) + ROW_HEIGHT / 2) * pixelRatio);
    if (letterWidth > 0 && isPlain(text)) context.fillText(text, x, y);
    else context.fillText(text, x, y, room * pixelRatio); // squeezed a little rather than over its neighbour
  }
}

/** Selection, equal functions, the current search hit and the box under the pointer. */
function paintMarks(context: CanvasRenderingContext2D, scene: Scene) {
  const { graph, boxes, theme, selected, hovered, currentMatch, pixelRatio } = scene;
  const selectedFrame = selected > 0 ? graph.frame[selected]! : -1;
  const line = Math.max(1, Math.round(pixelRatio));
  for (let box = 0; box < boxes.count; box++) {
    if (boxes.end[box] !== 0) continue;
    const node = boxes.node[box]!;
    const frame = graph.frame[node]!;
    if (frame === selectedFrame && node !== selected) outline(context, scene, box, theme.focus, line);
  }
  if (hovered >= 0 && hovered < boxes.count) outline(context, scene, hovered, theme.foreground, line);
  for (let box = 0; box < boxes.count; box++) {
    if (boxes.end[box] !== 0) continue;
    if (boxes.node[box] === currentMatch) outline(context, scene, box, theme.match, 2 * line);
    if (boxes.node[box] === selected)
      outline(context, scene, box, theme.highContrast ? theme.focus : theme.foreground, 2 * line);
  }
}

function outline(context: CanvasRenderingContext2D, scene: Scene, box: number, colour: string, thickness: number) {
  const { left, right, top, bottom } = edgesOf(scene, box);
  context.fillStyle = colour;
  if (right - left <= 2 * thickness) {
    context.fillRect(left, top, right - left, bottom - top);
    return;
  }
  context.fillRect(left, top, right - left, thickness);
  context.fillRect(left, bottom - thickness, right - left, thickness);
  context.fillRect(left, top, thickness, bottom - top);
  context.fillRect(right - thickness, top, thickness, bottom - top);
}

function edgesOf(scene: Scene, box: number): Edges {
  const { boxes, pixelRatio } = scene;
  const gap = Math.max(1, Math.round(pixelRatio));
  const left = Math.round(boxes.left[box]! * pixelRatio);
  const right = Math.max(left + 1, Math.round(boxes.right[box]! * pixelRatio));
  const top = topOf(boxes.depth[box]!, scene);
  return {
    left,
    right: right - left > 3 * gap ? right - gap : right,
    top: Math.round(top * pixelRatio),
    bottom: Math.round((top + ROW_HEIGHT) * pixelRatio) - gap,
  };
}

const fontOf = ({ fontFamily, fontSize }: Theme, scale: number): string => `${fontSize * scale}px ${fontFamily}`;

const isPlain = (text: string): boolean => !/[^ -~…▲▼▸+−→]/.test(text);

function hatchOf(context: CanvasRenderingContext2D, theme: Theme): CanvasPattern | null {
  const tile = document.createElement('canvas');
  tile.width = HATCH_STEP;
  tile.height = HATCH_STEP;
  const pen = tile.getContext('2d');
  if (!pen) return null;
  pen.strokeStyle = theme.foldedFill;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const offset of [-HATCH_STEP, 0, HATCH_STEP]) {
    pen.moveTo(offset - 1, HATCH_STEP + 1);
    pen.lineTo(offset + HATCH_STEP + 1, -1);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat');
}
