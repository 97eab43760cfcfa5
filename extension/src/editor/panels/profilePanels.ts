// The panels beside the editor: one for each run or comparison, restored after a window reload.
import * as vscode from 'vscode';
import type { RunEngines } from '../../engine/runEngines.ts';
import { abilitiesOf, type RunRef, runKey, runOfKey, sameRun } from '../../engine/runRef.ts';
import type { ComparedMeasure } from '../../heat/comparedMeasures.ts';
import { openOptions } from '../settings.ts';
import { comparisonSubject } from './comparisonSubject.ts';
import { type PageParts, ProfilePage } from './profilePage.ts';
import { type ProfileSubject, runSubject } from './profileSubjects.ts';
import { retaining } from './retainedPages.ts';
import { sweepSubject } from './sweepSubject.ts';

const VIEW_TYPE = 'lineheat.panel';
const MEMORY = 'lineheat.panels';
const REMEMBERED_MAX = 50;

export interface ShownPair {
  readonly base: RunRef;
  readonly new: RunRef;
}
export type Shown = { readonly run: RunRef } | { readonly sweep: string } | ShownPair;
interface Remembered {
  readonly id: string;
  readonly shown: Shown;
  readonly normalisation?: number;
  readonly measure?: ComparedMeasure | undefined;
}

/** How a comparison is made, as last chosen for it. */
export interface ComparisonChoice {
  /** What values are per; 0: the best. */
  readonly normalisation: number;
  /** Undefined: the usual one. */
  readonly measure: ComparedMeasure | undefined;
}

/** With keys in place of the runs. */
type SavedShown =
  | { readonly run: string }
  | { readonly sweep: string }
  | { readonly base: string; readonly new: string };
interface Saved extends Omit<Remembered, 'shown'> {
  readonly shown: SavedShown;
}

