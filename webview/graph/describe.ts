// A node told in words, for the tooltip, the line under the graph and screen readers. Foreign names are made visible.
import * as l10n from '@vscode/l10n';
import {
  type Compared,
  changeText,
  intervalText,
  qText,
  relativeText,
  sideWords,
  untestedText,
  Verdict,
  verdictGlyph,
  verdictText,
} from '../../core/changeText.ts';
import { visibleText } from '../../core/foreignText.ts';
import { countedIn } from '../../core/measureText.ts';
import {
  difference,
  percentText,
  pointsText,
  samplesText,
  share,
  valueChangeText,
  valueText,
} from '../../core/numbersAsText.ts';
import type { SampleCount } from '../../core/sampleCount.ts';
import type { Effects } from '../content/effects.ts';
import type { Costs, FlameGraph } from '../content/flameGraph.ts';
import { FrameKind, frameFile, frameModule, frameName } from '../content/frameTable.ts';
import { tooFewSamples } from './difference.ts';
import { weightOf } from './layout.ts';

const NAME_LIMIT = 2000; // characters of a name in full; C++ templates get long

export interface Figure {
  readonly label: string;
  readonly cells: readonly string[];
}

export interface Description {
  readonly name: string;
  readonly place: string; // module · file:line · what kind of frame
  readonly head: readonly string[]; // of the figures' columns; empty for one run
  readonly figures: readonly Figure[];
  readonly note: string;
}

const TOTAL = l10n.t('Total');

const KIND_TEXT: Record<number, string> = {
  [FrameKind.inlined]: l10n.t('inlined'),
  [FrameKind.kernel]: l10n.t('kernel'),
  [FrameKind.unknown]: l10n.t('no symbol'),
  [FrameKind.interrupts]: l10n.t('kernel, not called from here'),
};

export const nodeName = (graph: FlameGraph, node: number, limit = NAME_LIMIT): string =>
  visibleText(frameName(graph.frames, graph.frame[node]!), limit);

export function describeNode(graph: FlameGraph, node: number): Description {
  const { newCosts } = graph;
  return {
    name: nodeName(graph, node),
    place: placeOf(graph, node),
    head: newCosts ? [...sideWords(graph.partNames), l10n.t('change')] : [],
    figures: newCosts ? comparedFigures(graph, node, newCosts) : figuresOf(graph, node),
    note: noteOf(graph, node),
  };
}

/**
 * A run of boxes too narrow to draw, `first` up to but without `end`, all below one parent. Figures are those of the
 * heaviest of them: what they are together, no figure of the engine says.
 */
export function describeRun(graph: FlameGraph, first: number, end: number): Description {
  let heaviest = first;
  let calls = 0;
  for (let node = first; node < end; node = graph.end[node]!) {
    if (weightOf(graph, node) > weightOf(graph, heaviest)) heaviest = node;
    calls++;
  }
  const { head, figures } = describeNode(graph, heaviest);
  const frames = end - first;
  const total = figures.filter(({ label }) => label === TOTAL);
  return {
    name:
      calls === 1
        ? nodeName(graph, first, 200)
        : l10n.t('{0} narrow calls, the heaviest is {1}', calls, nodeName(graph, heaviest, 120)),
    place:
      frames === 1
        ? l10n.t('{0} frame, too narrow to draw: click to zoom in', frames)
        : l10n.t('{0} frames, too narrow to draw: click to zoom in', frames),
    head,
    figures: calls === 1 ? total : total.map(({ cells }) => ({ label: l10n.t('Heaviest'), cells })),
    note: '',
  };
}

/** One line of plain words. */
export function sentenceOf({ name, place, head, figures, note }: Description): string {
  const told = figures.map(({ label, cells }) => {
    const words = cells.map((cell, i) => (head.length > 0 && cell !== '' ? `${head[i]} ${cell}` : cell));
    return `${label} ${words.filter((word) => word !== '').join(', ')}`;
  });
  return [name, place, ...told, note].filter((part) => part !== '').join('; ');
}

