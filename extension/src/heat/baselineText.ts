// Which runs are held against the pinned baseline, and the verdict in the few words that a row of the Runs view has room for.
import * as l10n from '@vscode/l10n';
import { isSignificant, Verdict, verdictGlyph, verdictText } from '../../../core/changeText.ts';
import { isTime, percentText } from '../../../core/numbersAsText.ts';
import type { ComparisonOpened, RunSummary } from '../../../core/wire.ts';
import { hasSamples } from './runText.ts';

type Whole = Pick<ComparisonOpened, 'sentence' | 'verdict' | 'change' | 'low' | 'high' | 'value'>;

/** Later runs of the same program that can be read. */
export const isHeldAgainst = (baseline: RunSummary, run: RunSummary): boolean =>
  run.path !== baseline.path &&
  !run.problem &&
  hasSamples(run) &&
  run.target === baseline.target &&
  run.startedUnixMs > baseline.startedUnixMs;

/** `▲ 7.9 % slower than baseline`; empty when the engine says nothing of the whole. */
export function baselineVerdict({ sentence, verdict, change, low, high, value }: Whole): string {
  if (!sentence && !Number.isFinite(change)) return '';
  const glyph = verdictGlyph(verdict);
  const unit = value?.unit ?? 'nanoseconds';
  const hasDirection = verdict === Verdict.slower || verdict === Verdict.faster;
  if (hasDirection && !isTime(unit)) {
    const much = percentText(Math.abs(change));
    return verdict === Verdict.slower
      ? l10n.t('{0} {1} more than baseline', glyph, much)
      : l10n.t('{0} {1} less than baseline', glyph, much);
  }
  if (verdict === Verdict.slower) return l10n.t('{0} {1} slower than baseline', glyph, percentText(Math.abs(change)));
  if (verdict === Verdict.faster) return l10n.t('{0} {1} faster than baseline', glyph, percentText(Math.abs(change)));
  if (isSignificant(verdict)) return l10n.t('{0} {1} against baseline', glyph, verdictText(verdict, { unit, per: '' }));
  if (verdict === Verdict.tooFew) return l10n.t('{0} not testable against baseline', glyph);
  const known = Number.isFinite(low) && Number.isFinite(high);
  if (!known) return l10n.t('{0} like baseline', glyph);
  return l10n.t('{0} like baseline, within {1}', glyph, percentText(Math.max(Math.abs(low), Math.abs(high))));
}
