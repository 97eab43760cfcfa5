// The hover of a hot line as Markdown. Every name in it is foreign text, so each is escaped; links carry numbers only.
import * as l10n from '@vscode/l10n';
import {
  type Compared,
  intervalText,
  perText,
  qText,
  relativeText,
  sideWords,
  untestedText,
  Verdict,
  verdictGlyph,
  verdictText,
} from '../../../core/changeText.ts';
import { markdownText } from '../../../core/foreignText.ts';
import { countedIn, hasChoice, measureName, measureNames, type ShownMeasure } from '../../../core/measureText.ts';
import {
  countText,
  difference,
  percentText,
  pointsText,
  samplesText,
  share,
  valueChangeText,
  valueText,
} from '../../../core/numbersAsText.ts';
import { areFew, type Counted, chanceCountOf, countOf, type SampleCount } from '../../../core/sampleCount.ts';
import {
  type Effect,
  effectAt,
  type FileDifference,
  type LineDetail,
  type Neighbour,
  type Place,
  type ValueType,
} from '../../../core/wire.ts';

import { measuresOfLine } from './lineMeasures.ts';
import { perCycleText } from './perCycleText.ts';

/** Remembers a place and gives the target of a link to it; undefined when there is nowhere to go. */
export type LinkTo = (place: Place) => string | undefined;

export interface HoverOf {
  /** Edited since the recording. */
  readonly changed: boolean;
  /** All of the run. */
  readonly measures: readonly ShownMeasure[];
  /** Which of them is shown. */
  readonly shown: number;
  readonly linkTo: LinkTo;
}

/** What the engine knows of a line: its figures, those of the other measures, inline chains, callers and callees. */
export function lineHover(detail: LineDetail, { changed, measures, shown, linkTo }: HoverOf): string {
  const measure = measures[shown];
  const counted = countedIn(measure?.type ?? '');
  const self = percentText(share(detail.selfValue, detail.runTotalValue));
  const total = percentText(share(detail.totalValue, detail.runTotalValue));
  // A unit that pprof does not know is foreign text like any name.
  const unit = markdownText(detail.unit, 32);
  const amount = (value: number, samples: number) => listed(valueText(value, unit), countOf(samples, detail), counted);
  const name = measure && hasChoice(measures) ? `**${markdownText(measureNames(measures)[shown]!, 80)}**` : '';
  const table = [
    `| ${name} | ${l10n.t('share')} | ${l10n.t('amount')} |\n|:--|--:|:--|`,
    `| **${l10n.t('self')}** | ${self} | ${amount(detail.selfValue, detail.selfSamples)} |`,
    `| **${l10n.t('total')}** | ${total} | ${amount(detail.totalValue, detail.totalSamples)} |`,
  ];
  const isNone = detail.totalValue <= 0 && detail.totalSamples === 0;
  const figures = isNone ? l10n.t('{0}: none at this line.', name || l10n.t('Samples')) : table.join('\n');
  const sections = [figures, ...measuresOfLine(detail.measures, measures, shown)];
  const perCycle = perCycleText(detail);
  if (perCycle) sections.push(perCycle);
  if (changed)
    sections.push(l10n.t('≈ This line was edited since the recording. The figures belong to its earlier text.'));
  if (!isNone && areFew(chanceCountOf(detail.totalSamples, detail)))
    sections.push(l10n.t('Few samples: the true share may differ a lot.'));
  const chains = detail.inlineChains.filter((chain) => chain.places.length > 1);
  if (chains.length > 0) {
    const lines = chains.map(({ places, samples }) => {
      const count = samplesText(countOf(samples, detail), counted);
      return `- ${places.map((place) => placeText(place, linkTo)).join(' ← ')}${count && ` (${count})`}`;
    });
    sections.push(`**${l10n.t('Inlined into')}**\n\n${lines.join('\n')}`);
  }
  const of = { detail, counted, linkTo };
  sections.push(...neighbours(l10n.t('Called by'), detail.callers, of));
  sections.push(...neighbours(l10n.t('Calls'), detail.callees, of));
  return sections.join('\n\n');
}

/** `5.00 ms, 5 samples`. */
const listed = (text: string, samples: SampleCount, counted: Counted): string =>
  [text, samplesText(samples, counted)].filter(Boolean).join(', ');

/** How a comparison was made, in the engine's words. */
export interface Method {
  readonly method: string;
  /** What a value is per: `run`, `unit of work` … */
  readonly per: string;
  /** Of parts of one run. */
  readonly partNames?: readonly string[];
  /** What was compared; CPU time where the engine does not say. */
  readonly value?: Pick<ValueType, 'type' | 'unit'> | null;
}

const CPU = { type: 'cpu', unit: 'nanoseconds' };

