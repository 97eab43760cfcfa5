// The parameters of a sweep as a user types them: `threads=1,2,4,8 chunk=5000,20000`, and where they go in the arguments.
import * as l10n from '@vscode/l10n';
import { parseArguments } from './argumentText.ts';

export interface SweepParameter {
  readonly name: string;
  readonly values: readonly string[];
}

/** More are hours, and a typing mistake. */
export const CELLS_MAX = 1000;

/** The parameters in `text`, or a sentence about what is wrong with it. */
export function parseSweep(text: string): readonly SweepParameter[] | string {
  const words = parseArguments(text);
  if (!words) return l10n.t('A quote is left open.');
  if (words.length === 0) return l10n.t('Name at least one parameter with its values: threads=1,2,4');
  const parameters: SweepParameter[] = [];
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, Math.max(0, at));
    const values = word.slice(at + 1).split(',');
    if (!/^[A-Za-z_][\w-]*$/.test(name)) return l10n.t('"{0}" is not NAME=VALUE,VALUE…, such as threads=1,2,4', word);
    if (values.some((value) => value === '')) return l10n.t('A value of {0} is empty: write {0}=1,2,4', name);
    if (new Set(values).size < values.length) return l10n.t('{0} has the same value twice.', name);
    if (parameters.some((other) => other.name === name))
      return l10n.t('{0} is given twice: put all its values in one list.', name);
    parameters.push({ name, values });
  }
  const cells = parameters.reduce((count, { values }) => count * values.length, 1);
  if (cells > CELLS_MAX) return l10n.t('These are {0} combinations, more than {1}.', cells, CELLS_MAX);
  return parameters;
}

/** A sentence when a parameter is used nowhere, or a place names none; undefined when all fit. */
export function misfitOf(parameters: readonly SweepParameter[], texts: readonly string[]): string | undefined {
  const used = new Set(texts.flatMap((text) => [...text.matchAll(/\{([A-Za-z_][\w-]*)\}/g)].map(([, name]) => name!)));
  const unused = parameters.find(({ name }) => !used.has(name));
  if (unused) return l10n.t('The arguments do not contain {0}: put it where its value belongs.', `{${unused.name}}`);
  return undefined;
}
