// How a node of a comparison differs: sign, glyph and colour. Blue costs less, red costs more, each doubled by a glyph.
import { interpolateLab } from 'd3-interpolate';
import { scalePow } from 'd3-scale';
import type { FlameGraph } from '../content/flameGraph.ts';
import { readableOn } from './colourContrast.ts';
import { type FramePaint, paintFrom } from './frameColours.ts';

/** Below this many samples on both sides together a difference means nothing. */
export const SAMPLES_MIN = 10;

export const LESS = 'rgb(26, 133, 255)';
export const SAME = 'rgb(148, 142, 142)';
export const MORE = 'rgb(220, 50, 32)';

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

export const tooFewSamples = (graph: FlameGraph, node: number): boolean =>
  graph.costs.totalSamples[node]! + (graph.newCosts?.totalSamples[node] ?? 0) < SAMPLES_MIN;

/**
 * Colour by absolute change: the largest change of any node is pure blue or red. The square root keeps a change of a
 * tenth of the largest visible; grey means no change.
 */
export function differenceColours(graph: FlameGraph): (node: number) => FramePaint {
  let largest = 0;
  for (let node = 0; node < graph.count; node++) largest = Math.max(largest, Math.abs(changeOfNode(graph, node)));
  const steps = paintSteps();
  const middle = (steps.length - 1) / 2;
  const strength = scalePow()
    .exponent(0.5)
    .domain([0, largest || 1])
    .range([0, middle]);
  return (node) => {
    const change = changeOfNode(graph, node);
    return steps[Math.round(middle + Math.sign(change) * strength(Math.abs(change)))]!;
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
