// Which lines of a file are marked, how, and with what figure. Numbers are the engine's; this chooses and words them.
import * as l10n from '@vscode/l10n';
import { changeText, relativeText, UNTESTED, Verdict, verdictGlyph } from '../../../core/changeText.ts';
import { visibleText } from '../../../core/foreignText.ts';
import { type HeatLevel, heatLevel } from '../../../core/heatLevels.ts';
import { type MeasureFamily, type ShownMeasure, shortMeasureName } from '../../../core/measureText.ts';
import {
  difference,
  percentText,
  pointsText,
  samplesText,
  share,
  valueChangeText,
  valueText,
} from '../../../core/numbersAsText.ts';
import { areFew, chanceCountOf } from '../../../core/sampleCount.ts';
import { type Effect, effectAt, type FileDifference, type FileHeat } from '../../../core/wire.ts';
import { reasonsText } from './lineMeasures.ts';

/** Beyond this an editor gets slow, and a reader lost: the hottest lines win. */
export const MARKS_MAX = 1000;

/** Behind a line there is little room. */
const WAIT_REASONS_MAX = 2;

/** Families of measures whose heat has colours of its own. */
export const colouredFamilies = ['waiting', 'memory'] as const;
type ColouredFamily = (typeof colouredFamilies)[number];

/** How a mark is drawn: a heat level, also in the colours of a family of measures, waits beside CPU time, or a verdict of a comparison. */
export type MarkStyle =
  | 'waits'
  | HeatLevel
  | `${ColouredFamily}${Exclude<HeatLevel, 0>}`
  | 'slower'
  | 'faster'
  | 'unclear';

export interface Mark {
  readonly line: number; // 1-based
  readonly style: MarkStyle;
  readonly text: string;
}

export interface MarkChoice {
  /** Share of the run, 0 to 1, from which a line is marked. */
  readonly threshold: number;
  /** What decides the heat level. */
  readonly by: 'total' | 'self';
}

/** The marks of a file's heat, in line order. Nothing for lines below the threshold. */
export function heatMarks(heat: FileHeat, { threshold, by }: MarkChoice, measure?: ShownMeasure): Mark[] {
  const words = measureWords(measure);
  const rows = hottestRows(heat.line.length, (row) => heat.totalValueOfLine[row]!).filter(
    (row) => share(heat.totalValueOfLine[row]!, heat.totalValue) >= threshold && heat.totalValueOfLine[row]! > 0,
  );
  return rows
    .map((row) => {
      const changed = heat.changed[row]!;
      const level = by === 'total' ? heat.totalValueOfLine[row]! : heat.selfValue[row]!;
      const samples = by === 'total' ? heat.totalSamplesOfLine[row]! : heat.selfSamples[row]!;
      const hot = changed ? 0 : heatLevel(share(level, heat.totalValue), chanceCountOf(samples, heat), threshold);
      const text = [`${changed ? '≈ ' : ''}${figure(heat, row)}`, words].filter(Boolean).join(' · ');
      return { line: heat.line[row]!, style: styleOf(hot, measure), text };
    })
    .sort((a, b) => a.line - b.line);
}

/** What threads waited for at the lines of a file, beside its CPU time, in line order: `waits: lock 3.90 s, disk 200 ms`. */
export function waitMarks({ waits, threadsNs }: FileHeat, { threshold }: MarkChoice): Mark[] {
  return hottestRows(waits.length, (row) => waits[row]!.waitedNs)
    .map((row) => waits[row]!)
    .filter(({ waitedNs }) => waitedNs > 0 && share(waitedNs, threadsNs) >= threshold)
    .map(({ line, changed, reasons }) => {
      const said = reasonsText(reasons, { unit: 'nanoseconds', most: WAIT_REASONS_MAX, asText: visibleText });
      return { line, style: 'waits' as const, text: `${changed ? '≈ ' : ''}${l10n.t('waits: {0}', said)}` };
    })
    .sort((a, b) => a.line - b.line);
}

/** In the words of figures, so that they do not rest on a colour: nothing for CPU time, and for what only its file names. */
export const measureWords = (measure: ShownMeasure | undefined): string =>
  measure && isColoured(measure.family) ? shortMeasureName(measure).toLowerCase() : '';

const isColoured = (family: MeasureFamily): family is ColouredFamily => colouredFamilies.some((one) => one === family);

function styleOf(level: HeatLevel, measure: ShownMeasure | undefined): MarkStyle {
  return level === 0 || !measure || !isColoured(measure.family) ? level : `${measure.family}${level}`;
}

