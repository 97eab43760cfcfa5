// Which hidden pages stay in memory. A page that comes back to the front is at once as it was left, for its memory is kept
// while it is hidden; a large profile takes a hundred megabytes of it, so only the pages that were left last keep theirs.
import type * as vscode from 'vscode';

/** Hidden pages that keep what they show. */
export const RETAINED_MAX = 3;

/** For every panel that shows a page: its memory is the page's to let go. */
export const retaining = { retainContextWhenHidden: true };

export interface RetainedPage {
  /** Lets go of what it shows. */
  release(): void;
  /** Shows it again. */
  restore(): void;
}

type Panel = Pick<vscode.WebviewPanel, 'visible' | 'onDidChangeViewState' | 'onDidDispose'>;

export class RetainedPages {
  /** Hidden pages that keep their memory; the one that was left last is last. */
  private readonly hidden: RetainedPage[] = [];
  private readonly released = new Set<RetainedPage>();

  watch(panel: Panel, page: RetainedPage): void {
    panel.onDidChangeViewState(() => (panel.visible ? this.shown(page) : this.left(page)));
    panel.onDidDispose(() => this.forget(page));
  }

  private shown(page: RetainedPage): void {
    const wasReleased = this.released.has(page);
    this.forget(page);
    if (wasReleased) page.restore();
  }

  private left(page: RetainedPage): void {
    if (this.released.has(page) || this.hidden.includes(page)) return;
    this.hidden.push(page);
    if (this.hidden.length <= RETAINED_MAX) return;
    const oldest = this.hidden.shift()!;
    this.released.add(oldest);
    oldest.release();
  }

  private forget(page: RetainedPage): void {
    this.released.delete(page);
    const at = this.hidden.indexOf(page);
    if (at >= 0) this.hidden.splice(at, 1);
  }
}