/** One line with the figures first, where the end of a long name may be cut. */
export function lineOf(description: Description): string {
  const { name, place, head, figures } = description;
  const told = figures.slice(0, 2).map(({ label, cells }) => {
    const shown = head.length > 0 ? [`${cells[0]} → ${cells[1]}`, cells[2]!] : cells;
    return `${label} ${shown.join(', ')}`;
  });
  return [...told, name, place].filter((part) => part !== '').join('  ·  ');
}

/** `module · file:line · kind`, as much as is known. */
export function placeOf(graph: FlameGraph, node: number): string {
  const { frames } = graph;
  const frame = graph.frame[node]!;
  const line = graph.line[node]! || frames.line[frame]!;
  const file = visibleText(frameFile(frames, frame));
  const parts = [
    visibleText(frameModule(frames, frame)),
    file && (line > 0 ? `${file}:${line}` : file),
    KIND_TEXT[frames.kind[frame]!] ?? '',
    frames.collapsed.has(frame) ? l10n.t('collapsed: click to show what it calls') : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function figuresOf(graph: FlameGraph, node: number): Figure[] {
  const { costs, unit } = graph;
  const counted = countedIn(graph.type);
  const whole = costs.total[0]!;
  const cells = (value: number, samples: SampleCount) =>
    // What counts samples is told once.
    [
      percentText(share(value, whole)),
      unit === 'count' && value === samples ? '' : valueText(value, unit),
      samplesText(samples, counted),
    ].filter(Boolean);
  return [
    { label: l10n.t('Self'), cells: cells(costs.self[node]!, costs.selfSamples?.[node]) },
    { label: TOTAL, cells: cells(costs.total[node]!, costs.totalSamples?.[node]) },
  ];
}

function comparedFigures(graph: FlameGraph, node: number, later: Costs): Figure[] {
  const { costs } = graph;
  const counted = countedIn(graph.type);
  const shares = [costs, later].map(({ total }) => share(total[node]!, total[0]!)) as [number, number];
  return [
    { label: l10n.t('Self'), cells: changeCells(costs.self[node]!, later.self[node]!, graph) },
    { label: TOTAL, cells: changeCells(costs.total[node]!, later.total[node]!, graph) },
    { label: l10n.t('Share'), cells: [...shares.map(percentText), pointsText(...shares)] },
    ...(costs.totalSamples && later.totalSamples
      ? [
          {
            label: counted === 'waits' ? l10n.t('Waits') : l10n.t('Samples'),
            cells: [...[costs, later].map(({ totalSamples }) => samplesText(totalSamples?.[node], counted)), ''],
          },
        ]
      : []),
  ];
}

/** The relative change stands in the note, with its interval. */
const changeCells = (base: number, later: number, { unit }: FlameGraph): string[] => [
  valueText(base, unit),
  valueText(later, unit),
  valueChangeText(difference(base, later), unit),
];

function noteOf(graph: FlameGraph, node: number): string {
  if (!graph.newCosts) return tooFewSamples(graph, node) ? l10n.t('Fewer than 10 samples: a rough figure.') : '';
  if (graph.effects) return effectNote(graph.effects, node, graph);
  return tooFewSamples(graph, node) ? l10n.t('Fewer than 10 samples in both runs together: too few to compare.') : '';
}

/** `▲ slower: +4.1 % ±0.6 (95 %: +3.5 to +4.7 %), q 0.004`. */
export function effectNote(effects: Effects, row: number, of: Compared): string {
  const verdict = effects.verdict[row]!;
  const glyph = verdictGlyph(verdict);
  const [change, low, high] = [effects.change[row]!, effects.low[row]!, effects.high[row]!];
  const interval = intervalText(low, high);
  if (verdict === Verdict.tooFew) {
    return [glyph, relativeText(change), untestedText(effects.missingExecutions[row]!)].filter(Boolean).join(' ');
  }
  const told = changeText({ change, low, high });
  const figures = [told, interval && `95 % interval ${interval}`, qText(effects.q[row]!)].filter(Boolean).join(', ');
  return `${glyph} ${verdictText(verdict, of)}${figures ? `: ${figures}` : ''}`;
}