/** Base, new and difference of one row of a comparison, with interval, q and method where the engine says them. */
export function differenceHover(
  ofFile: FileDifference,
  row: number,
  { method, per, value, partNames }: Method,
): string {
  // A unit that pprof does not know is foreign text like any name.
  const unit = markdownText(ofFile.unit, 32);
  const figures = (base: number, now: number) => {
    const shares = [share(base, ofFile.baseTotal), share(now, ofFile.newTotal)] as const;
    const amount = (value: number, part: number) => `${valueText(value, unit)} (${percentText(part)})`;
    const change = `${valueChangeText(difference(base, now), unit)} (${pointsText(...shares)})`;
    return `${amount(base, shares[0])} | ${amount(now, shares[1])} | ${change}`;
  };
  const counted = countedIn((value ?? CPU).type);
  const samples = [ofFile.baseSamples[row]!, ofFile.newSamples[row]!].map((count) => countOf(count, ofFile));
  const self = effectAt(ofFile.selfEffects, row);
  const total = effectAt(ofFile.totalEffects, row);
  const sides = sideWords(partNames ?? []).map((word) => markdownText(word, 60));
  const sections = [
    [
      `| | ${sides[0]} | ${sides[1]} | ${l10n.t('difference')} |\n|:--|--:|--:|--:|`,
      `| **${l10n.t('self')}** | ${figures(ofFile.baseSelf[row]!, ofFile.newSelf[row]!)} |`,
      `| **${l10n.t('total')}** | ${figures(ofFile.baseTotalOfLine[row]!, ofFile.newTotalOfLine[row]!)} |`,
      ...samplesRow(ofFile, row, counted),
    ].join('\n'),
  ];
  const of = { unit, per };
  const said = [effectSentence(l10n.t('self'), self, of), effectSentence(l10n.t('total'), total, of)].filter(Boolean);
  if (said.length > 0) sections.push(said.map((sentence) => `- ${sentence}`).join('\n'));
  else if (samples.every(areFew))
    sections.push(counted === 'waits' ? l10n.t('Too few waits to compare.') : l10n.t('Too few samples to compare.'));
  if (ofFile.changed[row]!) sections.push(l10n.t('≈ This line was edited since a recording.'));
  const how = [per && `${markdownText(perText(per, measureName(value ?? CPU)), 100)}.`, markdownText(method, 400)]
    .filter(Boolean)
    .join(' ');
  if (how) sections.push(`*${how}*`);
  return sections.join('\n\n');
}

/** Nothing where nobody knows the samples. */
function samplesRow({ baseSamples, newSamples, samplesUnknown }: FileDifference, row: number, counted: Counted) {
  if (samplesUnknown) return [];
  const title = counted === 'waits' ? l10n.t('waits') : l10n.t('samples');
  return [`| **${title}** | ${countText(baseSamples[row]!)} | ${countText(newSamples[row]!)} | |`];
}

/** `**self** ▲ slower: +4.1 %, 95 % interval +3.5 to +4.7 %, q 0.004`. */
function effectSentence(what: string, effect: Effect | undefined, of: Compared): string {
  if (!effect) return '';
  const glyph = verdictGlyph(effect.verdict);
  if (effect.verdict === Verdict.tooFew) {
    const change = relativeText(effect.change);
    return `**${what}** ${glyph} ${change ? `${change}, ` : ''}${untestedText(effect.missingExecutions)}`;
  }
  const interval = intervalText(effect.low, effect.high);
  const facts = [relativeText(effect.change), interval && `95 % interval ${interval}`, qText(effect.q)].filter(Boolean);
  return `**${what}** ${glyph} ${verdictText(effect.verdict, of)}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
}

interface NeighboursOf {
  readonly detail: LineDetail;
  readonly counted: Counted;
  readonly linkTo: LinkTo;
}

function neighbours(title: string, list: readonly Neighbour[], { detail, counted, linkTo }: NeighboursOf): string[] {
  if (list.length === 0) return [];
  const lines = list.map(({ place, value, samples, kernel }) => {
    const name = place ? placeText(place, linkTo) : l10n.t('unknown');
    const where = kernel ? ` (${l10n.t('kernel')})` : '';
    const part = percentText(share(value, detail.runTotalValue));
    return `- ${listed(`${part} ${name}${where}`, countOf(samples, detail), counted)}`;
  });
  return [`**${title}**\n\n${lines.join('\n')}`];
}

function placeText(place: Place, linkTo: LinkTo): string {
  const file = place.path.slice(place.path.lastIndexOf('/') + 1);
  const where = file && place.line > 0 ? ` ${markdownText(`${file}:${place.line}`, 128)}` : '';
  const name = markdownText(place.function || l10n.t('unknown'), 160);
  const link = linkTo(place);
  return `${link ? `[${name}](${link})` : name}${where}`;
}
