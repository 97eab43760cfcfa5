// How a node of a comparison differs: sign, glyph and colour. Blue costs less, red costs more, each doubled by a glyph;
// what is not beyond noise is quiet: hatched grey, for a pale colour would still say a direction.
import { interpolateLab } from 'd3-interpolate';
import { scalePow } from 'd3-scale';
import { isSignificant, Verdict, verdictGlyph } from '../../core/changeText.ts';
import { areFew, type SampleCount } from '../../core/sampleCount.ts';
import type { FlameGraph } from '../content/flameGraph.ts';
import { readableOn } from './colourContrast.ts';
import { type FramePaint, paintFrom } from './frameColours.ts';

export const LESS = 'rgb(26, 133, 255)';
export const SAME = 'rgb(148, 142, 142)';
export const MORE = 'rgb(220, 50, 32)';

/** What colours speak of: all changes beyond noise, all changes by size, or by ratio. */
export type ColourMode = 'significance' | 'change' | 'ratio';
export const colourModes: readonly ColourMode[] = ['significance', 'change', 'ratio'];

const RATIO_MAX = 4; // a cost that grew or fell by this factor has the pure colour
const STRONGEST = 0.72; // of the way to the pure colour: callers as wide as the view would glare
const SIGNIFICANT_MIN = 0.35; // of the way to the pure colour, so that it is never taken for grey

export type Change = 'new' | 'gone' | 'more' | 'less' | 'same';

export const GLYPHS: Record<Change, string> = { new: '+', gone: '−', more: '▲', less: '▼', same: '' };

/** new − base of a node with all that it called. */
export const changeOfNode = (graph: FlameGraph, node: number): number =>
  (graph.newCosts?.total[node] ?? 0) - graph.costs.total[node]!;

export function kindOfChange(graph: FlameGraph, node: number): Change {
  const base = graph.costs.total[node]!;
  const later = graph.newCosts?.total[node] ?? 0;
  if (base === later) return 'same';
  if (base === 0) return 'new';
  if (later === 0) return 'gone';
  return later > base ? 'more' : 'less';
}

/** On both sides together. */
function samplesOfNode({ costs, newCosts }: FlameGraph, node: number): SampleCount {
  const base = costs.totalSamples?.[node];
  return base === undefined ? undefined : base + (newCosts?.totalSamples?.[node] ?? 0);
}

/** A difference that rests on few samples means nothing, and a figure little. */
export const tooFewSamples = (graph: FlameGraph, node: number): boolean =>
  (graph.newCosts !== undefined || !graph.isComplete) && areFew(samplesOfNode(graph, node));

/** Whether a node of a comparison is drawn without colour. Without effects only what has too few samples is. */
export function isQuiet(graph: FlameGraph, node: number, mode: ColourMode): boolean {
  if (!graph.newCosts) return false;
  const verdict = graph.effects?.verdict[node];
  if (mode !== 'significance' || verdict === undefined) return tooFewSamples(graph, node);
  return !isSignificant(verdict);
}

/** The mark of a node; none for what is quiet, but for what came, went or moved. */
export function glyphOf(graph: FlameGraph, node: number, mode: ColourMode): string {
  const verdict = graph.effects?.verdict[node];
  if (mode === 'significance' && verdict !== undefined) {
    const told = isSignificant(verdict) || verdict === Verdict.moved || verdict === Verdict.movedWithin;
    return told ? verdictGlyph(verdict) : '';
  }
  const change = kindOfChange(graph, node);
  const vague = change !== 'new' && change !== 'gone' && tooFewSamples(graph, node);
  return vague ? '' : GLYPHS[change];
}

/**
 * Colour by absolute change: the largest change of any node is the strongest blue or red. The square root keeps a change of a
 * tenth of the largest visible; grey means no change. By ratio: four times, or a quarter, has the strongest colour.
 */
export function differenceColours(graph: FlameGraph, mode: ColourMode): (node: number) => FramePaint {
  const steps = paintSteps();
  const middle = (steps.length - 1) / 2;
  const strengthOf = mode === 'ratio' ? ratioStrength(graph) : changeStrength(graph);
  const floor = mode === 'significance' && graph.effects ? SIGNIFICANT_MIN : 0;
  return (node) => {
    const strength = strengthOf(node);
    const size = Math.max(Math.abs(strength), strength === 0 ? 0 : floor);
    return steps[Math.round(middle + Math.sign(strength) * size * STRONGEST * middle)]!;
  };
}

/** −1 … 1 by absolute change. */
function changeStrength(graph: FlameGraph): (node: number) => number {
  let largest = 0;
  for (let node = 0; node < graph.count; node++) largest = Math.max(largest, Math.abs(changeOfNode(graph, node)));
  const size = scalePow()
    .exponent(0.5)
    .domain([0, largest || 1]);
  return (node) => {
    const change = changeOfNode(graph, node);
    return Math.sign(change) * size(Math.abs(change));
  };
}

/** −1 … 1 by the logarithm of new / base. */
function ratioStrength(graph: FlameGraph): (node: number) => number {
  return (node) => {
    const base = graph.costs.total[node]!;
    const later = graph.newCosts?.total[node] ?? 0;
    if (base === later) return 0;
    const turns = Math.log(later / base) / Math.log(RATIO_MAX); // infinite for what came or went
    return Math.max(-1, Math.min(1, turns));
  };
}

/** From pure blue over grey to pure red, with the text that reads on each. */
export function paintSteps(count = 65): FramePaint[] {
  const cooler = interpolateLab(SAME, LESS);
  const warmer = interpolateLab(SAME, MORE);
  return Array.from({ length: count }, (_, step) => {
    const at = (step / (count - 1)) * 2 - 1;
    const fill = at < 0 ? cooler(-at) : warmer(at);
    return paintFrom(fill, readableOn(fill));
  });
}
