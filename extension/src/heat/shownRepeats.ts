// The runs of a command in one run file, as the rows of a table.
import * as l10n from '@vscode/l10n';
import { countText, durationText } from '../../../core/numbersAsText.ts';
import type { ShownRepeat } from '../../../core/webviewMessages.ts';
import type { Execution } from '../../../core/wire.ts';

/** Cells as in `repeatHeads`; nothing for a command that was run once. */
export function shownRepeats(executions: readonly Execution[]): ShownRepeat[] {
  if (executions.length < 2) return [];
  let number = 0;
  return executions.map(({ wallNs, userNs, systemNs, work, samples, warmUp, outlier }) => ({
    cells: [
      warmUp ? l10n.t('warm-up') : String(++number),
      durationText(wallNs),
      durationText(userNs),
      durationText(systemNs),
      work > 0 ? workText(work) : '–',
      warmUp ? '–' : countText(samples),
    ],
    warmUp,
    outlier,
  }));
}

const workText = (work: number): string => (Number.isInteger(work) ? countText(work) : work.toPrecision(6));
