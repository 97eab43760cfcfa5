// Shows an expected failure to the user: what and why, what to do, and a button for the next step.
import * as vscode from 'vscode';
import { asEditorWords } from '../../../core/advisedCommands.ts';
import { visibleText } from '../../../core/foreignText.ts';
import { type FailureKind, failureOf } from '../engine/failure.ts';
import { StepFailed, TargetError } from '../targets/target.ts';
import { inform, tellError } from './notifications.ts';
import type { OutputLog } from './outputLog.ts';

/** `target`: before the engine was asked. */
type ToldKind = FailureKind | 'target';

interface Told {
  readonly kind: ToldKind;
  readonly message: string;
  readonly advice: string;
}

/** Kinds of failure that the doctor can say more about. */
const DOCTOR_KINDS: ReadonlySet<ToldKind> = new Set([
  'no-permission',
  'admin-only',
  'no-bpf',
  'no-engine',
  'unsupported',
]);

/** There is nothing to compare a build with: no fault, but something to do first. */
const BUILD_KINDS: ReadonlySet<ToldKind> = new Set(['never-kept', 'no-earlier-build', 'unchanged-build']);

/** Shows why something failed; a cancelled request is no news. Resolves when the message is gone. */
export async function showFailure(error: unknown, log: OutputLog): Promise<void> {
  if (error instanceof StepFailed) return; // its own words are shown where it ran
  const failure: Told =
    error instanceof TargetError ? { kind: 'target', message: error.message, advice: error.advice } : failureOf(error);
  if (failure.kind === 'cancelled') return;
  if (BUILD_KINDS.has(failure.kind)) return tellNoBuild(failure);
  log.error(`${failure.kind}: ${failure.message} ${failure.advice}`);
  if (failure.kind === 'internal' && error instanceof Error && error.stack) log.error(error.stack);

  const command = commandIn(failure.advice);
  const copy = vscode.l10n.t('Copy Command');
  const doctor = vscode.l10n.t('Run Doctor');
  const trust = vscode.l10n.t('Manage Workspace Trust');
  const showLog = vscode.l10n.t('Show Log');
  const buttons = [
    ...(command ? [copy] : []),
    ...(DOCTOR_KINDS.has(failure.kind) ? [doctor] : []),
    failure.kind === 'untrusted' ? trust : showLog,
  ];
  const text = [failure.message, asEditorWords(failure.advice)].filter(Boolean).map(asSentence).join(' ');
  const choice = await tellError(text, ...buttons.slice(0, 2));
  if (choice === copy && command) await vscode.env.clipboard.writeText(command);
  if (choice === doctor) await vscode.commands.executeCommand('lineheat.doctor');
  if (choice === trust) await vscode.commands.executeCommand('workbench.trust.manage');
  if (choice === showLog) log.show();
}

async function tellNoBuild(failure: Told): Promise<void> {
  const { kind, message, advice } = failure;
  const profile = vscode.l10n.t('Profile Again');
  const choice = await inform(`${message} ${advice}`, ...(kind === 'unchanged-build' ? [] : [profile]));
  if (choice === profile) await vscode.commands.executeCommand('lineheat.profileAgain');
}

/** A command that stands on a line of its own in an advice. */
function commandIn(advice: string): string | undefined {
  const lines = advice.split('\n').map((line) => line.trim());
  return lines.find((line, at) => at > 0 && /^(sudo|lineheat|setcap|apt-get|docker|podman)\b/.test(line));
}

/** Some causes come as a clause of a lower layer. */
function asSentence(text: string): string {
  const visible = visibleLines(text.trim());
  const start = /^[a-z]+ /.test(visible) ? visible[0]!.toUpperCase() + visible.slice(1) : visible;
  return /[.!?:]$/.test(start) ? start : `${start}.`;
}

function visibleLines(text: string): string {
  return text
    .split('\n')
    .map((line) => visibleText(line, 2000))
    .join(' ');
}
