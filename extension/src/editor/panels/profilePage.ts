// One webview page: its HTML under a strict content security policy, and the conversation with it.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { visibleText } from '../../../../core/foreignText.ts';
import type { NamedFunction } from '../../../../core/namedFunction.ts';
import type { RecordableMeasure } from '../../../../core/recordedKinds.ts';
import { countOf } from '../../../../core/sampleCount.ts';
import { TRANSLATIONS_META } from '../../../../core/translations.ts';
import { type HostMessage, type PageMessage, parsePageMessage } from '../../../../core/webviewMessages.ts';
import type { Location } from '../../../../core/wire.ts';
import { EngineFailure, failureOf } from '../../engine/failure.ts';
import { type RunRef, runKey, sameRun } from '../../engine/runRef.ts';
import type { RunMeasures } from '../../selection/runMeasures.ts';
import type { RunSelections } from '../../selection/runSelections.ts';
import type { CursorFunction } from '../heat/cursorFunction.ts';
import { tellError } from '../notifications.ts';
import type { OutputLog } from '../outputLog.ts';
import { runAdvised } from '../runAdvised.ts';
import type { SourceNavigation } from '../sourceNavigation.ts';
import { translations } from '../translations.ts';
import { PageMeasure } from './pageMeasure.ts';
import { PageSelection } from './pageSelection.ts';
import type { ProfileSubject } from './profileSubjects.ts';
import type { RetainedPages } from './retainedPages.ts';

export interface PageParts {
  readonly extensionUri: vscode.Uri;
  readonly navigation: SourceNavigation;
  readonly log: OutputLog;
  readonly retained: RetainedPages;
  readonly selections: RunSelections;
  readonly measures: RunMeasures;
  readonly cursor: Pick<CursorFunction, 'onDidChange'>;
  /** Opens the run of a sweep's cell, or compares two. */
  readonly openRun: (run: RunRef) => Promise<unknown>;
  readonly compare: (base: RunRef, current: RunRef) => Promise<unknown>;
  /** Records what a run ran again, with a measure that it lacks. */
  readonly recordWith: (run: RunRef, measure: RecordableMeasure) => Promise<unknown>;
}

