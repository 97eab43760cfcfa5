// What may be said of a difference, in words: the change with its 95 % interval, the verdict with a glyph. The figures are
// the engine's; a change of which nothing can be said is an empty text.
import * as l10n from '@vscode/l10n';
import { visibleText } from './foreignText.ts';
import { capitalized } from './measureText.ts';
import { countText, isTime } from './numbersAsText.ts';

/** As in protocol/wire.proto. */
export const Verdict = {
  noise: 0,
  slower: 1,
  faster: 2,
  new: 3,
  gone: 4,
  moved: 5,
  tooFew: 6,
  movedWithin: 7,
} as const;

/** A relative change (0.25: a quarter more) with its 95 % interval; NaN where it cannot be said. */
export interface Change {
  readonly change: number;
  readonly low: number;
  readonly high: number;
}

const MINUS = '−';
/** Sides of an interval that differ by less are told as one `±`. */
const EVEN_SIDES = 1.4;

/** A mark for each verdict, so that nothing hangs on colour. */
const verdictGlyphs: Readonly<Record<number, string>> = {
  [Verdict.noise]: '○',
  [Verdict.slower]: '▲',
  [Verdict.faster]: '▼',
  [Verdict.new]: '+',
  [Verdict.gone]: '−',
  [Verdict.moved]: '→',
  [Verdict.movedWithin]: '⇄',
  [Verdict.tooFew]: '?',
};
/** A verdict that is not known here says no more than noise. */
export const verdictGlyph = (verdict: number): string => verdictGlyphs[verdict] ?? verdictGlyphs[Verdict.noise]!;

const verdictTexts: Readonly<Record<number, string>> = {
  [Verdict.noise]: l10n.t('not distinguishable from noise'),
  [Verdict.slower]: l10n.t('slower'),
  [Verdict.faster]: l10n.t('faster'),
  [Verdict.new]: l10n.t('new'),
  [Verdict.gone]: l10n.t('gone'),
  [Verdict.moved]: l10n.t('moved'),
  [Verdict.movedWithin]: l10n.t('moved within'),
  [Verdict.tooFew]: l10n.t('not enough independent samples for a test'),
};
const MORE = l10n.t('more');
const LESS = l10n.t('less');

/** What the values of a comparison are. */
export interface Compared {
  readonly unit: string;
  readonly per: string; // `execution`, `unit of work`, `wall second`, `share` …
}

/** What the sides of a comparison are called: the parts of one run by their names. */
export const sideWords = (partNames: readonly string[]): readonly [base: string, later: string] => {
  const [base, later] = partNames;
  return base && later ? [visibleText(base, 60), visibleText(later, 60)] : [l10n.t('base'), l10n.t('new')];
};

/** The same at the head of a column. */
export const sideTitles = (partNames: readonly string[]): readonly [base: string, later: string] => {
  const [base, later] = sideWords(partNames);
  return partNames.length === 0 ? [l10n.t('Base'), l10n.t('New')] : [capitalized(base), capitalized(later)];
};

/** Whether a value that grows makes the program slower: of time, a share can also grow because another one falls. */
export const isSlowness = ({ unit, per }: Compared): boolean => isTime(unit) && per !== 'share';

/** The verdict in a word: slower or faster where that is what it means, else more or less. */
export function verdictText(verdict: number, of: Compared): string {
  if (verdict === Verdict.slower && !isSlowness(of)) return MORE;
  if (verdict === Verdict.faster && !isSlowness(of)) return LESS;
  return verdictTexts[verdict] ?? verdictTexts[Verdict.noise]!;
}

/** Behind a change of which no test can be made: samples may be many, and yet follow each other too closely. */
export const UNTESTED = l10n.t('untested');

/** Why a row is untested, and, where it is for want of samples, how many more executions would do. */
export function untestedText(missingExecutions: number): string {
  if (missingExecutions === 0) return verdictTexts[Verdict.tooFew]!;
  if (missingExecutions === 1)
    return l10n.t('too few samples for a test, which needs about 1 more execution of each side');
  return l10n.t(
    'too few samples for a test, which needs about {0} more executions of each side',
    countText(missingExecutions),
  );
}

/** The verdicts that rest on more than noise and say a direction. */
export const isSignificant = (verdict: number): boolean => verdict >= Verdict.slower && verdict <= Verdict.gone;

/** `+4.1 %`, `−0.3 %`, `±0.0 %`; above tenfold `× 25`. Empty when it cannot be said. */
export function relativeText(change: number): string {
  if (!Number.isFinite(change)) return '';
  if (change >= 9.995) return `× ${(change + 1).toFixed(change < 99 ? 1 : 0)}`;
  const points = Math.abs(change * 100);
  if (points < 0.05) return '±0.0 %';
  return `${change < 0 ? MINUS : '+'}${points.toFixed(1)} %`;
}

/** `+4.1 % ±0.6`; with sides that differ much `+40.0 % (+5.0 to +90.0)`. Without an interval the change alone. */
export function changeText({ change, low, high }: Change): string {
  const text = relativeText(change);
  if (text === '' || !Number.isFinite(low) || !Number.isFinite(high)) return text;
  const [below, above] = [change - low, high - change].map((side) => Math.max(0, side)) as [number, number];
  const wider = Math.max(below, above);
  const even = wider <= EVEN_SIDES * Math.min(below, above) + 0.0005;
  if (change >= 9.995 || !even) return `${text} (${intervalText(low, high).replace(/ %$/, '')})`;
  return `${text} ±${(wider * 100).toFixed(1)}`;
}

/** `+3.5 to +4.7 %`, `−1.0 to +2.0 %`. Empty when it cannot be said. */
export function intervalText(low: number, high: number): string {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return '';
  return high >= 9.995
    ? l10n.t('{0} to {1}', relativeText(low), relativeText(high))
    : l10n.t('{0} to {1} %', points(low), points(high));
}

/** `q 0.004`, `q < 0.001`: the share of false alarms among differences at least as clear. Empty when unknown. */
export function qText(q: number): string {
  if (!Number.isFinite(q)) return '';
  return q < 0.001 ? 'q < 0.001' : `q ${q < 0.01 ? q.toFixed(3) : q.toFixed(2)}`;
}

/** `CPU time per execution` of the measure `what`; values of shares are those of the base, and of a new run that is brought to its size. */
export function perText(per: string, what: string): string {
  if (per === 'share') return l10n.t('{0}, new scaled to the size of base', what);
  return per === '' ? l10n.t('{0} per run', what) : l10n.t('{0} per {1}', what, per);
}

function points(change: number): string {
  const size = Math.abs(change * 100);
  return size < 0.05 ? '0.0' : `${change < 0 ? MINUS : '+'}${size.toFixed(1)}`;
}
