// What the prompts of a repeated recording take: how often, and the work that each run does.
import * as l10n from '@vscode/l10n';

/** Units of work: a number, or a regular expression over the program's output; neither when it is not known. */
export interface WorkCount {
  readonly work: number;
  readonly workFrom: string;
}

/** `""`, `1000000`, or `items: (\d+)`; a sentence about what is wrong with it otherwise. */
export function parseWork(text: string): WorkCount | string {
  const trimmed = text.trim();
  if (trimmed === '') return { work: 0, workFrom: '' };
  const number = Number(trimmed.replaceAll('_', ''));
  if (Number.isFinite(number))
    return number > 0 ? { work: number, workFrom: '' } : l10n.t('Work must be a number above 0.');
  if (!/\((?!\?)/.test(trimmed)) return l10n.t('Put the number into a group, such as items: (\\d+)');
  return { work: 0, workFrom: trimmed };
}

/** A whole number from `low` to `high`; a sentence otherwise. */
export function parseCount(text: string, low: number, high: number): number | string {
  const count = Number(text.trim());
  const fits = text.trim() !== '' && Number.isInteger(count) && count >= low && count <= high;
  return fits ? count : l10n.t('Enter a whole number from {0} to {1}.', low, high);
}
