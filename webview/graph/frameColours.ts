// The colour of a frame in a flame graph of one run: hue by module, jittered by function, so that a module is a family
// of one colour, within the hues of what is measured. Lightness follows the theme and keeps every label readable (contrast 4.5 or more).
import { hcl, rgb } from 'd3-color';
import type { MeasureFamily } from '../../core/measureText.ts';
import { FrameKind, type FrameTable, frameModule, frameName, isKernel } from '../content/frameTable.ts';

export type Tone = 'dark' | 'light';

export interface FramePaint {
  readonly fill: string;
  readonly pixel: number; // the fill as a canvas keeps it in memory
  readonly text: string;
}

export const paintFrom = (fill: string, text: string): FramePaint => ({ fill, pixel: pixelOf(fill), text });

/** A colour as one opaque pixel of ImageData read as little-endian uint32, which every platform of the editor is. */
export function pixelOf(colour: string): number {
  const { r, g, b } = rgb(colour);
  return (0xff000000 | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;
}

const SHADES = 16; // variations within a module
const DISTINCT_HUES = 5;

interface Hues {
  readonly from: number; // of modules
  readonly to: number;
  readonly jitter: number; // degrees, over all shades of a module: less than two of the distinct hues are apart
  readonly kernel: number; // kept free of modules
}
/** Of CPU time and what has no colours of its own: all but the kernel's magenta. */
const ALL_HUES: Hues = { from: 10, to: 285, jitter: 22, kernel: 320 };
/** Waiting is cool, and memory violet, as beside the lines. */
const FAMILY_HUES: Partial<Record<MeasureFamily, Hues>> = {
  waiting: { from: 178, to: 258, jitter: 10, kernel: 285 },
  memory: { from: 290, to: 370, jitter: 8, kernel: 265 },
};
const huesOfFamily = (family: MeasureFamily): Hues => FAMILY_HUES[family] ?? ALL_HUES;

interface Tuning {
  readonly chroma: number;
  readonly lightness: number;
  readonly lightnessJitter: number;
  readonly text: string;
}
const TUNING: Record<Tone, Tuning> = {
  dark: { chroma: 38, lightness: 41, lightnessJitter: 7, text: '#ffffff' },
  light: { chroma: 30, lightness: 83, lightnessJitter: 7, text: '#1b1b1b' },
};

/** The paint of each frame, worked out when it is first asked for. */
export function frameColours(
  frames: FrameTable,
  tone: Tone,
  largestModules: ArrayLike<number> = [],
  measured: MeasureFamily = 'cpu',
): (frame: number) => FramePaint {
  const hues = huesOf(
    Array.from(largestModules, (module) => frames.strings[module]!),
    measured,
  );
  const known: FramePaint[] = [];
  const families = new Map<string, FramePaint[]>();
  return (frame) => {
    known[frame] ??= paintOf(frame);
    return known[frame];
  };

  function paintOf(frame: number): FramePaint {
    const kind = frames.kind[frame]!;
    if (kind === FrameKind.root) return greyPaint(tone);
    const module = frameModule(frames, frame);
    const key = `${kind} ${kind === FrameKind.native || kind === FrameKind.inlined ? module : ''}`;
    let family = families.get(key);
    if (!family) {
      family = familyOf(kind, module, tone, { measured, hue: hues.get(module) });
      families.set(key, family);
    }
    return family[hashOf(frameName(frames, frame)) % SHADES]!;
  }
}

interface FamilyOf {
  readonly measured?: MeasureFamily;
  readonly hue?: number | undefined; // undefined: by the module's name
}

/** All shades of one module. */
export function familyOf(kind: number, module: string, tone: Tone, of: FamilyOf = {}): FramePaint[] {
  const { chroma, lightness, lightnessJitter, text } = TUNING[tone];
  const hues = huesOfFamily(of.measured ?? 'cpu');
  const hue = isKernel(kind) ? hues.kernel : (of.hue ?? moduleHue(module, hues));
  const strength = kind === FrameKind.unknown ? 4 : kind === FrameKind.inlined ? chroma / 2 : chroma;
  return Array.from({ length: SHADES }, (_, shade) => {
    const turn = shade / (SHADES - 1) - 0.5;
    const step = ((shade * 7) % SHADES) / (SHADES - 1) - 0.5; // lightness varies out of step with the hue
    const fill = hcl(hue + turn * hues.jitter, strength, lightness + step * lightnessJitter).formatHex();
    return paintFrom(fill, text);
  });
}

export function greyPaint(tone: Tone): FramePaint {
  const { lightness, text } = TUNING[tone];
  return paintFrom(hcl(0, 0, lightness).formatHex(), text);
}

/**
 * The hues of the largest modules, the largest first: of a few hues that nobody takes for each other, the free one that
 * is nearest to the hue of the module's name. All other modules keep that: more hues cannot be told apart.
 */
export function huesOf(modules: readonly string[], measured: MeasureFamily = 'cpu'): ReadonlyMap<string, number> {
  const of = huesOfFamily(measured);
  const { from, to } = of;
  const free = Array.from({ length: DISTINCT_HUES }, (_, at) => from + (at * (to - from)) / (DISTINCT_HUES - 1));
  const hues = new Map<string, number>();
  for (const module of modules.slice(0, DISTINCT_HUES)) {
    const own = moduleHue(module, of);
    free.sort((a, b) => Math.abs(a - own) - Math.abs(b - own));
    hues.set(module, free.shift()!);
  }
  return hues;
}

function moduleHue(module: string, { from, to }: Hues): number {
  const turn = hashOf(module) / 0x1_0000_0000;
  return from + turn * (to - from);
}

/** FNV-1a over UTF-16 units, with the last mixing step of MurmurHash3: near names get far values. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
