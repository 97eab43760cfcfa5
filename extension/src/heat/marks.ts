// Which lines of a file are marked, how, and with what figure. Numbers are the engine's; this chooses and words them.
import { FEW_SAMPLES, type HeatLevel, heatLevel } from '../../../core/heatLevels.ts';
import { percentText, pointsText, samplesText, share, valueChangeText } from '../../../core/numbersAsText.ts';
import { type FileDifference, type FileHeat, wire } from '../../../core/wire.ts';

/** Beyond this an editor gets slow, and a reader lost: the hottest lines win. */
export const MARKS_MAX = 1000;

/** How a mark is drawn: a heat level, or a verdict of a comparison. */
export type MarkStyle = HeatLevel | 'slower' | 'faster' | 'unclear';

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
export function heatMarks(heat: FileHeat, { threshold, by }: MarkChoice): Mark[] {
  const rows = hottestRows(heat.line.length, (row) => heat.totalValueOfLine[row]!).filter(
    (row) => share(heat.totalValueOfLine[row]!, heat.totalValue) >= threshold && heat.totalSamplesOfLine[row]! > 0,
  );
  return rows
    .map((row) => {
      const changed = heat.changed[row]!;
      const level = by === 'total' ? heat.totalValueOfLine[row]! : heat.selfValue[row]!;
      const samples = by === 'total' ? heat.totalSamplesOfLine[row]! : heat.selfSamples[row]!;
      const style = changed ? 0 : heatLevel(share(level, heat.totalValue), samples, threshold);
      return { line: heat.line[row]!, style, text: `${changed ? '≈ ' : ''}${figure(heat, row)}` };
    })
    .sort((a, b) => a.line - b.line);
}

/** The marks of the difference between two runs, in line order. */
export function differenceMarks(difference: FileDifference, { threshold }: MarkChoice): Mark[] {
  const { baseTotal, newTotal, baseTotalOfLine, newTotalOfLine } = difference;
  const weight = (row: number) =>
    Math.max(share(baseTotalOfLine[row]!, baseTotal), share(newTotalOfLine[row]!, newTotal));
  return hottestRows(difference.line.length, weight)
    .filter((row) => weight(row) > 0 && weight(row) >= threshold)
    .map((row) => {
      const changed = difference.changed[row]! ? '≈ ' : '';
      return {
        line: difference.line[row]!,
        style: verdictStyle(difference.verdict[row]!),
        text: `${changed}${differenceFigure(difference, row)}`,
      };
    })
    .sort((a, b) => a.line - b.line);
}

/** `12.4 %` self; the total too where it differs; the samples where they are few. */
function figure(heat: FileHeat, row: number): string {
  const self = percentText(share(heat.selfValue[row]!, heat.totalValue));
  const total = percentText(share(heat.totalValueOfLine[row]!, heat.totalValue));
  const parts = [];
  if (heat.selfValue[row]! > 0) parts.push(self);
  if (heat.selfValue[row]! <= 0 || self !== total) parts.push(`${total} total`);
  const samples = heat.totalSamplesOfLine[row]!;
  if (samples < FEW_SAMPLES) parts.push(samplesText(samples));
  return parts.join(' · ');
}

function differenceFigure(difference: FileDifference, row: number): string {
  const { baseTotal, newTotal } = difference;
  const base = difference.baseTotalOfLine[row]!;
  const now = difference.newTotalOfLine[row]!;
  const glyph = { slower: '▲', faster: '▼', unclear: '○' }[verdictStyle(difference.verdict[row]!)];
  const points = pointsText(share(now, newTotal) - share(base, baseTotal));
  const text = `${glyph} ${valueChangeText(now - base, 'nanoseconds')} · ${points}`;
  const verdict = difference.verdict[row]!;
  if (verdict === wire.Verdict.VERDICT_NEW) return `${text} · new`;
  if (verdict === wire.Verdict.VERDICT_GONE) return `${text} · gone`;
  if (verdict === wire.Verdict.VERDICT_TOO_FEW) return `${text} · too few samples`;
  return text;
}

/** Noise and too few samples share one grey: a pale colour would still say a direction. */
export function verdictStyle(verdict: number): 'slower' | 'faster' | 'unclear' {
  switch (verdict) {
    case wire.Verdict.VERDICT_SLOWER:
    case wire.Verdict.VERDICT_NEW:
      return 'slower';
    case wire.Verdict.VERDICT_FASTER:
    case wire.Verdict.VERDICT_GONE:
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
