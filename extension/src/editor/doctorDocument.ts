// The doctor's report as a document: what this machine allows, what is missing, and the command that fixes it.
import type { DoctorReport } from '../../../core/wire.ts';
import { wire } from '../../../core/wire.ts';

const marks: Readonly<Record<number, string>> = {
  [wire.Check.State.OK]: '✓',
  [wire.Check.State.WARNING]: '!',
  [wire.Check.State.MISSING]: '✗',
};

/** The report as Markdown that reads well as plain text too. */
export function doctorText({ checks, canRecord }: DoctorReport): string {
  const verdict = canRecord
    ? 'This machine can record.'
    : 'This machine cannot record yet. What is marked ✗ is missing; saved runs can be viewed all the same.';
  const parts = checks.map(({ title, state, detail, command }) => {
    const fix = command ? `\n\n      ${command.split('\n').join('\n      ')}\n` : '';
    return `${marks[state] ?? '?'} ${title}${detail ? `\n  ${detail.split('\n').join('\n  ')}` : ''}${fix}`;
  });
  return `# Lineheat Doctor\n\n${verdict}\n\n${parts.join('\n')}\n`;
}
