// The hover of a hot line as Markdown. Every name in it is foreign text, so each is escaped; links carry numbers only.
import { intervalText, perText, qText, relativeText, Verdict, verdictWords } from '../../../core/changeText.ts';
import { markdownText } from '../../../core/foreignText.ts';
import { FEW_SAMPLES } from '../../../core/heatLevels.ts';
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
import {
  type Effect,
  effectAt,
  type FileDifference,
  type LineDetail,
  type Neighbour,
  type Place,
} from '../../../core/wire.ts';

/** Remembers a place and gives the target of a link to it; undefined when there is nowhere to go. */
export type LinkTo = (place: Place) => string | undefined;

/** What the engine knows of a line: own figures, inline chains, callers and callees. */
export function lineHover(detail: LineDetail, changed: boolean, linkTo: LinkTo): string {
  const self = percentText(share(detail.selfValue, detail.runTotalValue));
  const total = percentText(share(detail.totalValue, detail.runTotalValue));
  // A unit that pprof does not know is foreign text like any name.
  const unit = markdownText(detail.unit, 32);
  const amount = (value: number, samples: number) => `${valueText(value, unit)}, ${samplesText(samples)}`;
  const parts = [
    '| | share | amount |\n|:--|--:|:--|',
    `| **self** | ${self} | ${amount(detail.selfValue, detail.selfSamples)} |`,
    `| **total** | ${total} | ${amount(detail.totalValue, detail.totalSamples)} |`,
  ];
  const sections = [parts.join('\n')];
  if (changed) sections.push('≈ This line was changed since the recording: the figures are of its former text.');
  if (detail.totalSamples < FEW_SAMPLES) sections.push('So few samples say little: the true share may be far off.');
  const chains = detail.inlineChains.filter((chain) => chain.places.length > 1);
  if (chains.length > 0) {
    const lines = chains.map(
      ({ places, samples }) =>
        `- ${places.map((place) => placeText(place, linkTo)).join(' ← ')} (${samplesText(samples)})`,
    );
    sections.push(`**Inlined into**\n\n${lines.join('\n')}`);
  }
  sections.push(...neighbours('Called by', detail.callers, detail, linkTo));
  sections.push(...neighbours('Calls', detail.callees, detail, linkTo));
  return sections.join('\n\n');
}

/** How a comparison was made, in the engine's words. */
export interface Method {
  readonly method: string;
  /** What a value is per: `run`, `unit of work` … */
  readonly per: string;
}

/** Base, new and difference of one row of a comparison, with interval, q and method where the engine says them. */
export function differenceHover(ofFile: FileDifference, row: number, { method, per }: Method): string {
  const figures = (base: number, now: number) => {
    const shares = [share(base, ofFile.baseTotal), share(now, ofFile.newTotal)] as const;
    const amount = (value: number, part: number) => `${valueText(value, 'nanoseconds')} (${percentText(part)})`;
    const change = `${valueChangeText(difference(base, now), 'nanoseconds')} (${pointsText(...shares)})`;
    return `${amount(base, shares[0])} | ${amount(now, shares[1])} | ${change}`;
  };
  const samples = [ofFile.baseSamples[row]!, ofFile.newSamples[row]!] as const;
  const self = effectAt(ofFile.selfEffects, row);
  const total = effectAt(ofFile.totalEffects, row);
  const sections = [
    [
      '| | base | new | difference |\n|:--|--:|--:|--:|',
      `| **self** | ${figures(ofFile.baseSelf[row]!, ofFile.newSelf[row]!)} |`,
      `| **total** | ${figures(ofFile.baseTotalOfLine[row]!, ofFile.newTotalOfLine[row]!)} |`,
      `| **samples** | ${countText(samples[0])} | ${countText(samples[1])} | |`,
    ].join('\n'),
  ];
  const said = [effectSentence('self', self), effectSentence('total', total)].filter(Boolean);
  if (said.length > 0) sections.push(said.map((sentence) => `- ${sentence}`).join('\n'));
  else if (Math.max(...samples) < FEW_SAMPLES) sections.push('So few samples cannot carry a ofFile.');
  if (ofFile.changed[row]!) sections.push('≈ This line was changed since a recording.');
  const how = [per && `${markdownText(perText(per), 100)}.`, markdownText(method, 400)].filter(Boolean).join(' ');
  if (how) sections.push(`*${how}*`);
  return sections.join('\n\n');
}

/** `**self** ▲ slower: +4.1 %, 95 % interval +3.5 to +4.7 %, q 0.004`. */
function effectSentence(what: string, effect: Effect | undefined): string {
  const words = effect && verdictWords[effect.verdict];
  if (!effect || !words) return '';
  if (effect.verdict === Verdict.tooFew) {
    const change = relativeText(effect.change);
    return `**${what}** ${words.glyph} ${change ? `${change}, ` : ''}${words.text}`;
  }
  const interval = intervalText(effect.low, effect.high);
  const facts = [relativeText(effect.change), interval && `95 % interval ${interval}`, qText(effect.q)].filter(Boolean);
  return `**${what}** ${words.glyph} ${words.text}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
}

function neighbours(title: string, list: readonly Neighbour[], detail: LineDetail, linkTo: LinkTo): string[] {
  if (list.length === 0) return [];
  const lines = list.map(({ place, value, samples, kernel }) => {
    const name = place ? placeText(place, linkTo) : 'unknown';
    const where = kernel ? ' (kernel)' : '';
    return `- ${percentText(share(value, detail.runTotalValue))} ${name}${where}, ${samplesText(samples)}`;
  });
  return [`**${title}**\n\n${lines.join('\n')}`];
}

function placeText(place: Place, linkTo: LinkTo): string {
  const file = place.path.slice(place.path.lastIndexOf('/') + 1);
  const where = file && place.line > 0 ? ` ${markdownText(`${file}:${place.line}`, 128)}` : '';
  const name = markdownText(place.function || 'unknown', 160);
  const link = linkTo(place);
  return `${link ? `[${name}](${link})` : name}${where}`;
}
