// The measures of a run as a list to choose from.
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../core/foreignText.ts';
import { measureNames } from '../../../core/measureText.ts';
import { valueText } from '../../../core/numbersAsText.ts';
import type { RunOpened } from '../../../core/wire.ts';

export interface MeasureItem {
  readonly label: string;
  readonly description: string;
  readonly value: number; // index into the run's values
  readonly isShown: boolean;
}

type Measured = Pick<RunOpened, 'values' | 'defaultValue' | 'totalValue'>;

/** All that the run has, in its order; `shown` is the one of now. The name of the file, with its unit, stands behind the words. */
export function measureItems({ values, defaultValue, totalValue }: Measured, shown: number): MeasureItem[] {
  const names = measureNames(values);
  return values.map(({ type, unit }, value) => {
    const facts = [
      [type, unit]
        .filter(Boolean)
        .map((text) => visibleText(text))
        .join(', '),
      // The engine tells the total of this one with the run; others would take it a pass over all samples each.
      value === defaultValue ? valueText(totalValue, unit) : '',
      value === shown ? l10n.t('shown now') : '',
    ];
    return { label: names[value]!, description: facts.filter(Boolean).join(' · '), value, isShown: value === shown };
  });
}
