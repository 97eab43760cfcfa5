// The doctor's report as text: what this machine allows, what is missing or costs something, and the command that helps.
import * as l10n from '@vscode/l10n';
import { visibleLines } from '../../../core/foreignText.ts';
import type { DoctorReport } from '../../../core/wire.ts';
import { wire } from '../../../core/wire.ts';

export type CheckWord = 'ok' | 'costs' | 'missing';

/** Where a check stands in the text; lines are 1-based. */
export interface CheckPlace {
  readonly id: string;
  readonly word: CheckWord;
  readonly titleLine: number;
  /** The first of the command's lines; 0: it has none. */
  readonly commandLine: number;
  readonly command: string;
}

export interface DoctorText {
  readonly text: string;
  readonly checks: readonly CheckPlace[];
}

const { State } = wire.Check;
const words: Readonly<Record<number, CheckWord>> = {
  [State.OK]: 'ok',
  [State.WARNING]: 'costs',
  [State.MISSING]: 'missing',
};
const shown: Readonly<Record<CheckWord, string>> = {
  ok: `✓ ${l10n.t('ok')}`,
  costs: `! ${l10n.t('costs')}`,
  missing: `✗ ${l10n.t('missing')}`,
};

/** Width of mark and word before a title; details stand below the title. */
export const TITLE_COLUMN = 11;
const COMMAND_COLUMN = TITLE_COLUMN + 4;

/** Whether this user can record with privilege: kernel and user space, all processes of theirs. */
export function recordsWithPrivilege({ checks }: DoctorReport): boolean {
  return checks.some(({ id, state }) => id === 'recording' && state !== State.MISSING);
}

export function doctorText(report: DoctorReport): DoctorText {
  const lines = ['# Lineheat Doctor', '', verdict(report), ''];
  const places = report.checks.map(({ id, title, state, detail, command }): CheckPlace => {
    const word = words[state] ?? 'missing';
    lines.push(`${shown[word].padEnd(TITLE_COLUMN - 1)} ${visibleLines(title).replaceAll('\n', ' ')}`);
    const titleLine = lines.length;
    if (detail) lines.push(...indented(detail, TITLE_COLUMN));
    if (!command) return { id, word, titleLine, commandLine: 0, command: '' };
    lines.push('');
    const commandLine = lines.length + 1;
    lines.push(...indented(command, COMMAND_COLUMN), '');
    return { id, word, titleLine, commandLine, command };
  });
  return { text: `${lines.join('\n').trimEnd()}\n`, checks: places };
}

function verdict(report: DoctorReport): string {
  if (!report.canRecord)
    return l10n.t('This machine cannot record yet. Fix the items marked ✗. You can still view saved runs.');
  if (recordsWithPrivilege(report)) return l10n.t('This machine can record.');
  return l10n.t('This machine can record in user space only: kernel time is missing until you fix the items marked ✗.');
}

function indented(text: string, columns: number): string[] {
  return visibleLines(text)
    .split('\n')
    .map((line) => `${' '.repeat(columns)}${line}`);
}
