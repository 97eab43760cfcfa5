// Instructions per cycle of a line, for its hover.
import * as l10n from '@vscode/l10n';
import type { LineDetail } from '../../../core/wire.ts';

type Ratio = NonNullable<LineDetail['selfPerCycle']>;

/** `Instructions per cycle: 1.42 self (1.30 to 1.55), 0.90 total (0.85 to 0.95)`; empty where the counters have no samples. */
export function perCycleText({ selfPerCycle, totalPerCycle }: LineDetail): string {
  const text = ({ value, low, high }: Ratio, what: string) => {
    const [of, from, to] = [value, low, high].map((each) => each.toFixed(2));
    return l10n.t('{0} {1} ({2} to {3})', of!, what, from!, to!);
  };
  const parts = [
    ...(selfPerCycle ? [text(selfPerCycle, l10n.t('self'))] : []),
    ...(totalPerCycle ? [text(totalPerCycle, l10n.t('total'))] : []),
  ];
  return parts.length > 0 ? l10n.t('Instructions per cycle: {0}', parts.join(', ')) : '';
}
