// One webview page: its HTML under a strict content security policy, and the conversation with it.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { visibleText } from '../../../core/foreignText.ts';
import { type HostMessage, type PageMessage, parsePageMessage } from '../../../core/webviewMessages.ts';
import { EngineFailure, failureOf } from '../engine/failure.ts';
import { tellError } from './notifications.ts';
import type { OutputLog } from './outputLog.ts';
import type { ProfileSubject } from './profileSubjects.ts';
import type { SourceNavigation } from './sourceNavigation.ts';

export interface PageParts {
  readonly extensionUri: vscode.Uri;
  readonly navigation: SourceNavigation;
  readonly log: OutputLog;
  /** Opens the run of a sweep's cell, or compares two. */
  readonly openRun: (path: string) => Promise<unknown>;
  readonly compare: (base: string, current: string) => Promise<unknown>;
}

export class ProfilePage implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private ready = false;
  private pendingReveal: HostMessage | undefined;

  constructor(
    private readonly webview: vscode.Webview,
    private readonly panel: string,
    private subject: ProfileSubject,
    private readonly parts: PageParts,
    /** Gets the title once the subject is open. */
    private readonly titled: (title: string) => void = () => {},
  ) {
    const folder = vscode.Uri.joinPath(parts.extensionUri, 'dist', 'webview');
    webview.options = { enableScripts: true, enableForms: false, localResourceRoots: [folder] };
    this.subscription = webview.onDidReceiveMessage((message) => this.receive(message));
    webview.html = pageHtml(webview, folder, panel);
  }

  /** Shows the same opened anew; how it is looked at stays. */
  showAnew(subject: ProfileSubject): void {
    this.subject.close();
    this.subject = subject;
    if (this.ready) this.receive({ type: 'retry' });
  }

  /** Selects a function; a page that is still loading does so when it can. */
  reveal(place: { row: number; name: string }): void {
    const message: HostMessage = { type: 'reveal', ...place };
    if (this.ready) this.post(message);
    else this.pendingReveal = message;
  }

  dispose(): void {
    this.subscription.dispose();
    this.subject.close();
  }

  private receive(unknown: unknown): void {
    const message = parsePageMessage(unknown);
    if (!message) {
      this.parts.log.warn('A message of the profile page was refused: it is none of the known ones.');
      return;
    }
    this.answer(message).catch((error: unknown) => this.fail(message, error));
  }

  private async answer(message: PageMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
      case 'retry': {
        this.ready = false;
        const show = await this.subject.show(this.panel);
        this.titled(show.title);
        this.post(show);
        this.ready = true;
        if (this.pendingReveal) this.post(this.pendingReveal);
        this.pendingReveal = undefined;
        return;
      }
      case 'request': {
        const { view, value } = message;
        const bytes = await this.subject.content(view, value);
        // A buffer of its own: the bytes are a part of a frame, and the whole frame would go over.
        const content = Uint8Array.from(bytes).buffer;
        return this.post({ type: 'view', view, value, content });
      }
      case 'navigate': {
        const place = await this.subject.locate(message);
        const savedText = () => this.subject.savedText(place.recordedPath);
        return this.parts.navigation.show(place, { aside: message.aside, savedText });
      }
      case 'measureMatches': {
        if (!this.subject.measureMatches) return;
        const { share, newShare } = await this.subject.measureMatches(message.view, message.value, message.frames);
        return this.post({ type: 'matched', search: message.search, share, newShare });
      }
      case 'explain': {
        if (!this.subject.explain) return;
        return this.post({ type: 'explanation', explanation: await this.subject.explain() });
      }
      case 'openExplained': {
        const place = this.subject.explained?.(message.index, message.line);
        if (!place) return;
        const savedText = () => this.subject.savedText(place.recordedPath);
        return this.parts.navigation.show(place, { aside: message.aside, savedText });
      }
      case 'openCell':
        await this.parts.openRun(this.cellPath(message.index));
        return;
      case 'compareCells':
        await this.parts.compare(this.cellPath(message.base), this.cellPath(message.new));
        return;
      case 'normalise':
        this.subject.normalise?.(message.normalisation);
        return this.answer({ type: 'retry' });
      case 'copy':
        await vscode.env.clipboard.writeText(message.text);
    }
  }

  private cellPath(index: number): string {
    if (!this.subject.cellPath) throw new EngineFailure('protocol', 'This panel shows no sweep.');
    return this.subject.cellPath(index);
  }

  private fail(message: PageMessage, error: unknown): void {
    const failure = failureOf(error);
    if (failure.kind === 'cancelled') return;
    this.parts.log.error(`${failure.kind}: ${failure.message}`);
    const words = { message: visibleText(failure.message, 2000), advice: visibleText(failure.advice, 2000) };
    const opens = message.type === 'ready' || message.type === 'retry' || message.type === 'normalise';
    if (opens) this.post({ type: 'failed', ...words });
    else if (message.type === 'explain') this.post({ type: 'explanationFailed', ...words });
    else if (message.type === 'request') {
      this.post({ type: 'viewFailed', view: message.view, value: message.value, ...words });
    } else void tellError([words.message, words.advice].filter(Boolean).join(' '));
  }

  private post(message: HostMessage): void {
    void this.webview.postMessage(message);
  }
}

/** `panel` stands in the page from its first moment: a window that is reloaded while the profile is opened knows it too. */
function pageHtml(webview: vscode.Webview, folder: vscode.Uri, panel: string): string {
  const nonce = randomBytes(18).toString('base64');
  const uri = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder, file));
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
  ];
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${uri('panel.css')}">
<title>Lineheat</title>
</head>
<body data-panel="${attributeText(panel)}">
<script nonce="${nonce}" src="${uri('panel.js')}"></script>
</body>
</html>`;
}

function attributeText(text: string): string {
  return text.replace(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
