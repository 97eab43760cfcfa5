// Every notification is made here. A text may hold names of programs and files: what the editor would take for a link in
// it, one that runs a command included, is text.
import * as vscode from 'vscode';
import { messageText } from '../../../core/foreignText.ts';

/** Resolves with the button that was chosen; undefined when the message went away. */
export function inform(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(messageText(text), ...buttons);
}

export function warn(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(messageText(text), ...buttons);
}

export function tellError(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showErrorMessage(messageText(text), ...buttons);
}

/** A modal question before something that cannot be undone. */
export async function confirmed(question: string, detail: string, yes: string): Promise<boolean> {
  const options = { modal: true, detail: messageText(detail) };
  return (await vscode.window.showWarningMessage(messageText(question), options, yes)) === yes;
}

export type ProgressWork<Result> = (report: (text: string) => void, token: vscode.CancellationToken) => Promise<Result>;

/** Shows that `work` goes on; it may say how far it is, and be cancelled. */
export function withProgress<Result>(title: string, work: ProgressWork<Result>): Thenable<Result> {
  const options = { location: vscode.ProgressLocation.Notification, title: messageText(title), cancellable: true };
  return vscode.window.withProgress(options, (progress, token) =>
    work((text) => progress.report({ message: messageText(text) }), token),
  );
}
