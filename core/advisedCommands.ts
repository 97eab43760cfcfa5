// The engine's sentences name commands and flags of the command line. In the editor each of them is a command or a setting.
import * as l10n from '@vscode/l10n';

export const advisedCommands = [
  'profileRepeatedly',
  'doctor',
  'waitingSetting',
  'allocationsSetting',
  'callsSetting',
  'syscallsSetting',
  'faultsSetting',
  'wakeupsSetting',
] as const;
export type AdvisedCommand = (typeof advisedCommands)[number];

export interface AdvisedPart {
  readonly command: AdvisedCommand;
  /** As the command is called in the palette, or the setting among the settings. */
  readonly label: string;
}

const LABELS: Readonly<Record<AdvisedCommand, string>> = {
  profileRepeatedly: l10n.t('Profile Repeatedly…'),
  doctor: l10n.t('Doctor'),
  waitingSetting: l10n.t('with the setting Record: Waiting'),
  allocationsSetting: l10n.t('with the setting Record: Allocations'),
  callsSetting: l10n.t('with the setting Record: Calls'),
  syscallsSetting: l10n.t('with the setting Record: System Calls'),
  faultsSetting: l10n.t('with the setting Record: Page Faults'),
  wakeupsSetting: l10n.t('with the setting Record: Wakeups'),
};
const NAMED =
  /(--repeat \d+|without --no-waiting\b|with --(?:alloc|calls|syscalls|faults|wakeups)\b|`lineheat doctor`)/;

const SETTINGS: Readonly<Record<string, AdvisedCommand>> = {
  'without --no-waiting': 'waitingSetting',
  'with --alloc': 'allocationsSetting',
  'with --calls': 'callsSetting',
  'with --syscalls': 'syscallsSetting',
  'with --faults': 'faultsSetting',
  'with --wakeups': 'wakeupsSetting',
};

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
  const command = commandOf(named);
  return { command, label: LABELS[command] };
}

function commandOf(named: string): AdvisedCommand {
  const setting = SETTINGS[named];
  if (setting) return setting;
  return named.startsWith('--repeat') ? 'profileRepeatedly' : 'doctor';
}
