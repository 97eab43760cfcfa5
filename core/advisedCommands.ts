// The engine's sentences name commands of the command line. In the editor each of them is one of the editor's commands.
import * as l10n from '@vscode/l10n';

export const advisedCommands = ['profileRepeatedly', 'doctor'] as const;
export type AdvisedCommand = (typeof advisedCommands)[number];

export interface AdvisedPart {
  readonly command: AdvisedCommand;
  /** As the command is called in the palette. */
  readonly label: string;
}

const LABELS: Readonly<Record<AdvisedCommand, string>> = {
  profileRepeatedly: l10n.t('Profile Repeatedly…'),
  doctor: l10n.t('Doctor'),
};
const NAMED = /(--repeat \d+|`lineheat doctor`)/;

/** The sentence in pieces, with a command for each that it names. "Record both with --repeat 5." has three. */
export function withCommands(sentence: string): readonly (string | AdvisedPart)[] {
  const parts = sentence.split(NAMED).map((part, at) => (at % 2 === 0 ? part : partOf(part)));
  return parts.filter((part) => part !== '');
}

/** The same as text, for places that have no buttons. */
export function asEditorWords(sentence: string): string {
  return withCommands(sentence)
    .map((part) => (typeof part === 'string' ? part : part.label))
    .join('');
}

/** The first command that a sentence names. */
export function commandIn(sentence: string): AdvisedPart | undefined {
  return withCommands(sentence).find((part): part is AdvisedPart => typeof part !== 'string');
}

function partOf(named: string): AdvisedPart {
  const command = named.startsWith('--repeat') ? 'profileRepeatedly' : 'doctor';
  return { command, label: LABELS[command] };
}