export class ProfilePanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly open = new Map<string, { panel: vscode.WebviewPanel; page: ProfilePage; shown: Shown }>();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly engines: RunEngines,
    private readonly parts: PageParts,
    private readonly memory: vscode.Memento,
    /** A panel came back after a reload: what it shows was the profile that the user worked with. */
    private readonly restored: (shown: Shown) => void,
    /** The user chose what a comparison is of, or what its values are per. */
    private readonly compared: (shown: ShownPair, choice: ComparisonChoice) => void,
  ) {
    this.subscription = vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, this);
  }

  /** Brings the panel of a run or comparison to the front, beside the editor when it is new. */
  show(shown: Shown): ProfilePage {
    const id = idOf(shown);
    const known = this.open.get(id);
    if (known) {
      known.panel.reveal(undefined, true);
      return known.page;
    }
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel(VIEW_TYPE, titleOf(shown, ''), beside, retaining);
    void this.remember({ ...this.remembered().find((entry) => entry.id === id), id, shown });
    return this.fill(panel, id, shown);
  }

  /** After a reload: the page's state names the panel, our own memory says what it showed. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const id = typeof state === 'object' && state !== null && 'panel' in state ? state.panel : undefined;
    const closed = this.remembered().filter((entry) => !this.open.has(entry.id));
    // A window that was reloaded before the page could save its state: the title is that of a panel that still opens.
    const isMeant = (entry: Remembered) =>
      id === undefined ? titleOf(entry.shown, '') === panel.title : entry.id === id;
    const remembered = closed.find(isMeant);
    if (!remembered) {
      panel.dispose();
      return;
    }
    this.fill(panel, remembered.id, remembered.shown);
    this.restored(remembered.shown);
  }

  /** Opens what is shown anew, as the settings are now: all, or the panel of one run. */
  reopen(run?: RunRef): void {
    for (const { page, shown } of this.open.values()) {
      if (!run || isOf(shown, run)) page.showAnew(this.subjectOf(shown));
    }
  }

  /** Whether a panel shows the run. */
  shows(run: RunRef): boolean {
    return this.open.has(idOf({ run }));
  }

  /** The panel of one run shows the other from now on, which is the same recording. */
  move(from: RunRef, to: RunRef): void {
    const moved = this.open.get(idOf({ run: from }));
    const [shown, id] = [{ run: to }, idOf({ run: to })];
    if (!moved) return;
    if (this.open.has(id)) {
      moved.panel.dispose();
      return;
    }
    this.open.delete(idOf({ run: from }));
    this.open.set(id, { ...moved, shown });
    void this.remember({ id, shown });
    moved.page.showAnew(this.subjectOf(shown), id);
  }

  close(run: RunRef): void {
    this.open.get(idOf({ run }))?.panel.dispose();
  }

  dispose(): void {
    this.subscription.dispose();
    for (const { panel } of [...this.open.values()]) panel.dispose();
  }

  private fill(panel: vscode.WebviewPanel, id: string, shown: Shown): ProfilePage {
    const titled = (title: string) => {
      panel.title = titleOf(shown, title);
    };
    titled('');
    panel.iconPath = vscode.Uri.joinPath(this.parts.extensionUri, 'resources', 'icon.svg');
    const page = new ProfilePage(panel.webview, id, this.subjectOf(shown), this.parts, titled);
    this.parts.retained.watch(panel, page);
    this.open.set(id, { panel, page, shown });
    panel.onDidDispose(() => {
      for (const [key, entry] of this.open) if (entry.page === page) this.open.delete(key);
      page.dispose();
    });
    return page;
  }

  private subjectOf(shown: Shown): ProfileSubject {
    const options = openOptions();
    if ('run' in shown) return runSubject(this.engines, shown.run, options);
    if ('sweep' in shown) return sweepSubject(this.engines.viewing, shown.sweep);
    const id = idOf(shown);
    const choose = (choice: Partial<ComparisonChoice>) => {
      const chosen = { ...this.choiceOf(shown), ...choice };
      void this.remember({ id, shown, ...chosen });
      this.compared(shown, chosen);
    };
    return comparisonSubject(shown, {
      ...{ engines: this.engines, options, ...this.choiceOf(shown) },
      normalised: (normalisation) => choose({ normalisation }),
      measured: ({ type, unit }) => choose({ normalisation: 0, measure: { type, unit } }),
    });
  }

  choiceOf(shown: ShownPair): ComparisonChoice {
    const known = this.remembered().find(({ id }) => id === idOf(shown));
    return { normalisation: known?.normalisation ?? 0, measure: known?.measure };
  }

  /** Another measure of a comparison was chosen beside its panel, which follows if it is open. */
  compareMeasure(shown: ShownPair, { type, unit }: ComparedMeasure): void {
    const id = idOf(shown);
    const choice: ComparisonChoice = { normalisation: 0, measure: { type, unit } };
    void this.remember({ id, shown, ...choice });
    this.open.get(id)?.page.showAnew(this.subjectOf(shown));
    this.compared(shown, choice);
  }

  private remembered(): readonly Remembered[] {
    return this.memory.get<Saved[]>(MEMORY, []).flatMap(({ shown: saved, ...entry }) => {
      const shown = shownOf(saved);
      return shown ? [{ ...entry, shown }] : [];
    });
  }

  private async remember(entry: Remembered): Promise<void> {
    // What is gone when the window is loaded anew.
    if ('run' in entry.shown && !abilitiesOf(entry.shown.run).isFinal) return;
    const others = this.remembered().filter(({ id }) => id !== entry.id);
    const kept = [entry, ...others].slice(0, REMEMBERED_MAX);
    const saved: Saved[] = kept.map((one) => ({ ...one, shown: savedOf(one.shown) }));
    await this.memory.update(MEMORY, saved);
  }
}

const isOf = (shown: Shown, run: RunRef): boolean => 'run' in shown && sameRun(shown.run, run);

function savedOf(shown: Shown): SavedShown {
  if ('sweep' in shown) return shown;
  return 'run' in shown ? { run: runKey(shown.run) } : { base: runKey(shown.base), new: runKey(shown.new) };
}

/** Undefined when a run in it is none that can be named. */
function shownOf(saved: SavedShown): Shown | undefined {
  if ('sweep' in saved) return saved;
  if ('run' in saved) {
    const run = runOfKey(saved.run);
    return run && { run };
  }
  const [base, current] = [runOfKey(saved.base), runOfKey(saved.new)];
  return base && current && { base, new: current };
}

function idOf(shown: Shown): string {
  if ('sweep' in shown) return `sweep:${shown.sweep}`;
  return 'run' in shown ? `run:${runKey(shown.run)}` : `comparison:${runKey(shown.base)}:${runKey(shown.new)}`;
}

function titleOf(shown: Shown, title: string): string {
  if ('sweep' in shown) return title ? vscode.l10n.t('Sweep: {0}', title) : vscode.l10n.t('Sweep');
  if (!title) return 'run' in shown ? vscode.l10n.t('Flame Graph') : vscode.l10n.t('Compare');
  return 'run' in shown ? vscode.l10n.t('Flame Graph: {0}', title) : vscode.l10n.t('Compare: {0}', title);
}