export class ProfilePage implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private ready = false;
  /** The page is there and wants what is shown; it may have been refused once. */
  private wants = false;
  private pendingReveal: HostMessage | undefined;
  private selection: PageSelection | undefined;
  private measure: PageMeasure | undefined;
  private cursor: vscode.Disposable | undefined;

  constructor(
    private readonly webview: vscode.Webview,
    private panel: string,
    private subject: ProfileSubject,
    private readonly parts: PageParts,
    /** Gets the title once the subject is open. */
    private readonly titled: (title: string) => void = () => {},
  ) {
    const folder = vscode.Uri.joinPath(parts.extensionUri, 'dist', 'webview');
    webview.options = { enableScripts: true, enableForms: false, localResourceRoots: [folder] };
    this.follow(subject);
    this.subscription = webview.onDidReceiveMessage((message) => this.receive(message));
    webview.html = pageHtml(webview, folder, panel);
  }

  /** Shows the same opened anew; how it is looked at stays. `panel`: its id from now on. */
  showAnew(subject: ProfileSubject, panel = this.panel): void {
    this.subject.close();
    this.subject = subject;
    this.panel = panel;
    this.follow(subject);
    this.ready = false;
    if (this.wants) this.receive({ type: 'retry' });
  }

  /** Selects a function; a page that is still loading does so when it can. */
  reveal({ name, module }: NamedFunction): void {
    const message: HostMessage = { type: 'reveal', row: -1, name, module };
    if (this.ready) this.post(message);
    else this.pendingReveal = message;
  }

  /** Lets the hidden page go of what it shows; `restore` shows it again, looked at as it was. */
  release(): void {
    this.ready = false;
    this.wants = false;
    this.post({ type: 'loading', message: vscode.l10n.t('Opening the profile…') });
  }

  restore(): void {
    this.receive({ type: 'retry' });
  }

  dispose(): void {
    this.subscription.dispose();
    this.selection?.dispose();
    this.measure?.dispose();
    this.cursor?.dispose();
    this.subject.close();
  }

  /** A run can be looked at in part, and by each of its measures. */
  private follow({ run }: ProfileSubject): void {
    this.selection?.dispose();
    this.measure?.dispose();
    this.cursor?.dispose();
    const { selections, measures, cursor } = this.parts;
    const post = (message: HostMessage) => this.post(message);
    this.selection = run && new PageSelection(run, { selections, measures, post });
    this.measure = run && new PageMeasure(run, measures, post);
    this.cursor = cursor.onDidChange((under) => {
      if (this.ready && run && sameRun(under.run, run.ref)) post({ type: 'underCursor', function: under.function });
    });
  }

  private receive(unknown: unknown): void {
    const message = parsePageMessage(unknown);
    if (!message) {
      this.parts.log.warn('A message of the profile page was refused: it is none of the known ones.');
      return;
    }
    const { subject } = this;
    this.answer(message).catch((error: unknown) => {
      // What was asked of a subject that is not shown any more is not missed.
      if (subject === this.subject) this.fail(message, error);
    });
  }

  private async answer(message: PageMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
      case 'retry': {
        this.ready = false;
        this.wants = true;
        const { subject } = this;
        const show = await subject.show(this.panel);
        if (subject !== this.subject) return;
        this.titled(show.title);
        const value = await this.measure?.chosen();
        this.post(show.type === 'show' ? { ...show, value } : show);
        await this.selection?.follow();
        this.ready = true;
        if (this.pendingReveal) this.post(this.pendingReveal);
        this.pendingReveal = undefined;
        return;
      }
      case 'request': {
        const { view, value, hidden } = message;
        const { subject } = this;
        const bytes = await subject.content(message);
        if (subject !== this.subject) return; // rows of another state have other numbers
        // A buffer of its own: the bytes are a part of a frame, and the whole frame would go over.
        const content = Uint8Array.from(bytes).buffer;
        return this.post({ type: 'view', view, value, hidden, content });
      }
      case 'navigate': {
        return this.navigate(await this.subject.locate(message), message.aside);
      }
      case 'measureMatches': {
        if (!this.subject.measureMatches) return;
        const { share, newShare } = await this.subject.measureMatches(message, message.frames);
        return this.post({ type: 'matched', search: message.search, share, newShare });
      }
      case 'callers': {
        if (!this.subject.callers) return;
        const answer = await this.subject.callers(message);
        const { function: name, unit, totalValue, callers } = answer;
        const shown = callers.map(({ name: caller, module, value, samples, newValue }) => ({
          ...{ name: caller, module, value, samples: countOf(samples, answer), newValue },
        }));
        return this.post({ type: 'callers', function: name, unit, total: totalValue, callers: shown });
      }
      case 'explain': {
        if (!this.subject.explain) return;
        return this.post({ type: 'explanation', explanation: await this.subject.explain() });
      }
      case 'openExplained': {
        const place = this.subject.explained?.(message.index, message.line);
        return place && this.navigate(place, message.aside);
      }
      case 'openCell':
        await this.parts.openRun(this.cellRun(message.index));
        return;
      case 'compareCells':
        await this.parts.compare(this.cellRun(message.base), this.cellRun(message.new));
        return;
      case 'normalise':
        this.subject.normalise?.(message.normalisation);
        return this.answer({ type: 'retry' });
      case 'compareMeasure':
        this.subject.compareMeasure?.(message.measure);
        return this.answer({ type: 'retry' });
      case 'compareParts': {
        const { run } = this.subject;
        if (!run) return;
        const key = runKey(run.ref);
        if (message.parts === 'rest') await vscode.commands.executeCommand('lineheat.compareWithRest', key);
        else await vscode.commands.executeCommand('lineheat.compareRanges', key);
        return;
      }
      case 'timeline':
      case 'select':
      case 'undoSelection':
      case 'redoSelection':
      case 'matchNames':
      case 'hottestStack':
        return this.selection?.answer(message);
      case 'chooseMeasure':
        return this.measure?.choose(message.value);
      case 'recordWith': {
        const { run } = this.subject;
        if (run) await this.parts.recordWith(run.ref, message.measure);
        return;
      }
      case 'command':
        return runAdvised(message.command);
      case 'copy':
        await vscode.env.clipboard.writeText(message.text);
    }
  }

  /** The page itself says why there is no source: a message beside it would be far from the click. */
  private async navigate(place: Location, aside: boolean): Promise<void> {
    const savedText = () => this.subject.savedText(place.recordedPath);
    const missing = await this.parts.navigation.show(place, { aside, savedText });
    if (missing) this.post({ type: 'noSource', message: missing });
  }

  private cellRun(index: number): RunRef {
    if (!this.subject.cellRun) throw new EngineFailure('protocol', vscode.l10n.t('This panel shows no sweep.'));
    return this.subject.cellRun(index);
  }

  private fail(message: PageMessage, error: unknown): void {
    const failure = failureOf(error);
    if (failure.kind === 'cancelled') return;
    this.parts.log.error(`${failure.kind}: ${failure.message}`);
    const words = { message: visibleText(failure.message, 2000), advice: visibleText(failure.advice, 2000) };
    const opens = ['ready', 'retry', 'normalise', 'compareMeasure'].includes(message.type);
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
<html lang="${translations ? attributeText(vscode.env.language) : 'en'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${uri('panel.css')}">
${translationsMeta(translations)}<title>Lineheat</title>
</head>
<body data-panel="${attributeText(panel)}">
<script nonce="${nonce}" src="${uri('panel.js')}"></script>
</body>
</html>`;
}

/** Nothing where the editor shows English. */
function translationsMeta(bundle: typeof translations): string {
  return bundle ? `<meta name="${TRANSLATIONS_META}" content="${attributeText(JSON.stringify(bundle))}">\n` : '';
}

function attributeText(text: string): string {
  return text.replace(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
