// The user's language for code that cannot import the editor. extension.ts imports this module before all others, so that a
// text that is a constant of its module is translated too.
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/** English text → translation; undefined when the editor shows English or has no translation of ours. */
export const translations = vscode.l10n.bundle;

if (translations) l10n.config({ contents: translations });
