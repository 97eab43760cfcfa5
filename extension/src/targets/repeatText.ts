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

/** How often two builds run: so many times, or until a change of this size would show. */
export interface Turns {
  readonly repeat: number;
  /** Relative; 0: each time. */
  readonly until: number;
}

/** The engine's own limits. */
const TURNS_MAX_UNTIL = 100;
const UNTIL_PERCENT = { least: 0.1, most: 100 };

/** `10`, or `2%`; a sentence about what is wrong with it otherwise. */
export function parseTurns(text: string, most: number): Turns | string {
  const percent = /^([\d.]+)\s*%$/.exec(text.trim())?.[1];
  if (percent === undefined) {
    const repeat = parseCount(text, 1, most);
    return typeof repeat === 'number'
      ? { repeat, until: 0 }
      : l10n.t('Enter a whole number from {0} to {1}, or a change such as {2}.', 1, most, '2%');
  }
  const change = Number(percent);
  const { least, most: largest } = UNTIL_PERCENT;
  if (!(change >= least && change <= largest)) return l10n.t('Enter a change from {0} % to {1} %.', least, largest);
  return { repeat: TURNS_MAX_UNTIL, until: change / 100 };
}

/** A whole number from `low` to `high`; a sentence otherwise. */
export function parseCount(text: string, low: number, high: number): number | string {
  const count = Number(text.trim());
  const fits = text.trim() !== '' && Number.isInteger(count) && count >= low && count <= high;
  return fits ? count : l10n.t('Enter a whole number from {0} to {1}.', low, high);
}
