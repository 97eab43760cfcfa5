// How much of a run is selected, by the measure that is shown.

import type { SelectedFigures } from '../../../core/numbersAsText.ts';
import { countOf } from '../../../core/sampleCount.ts';
import type { RunOpened, Selected } from '../../../core/wire.ts';

type Opened = Pick<RunOpened, 'values' | 'totals'>;

/** `selected` undefined: all of the run. `value`: index into the run's values. */
export function selectedFigures(
  opened: Opened,
  selected: Pick<Selected, 'totals'> | undefined,
  value: number,
): SelectedFigures & { readonly unit: string } {
  const measure = opened.values[value];
  const counting = { samplesUnknown: measure?.samplesUnknown ?? false };
  const all = opened.totals[value] ?? { samples: 0, value: 0 };
  const part = selected ? (selected.totals[value] ?? { samples: 0, value: 0 }) : all;
  return {
    samples: countOf(part.samples, counting),
    value: part.value,
    runSamples: countOf(all.samples, counting),
    runValue: all.value,
    isComplete: measure?.complete ?? false,
    unit: measure?.unit ?? '',
  };
}
