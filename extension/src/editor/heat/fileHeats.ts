// The engine's figures for the text of a document: asked once a version of it, shared by marks, lenses and hovers.
import * as vscode from 'vscode';
import type { ShownMeasure } from '../../../../core/measureText.ts';
import type { FileDifference, FileHeat } from '../../../../core/wire.ts';
import { expected } from '../../engine/openProfiles.ts';
import { shownMeasure } from '../../heat/shownMeasure.ts';
import type { OutputLog } from '../outputLog.ts';
import { SCHEME } from '../textDocuments.ts';
import type { ActiveProfile, Profile } from './activeProfile.ts';

export type DocumentHeat =
  | { readonly kind: 'run'; readonly heat: FileHeat; readonly measure: ShownMeasure | undefined }
  | { readonly kind: 'comparison'; readonly difference: FileDifference };

/** Longer texts are not sent: their lines are taken as unchanged. */
const TEXT_MAX = 4 << 20; // characters; at most three bytes each, and a frame holds 16 MiB
const EDIT_PAUSE_MS = 350;

interface Entry {
  readonly profile: Profile;
  readonly version: number;
  readonly answer: Promise<DocumentHeat | undefined>;
}

export class FileHeats implements vscode.Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly changed = new vscode.EventEmitter<void>();
  /** Figures may be different now: another profile, part or measure, or a text that was edited. */
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];
  private editTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly active: ActiveProfile,
    private readonly log: OutputLog,
  ) {
    const forget = () => {
      this.entries.clear();
      this.changed.fire();
    };
    this.subscriptions = [
      active.onDidChange(forget),
      active.onDidSelect(forget),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0 || !this.concerns(document)) return;
        clearTimeout(this.editTimer);
        this.editTimer = setTimeout(() => this.changed.fire(), EDIT_PAUSE_MS);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.entries.delete(document.uri.toString())),
    ];
  }

  /** The path under which the active profile knows a document; undefined when it does not. */
  pathOf(document: vscode.TextDocument): string | undefined {
    const { uri } = document;
    // The other side of a git diff is the file with another text. A comparison has figures for both sides, aligned by the
    // text that is shown; one run belongs to one text, and its heat on another would be wrong or shown twice.
    const isShown = uri.scheme === 'file' || (uri.scheme === 'git' && this.active.current?.kind === 'comparison');
    const path = isShown ? uri.fsPath : uri.scheme === SCHEME ? uri.path : undefined;
    const file = path === undefined ? undefined : this.active.fileOf(path);
    return file && (file.path || file.recordedPath);
  }

  /** Figures for the text that the document has now; undefined when the profile has none for it. */
  async of(document: vscode.TextDocument): Promise<DocumentHeat | undefined> {
    const profile = this.active.current;
    const path = this.pathOf(document);
    if (!profile || path === undefined) return undefined;
    const key = document.uri.toString();
    const known = this.entries.get(key);
    if (known?.profile === profile && known.version === document.version) return known.answer;
    const answer = ask(profile, { path, wholeText: document.getText(), value: this.active.value ?? null }).catch(
      (error: Error) => {
        this.log.error(`${path}: ${error.message}`);
        return undefined;
      },
    );
    this.entries.set(key, { profile, version: document.version, answer });
    return answer;
  }

  dispose(): void {
    clearTimeout(this.editTimer);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  private concerns(document: vscode.TextDocument): boolean {
    return this.active.current !== undefined && this.pathOf(document) !== undefined;
  }
}

interface Asked {
  readonly path: string;
  readonly wholeText: string;
  readonly value: number | null; // of a run
}

async function ask(profile: Profile, { path, wholeText, value }: Asked): Promise<DocumentHeat> {
  const hasText = wholeText.length <= TEXT_MAX;
  const text = hasText ? wholeText : '';
  if (profile.kind === 'run') {
    const reply = await profile.run.request((run) => ({ fileHeat: { run, path, hasText, text, value } }));
    const heat = expected(reply.fileHeat, 'FileHeat');
    const measure = profile.opened.values[heat.value];
    return { kind: 'run', heat, measure: measure && shownMeasure(measure) };
  }
  const body = (comparison: number) => ({ fileDifference: { comparison, path, hasText, text } });
  const reply = await profile.comparison.request(body);
  return { kind: 'comparison', difference: expected(reply.fileDifference, 'FileDifference') };
}