/** The marks of the difference between two runs, in line order. */
export function differenceMarks(difference: FileDifference, { threshold, by }: MarkChoice): Mark[] {
  const { baseTotal, newTotal, baseTotalOfLine, newTotalOfLine } = difference;
  const weight = (row: number) =>
    Math.max(share(baseTotalOfLine[row]!, baseTotal), share(newTotalOfLine[row]!, newTotal));
  return hottestRows(difference.line.length, weight)
    .filter((row) => weight(row) > 0 && weight(row) >= threshold)
    .map((row) => {
      const effect = effectOfLine(difference, row, by);
      const changed = difference.changed[row]! ? '≈ ' : '';
      const text = effect ? effectFigure(difference, row, by, effect) : differenceFigure(difference, row);
      const style = verdictStyle(effect?.verdict ?? difference.verdict[row]!);
      return { line: difference.line[row]!, style, text: `${changed}${text}` };
    })
    .sort((a, b) => a.line - b.line);
}

/** What the engine says of a line's total or self; undefined when it says nothing beyond the verdict of the row. */
export function effectOfLine(difference: FileDifference, row: number, by: 'total' | 'self'): Effect | undefined {
  return effectAt(by === 'self' ? difference.selfEffects : difference.totalEffects, row);
}

/** `12.4 % self · 30.1 % total`; one of both where the other is none, or the same; the samples where they are few. */
function figure(heat: FileHeat, row: number): string {
  const self = percentText(share(heat.selfValue[row]!, heat.totalValue));
  const total = percentText(share(heat.totalValueOfLine[row]!, heat.totalValue));
  const parts = [];
  if (heat.selfValue[row]! > 0) parts.push(l10n.t('{0} self', self));
  if (heat.selfValue[row]! <= 0 || self !== total) parts.push(l10n.t('{0} total', total));
  const samples = chanceCountOf(heat.totalSamplesOfLine[row]!, heat);
  if (areFew(samples)) parts.push(samplesText(samples));
  return parts.join(' · ');
}

/** `▲ +4.1 % ±0.6`, `+ new 12.0 ms`, `○ +0.3 % ±1.2`. */
function effectFigure(difference: FileDifference, row: number, by: 'total' | 'self', effect: Effect): string {
  const [base, now] =
    by === 'self'
      ? [difference.baseSelf[row]!, difference.newSelf[row]!]
      : [difference.baseTotalOfLine[row]!, difference.newTotalOfLine[row]!];
  return changeFigure(effect, base, now, difference.unit);
}

/** The glyph of a verdict with the change and its interval, or what stands in place of a ratio. */
export function changeFigure(effect: Effect, base: number, now: number, unit: string): string {
  const glyph = verdictGlyph(effect.verdict);
  switch (effect.verdict) {
    case Verdict.new:
      return l10n.t('{0} new {1}', glyph, valueText(now, unit));
    case Verdict.gone:
      return l10n.t('{0} gone {1}', glyph, valueText(base, unit));
    case Verdict.tooFew:
      return [glyph, relativeText(effect.change), UNTESTED].filter(Boolean).join(' ');
    case Verdict.moved:
      return l10n.t('{0} moved {1}', glyph, valueChangeText(difference(base, now), unit));
    case Verdict.movedWithin:
      return l10n.t('{0} moved within {1}', glyph, valueChangeText(difference(base, now), unit));
    default:
      return `${glyph} ${changeText(effect) || valueChangeText(difference(base, now), unit)}`;
  }
}

/** Where the engine says no more than a verdict. */
function differenceFigure(ofFile: FileDifference, row: number): string {
  const { baseTotal, newTotal } = ofFile;
  const base = ofFile.baseTotalOfLine[row]!;
  const now = ofFile.newTotalOfLine[row]!;
  const verdict = ofFile.verdict[row]!;
  const glyph = { slower: '▲', faster: '▼', unclear: '○' }[verdictStyle(verdict)];
  const points = pointsText(share(base, baseTotal), share(now, newTotal));
  const text = `${glyph} ${valueChangeText(difference(base, now), ofFile.unit)} · ${points}`;
  if (verdict === Verdict.new) return l10n.t('{0} · new', text);
  if (verdict === Verdict.gone) return l10n.t('{0} · gone', text);
  if (verdict === Verdict.tooFew) return l10n.t('{0} · too few samples', text);
  return text;
}

/** Noise and too few samples share one grey: a pale colour would still say a direction. */
export function verdictStyle(verdict: number): 'slower' | 'faster' | 'unclear' {
  switch (verdict) {
    case Verdict.slower:
    case Verdict.new:
      return 'slower';
    case Verdict.faster:
    case Verdict.gone:
      return 'faster';
    default:
      return 'unclear';
  }
}

function hottestRows(count: number, weight: (row: number) => number): number[] {
  const rows = Array.from({ length: count }, (_, row) => row);
  if (count <= MARKS_MAX) return rows;
  return rows.sort((a, b) => weight(b) - weight(a)).slice(0, MARKS_MAX);
}
