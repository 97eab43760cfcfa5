// Counted calls of a function, in words for its lens and its hover.
import * as l10n from '@vscode/l10n';
import { markdownText } from '../../../core/foreignText.ts';
import { countText, valueText } from '../../../core/numbersAsText.ts';
import type { CalledFunction } from '../../../core/wire.ts';

/** `1,204 calls · 3.10 µs per call (2.80 µs to 3.40 µs) · p50 2.90 µs, p99 41.0 µs`; without what is not known. */
export function callsText({ counted, calls, perCall, unit, duration }: CalledFunction): string {
  if (!counted) return l10n.t('calls not counted');
  const count = calls === 1 ? l10n.t('1 call') : l10n.t('{0} calls', countText(calls));
  const texts = [count];
  if (perCall) {
    const [value, low, high] = [perCall.value, perCall.low, perCall.high].map((each) => valueText(each, unit));
    texts.push(l10n.t('{0} per call ({1} to {2})', value!, low!, high!));
  }
  if (duration) {
    const [half, most] = [duration.p50Ns, duration.p99Ns].map((each) => valueText(each, 'nanoseconds'));
    texts.push(l10n.t('p50 {0}, p99 {1}', half!, most!));
  }
  return texts.join(' · ');
}

/** A line of Markdown for each counted function that is defined at the line; empty: there is none. */
export function callsHover(functions: readonly CalledFunction[], line: number): string {
  const here = functions.filter((one) => one.line === line);
  const lines = here.map((one) => {
    const said = [`${markdownText(one.name, 160)}: ${markdownText(callsText(one), 160)}`, markdownText(one.note, 600)];
    return `- ${said.filter(Boolean).join('. ')}`;
  });
  return lines.length > 0 ? `**${l10n.t('Counted calls')}**\n\n${lines.join('\n')}` : '';
}
