// What a line has of each measure of its run, as Markdown: each with its share of its own total, and why threads waited at it.
import * as l10n from '@vscode/l10n';
import { markdownText } from '../../../core/foreignText.ts';
import { countedIn, measureNames, type ShownMeasure } from '../../../core/measureText.ts';
import { percentText, samplesText, share, valueText } from '../../../core/numbersAsText.ts';
import type { LineMeasure, LineReason } from '../../../core/wire.ts';

const REASONS_MAX = 4;
const HOLDERS_MAX = 3;

/**
 * Why threads waited at the line, where waiting time is shown, who held the locks that they waited for and who ended the waits, then a line for each other
 * measure that the line has. Left out is what says less of the same events, which is in the line of its measure. `shown`: index into
 * `measures`, which are all of the run.
 */
export function measuresOfLine(
  ofLine: readonly LineMeasure[],
  measures: readonly ShownMeasure[],
  shown: number,
): string[] {
  const names = measureNames(measures);
  const ofShown = ofLine.find(({ value }) => value === shown);
  const unit = measures[shown]?.unit ?? '';
  const reasons = reasonsText(ofShown?.reasons ?? [], { unit });
  const causes = ofLine.find((of) => of.holders.length > 0 || of.wakers.length > 0);
  const unitOfCauses = measures[causes?.value ?? shown]?.unit ?? '';
  const holders = holdersText(causes?.holders, unitOfCauses);
  const wakers = holdersText(causes?.wakers, unitOfCauses);
  const others = ofLine.filter(({ value }) => value !== shown && measures[value]?.isDetail === false);
  // Of the same events as what is shown: the table above has it.
  const told = others.filter(({ value }) => !sameEvents(measures[shown], measures[value]));
  const lines = told.map((of) => `- ${otherText(of, measures[of.value]!, names[of.value]!)}`);
  const whom = [
    ...(holders ? [l10n.t('Lock held at: {0}', holders)] : []),
    ...(wakers ? [l10n.t('Woken from: {0}', wakers)] : []),
  ];
  const isOfShown = causes === ofShown;
  return [
    ...(reasons ? [l10n.t('Waited for: {0}', reasons)] : []),
    ...(isOfShown ? whom : []),
    ...(lines.length > 0 ? [`**${l10n.t('Also measured here')}**\n\n${lines.join('\n')}`] : []),
    ...(isOfShown ? [] : whom), // after the waits that it is about
  ];
}

/** A count of samples and the CPU time of them tell the same. */
const sameEvents = (a: ShownMeasure | undefined, b: ShownMeasure | undefined): boolean =>
  a?.family === 'cpu' && b?.family === 'cpu';

/** `waiting time: 40.2 % total, 1.20 s, 40 waits (lock 1.10 s, sleep 100 ms)`. */
function otherText(of: LineMeasure, { type, unit }: ShownMeasure, name: string): string {
  const self = percentText(share(of.selfValue, of.runTotalValue));
  const total = percentText(share(of.totalValue, of.runTotalValue));
  const parts = [];
  if (of.selfValue > 0) parts.push(l10n.t('{0} self', self));
  if (of.selfValue <= 0 || self !== total) parts.push(l10n.t('{0} total', total));
  const shares = parts.join(' · ');
  const count = of.totalSamples > 0 ? samplesText(of.totalSamples, countedIn(type)) : '';
  const amount = [valueText(of.totalValue, markdownText(unit, 32)), count].filter(Boolean).join(', ');
  const reasons = reasonsText(of.reasons, { unit });
  return `${markdownText(name, 80)}: ${shares}, ${amount}${reasons && ` (${reasons})`}`;
}

/** `hold (convoy.c:29) 1.10 s, flush (log.c:8) 90 ms`. */
function holdersText(of: LineMeasure['holders'] | undefined, unit: string): string {
  const shown = (of ?? []).slice(0, HOLDERS_MAX).map(({ place, value }) => {
    const file = place?.path.split('/').at(-1) ?? '';
    const at = file && ` (${markdownText(place?.line ? `${file}:${place.line}` : file, 80)})`;
    const held = `${markdownText(place?.function ?? '', 80)}${at}`;
    return l10n.t('{0} {1}', held, valueText(value, markdownText(unit, 32)));
  });
  return shown.join(', ');
}

interface ReasonsShown {
  readonly unit: string;
  readonly most?: number;
  /** What becomes of foreign text. */
  readonly asText?: (foreign: string, limit: number) => string;
}

/** `lock 1.10 s, sleep 100 ms`, and how many are left out; as Markdown, if not said otherwise. */
export function reasonsText(
  reasons: readonly LineReason[],
  { unit, most = REASONS_MAX, asText = markdownText }: ReasonsShown,
): string {
  const shown = reasons.slice(0, most).map(({ reason, value }) => {
    return l10n.t('{0} {1}', asText(reason, 40), valueText(value, asText(unit, 32)));
  });
  const left = reasons.length - shown.length;
  if (left === 1) shown.push(l10n.t('1 other reason'));
  if (left > 1) shown.push(l10n.t('{0} other reasons', left));
  return shown.join(', ');
}
