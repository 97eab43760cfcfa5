// The Runs view: saved runs of this workspace, newest first, and the commands on them.
import path from 'node:path';
import * as vscode from 'vscode';
import { markdownText } from '../../../../core/foreignText.ts';
import { durationText } from '../../../../core/numbersAsText.ts';
import type { RunSummary, WrittenRun } from '../../../../core/wire.ts';
import type { EngineClient } from '../../engine/engineClient.ts';
import { expected } from '../../engine/openProfiles.ts';
import { listedRun, sameRun } from '../../engine/runRef.ts';
import { runIcon } from '../../heat/runIcon.ts';
import { hasSamples, runCommit, runFacts, runName, runSamplesText, runTime } from '../../heat/runText.ts';
import {
  cellName,
  cellsWanted,
  groupedRuns,
  isSweepGroup,
  type RunsEntry,
  type SweepGroup,
  sweepName,
} from '../../heat/shownSweep.ts';
import type { ActiveProfile } from '../heat/activeProfile.ts';
import { confirmed } from '../notifications.ts';
import type { Baseline } from './baseline.ts';
import { runsDirectory } from './runsDirectory.ts';

export const RUNS_VIEW = 'lineheat.runs';
const REFRESH_PAUSE_MS = 200;

export class RunsView implements vscode.TreeDataProvider<RunsEntry>, vscode.Disposable {
  /** One run, or all that are listed. */
  private readonly changed = new vscode.EventEmitter<RunsEntry | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly didWrite = new vscode.EventEmitter<readonly WrittenRun[]>();
  /** Runs of this workspace are new, or their files were replaced. */
  readonly onDidWrite = this.didWrite.event;
  private readonly subscriptions: vscode.Disposable[];
  private refreshTimer: NodeJS.Timeout | undefined;
  private selected: RunSummary | undefined;

  constructor(
    private readonly client: EngineClient,
    private readonly active: ActiveProfile,
    private readonly baseline: Baseline,
    private readonly fail: (error: unknown) => void,
  ) {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    this.subscriptions = [
      active.onDidChange(() => this.refresh()),
      baseline.onDidChange((run) => (run ? this.changed.fire(run) : this.refresh())),
    ];
    const directory = runsDirectory();
    if (!folder || directory === undefined) return;
    const watch = client.watch({
      body: { watchRuns: { directory } },
      onNews: ({ runsChanged }) => {
        this.refresh();
        this.didWrite.fire(runsChanged?.written ?? []);
      },
      onFailure: () => this.watchByEditor(folder),
    });
    this.subscriptions.push(watch);
  }

  /** Where the engine cannot watch: the editor can poll. */
  private watchByEditor(folder: vscode.WorkspaceFolder): void {
    const pattern = new vscode.RelativePattern(folder, '.lineheat/runs/*.pb.gz');
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    const refresh = () => this.refresh();
    this.subscriptions.push(
      watcher,
      watcher.onDidCreate(refresh),
      watcher.onDidChange(refresh),
      watcher.onDidDelete(refresh),
    );
  }

  /** The saved runs of this workspace, newest first; none when no folder is open. */
  async runs(): Promise<readonly RunSummary[]> {
    const directory = runsDirectory();
    if (directory === undefined) return [];
    const reply = await this.client.request({ listRuns: { directory } });
    return expected(reply.runs, 'RunList').runs;
  }

  async getChildren(parent?: RunsEntry): Promise<RunsEntry[]> {
    if (parent) return isSweepGroup(parent) ? [...parent.cells] : [];
    try {
      const runs = await this.runs();
      this.baseline.consider(runs);
      // Until then the view has no rows either, and must not say that there are no runs.
      await vscode.commands.executeCommand('setContext', 'lineheat.hasNoRuns', runs.length === 0);
      return groupedRuns(runs);
    } catch (error) {
      this.fail(error);
      return [];
    }
  }

  getTreeItem(run: RunsEntry): vscode.TreeItem {
    if (isSweepGroup(run)) return sweepItem(run);
    const item = new vscode.TreeItem(cellName(run));
    item.id = run.path;
    const isBaseline = this.baseline.isPinned(run);
    const verdict = isBaseline ? vscode.l10n.t('baseline') : this.baseline.verdictOf(run);
    item.description = [verdict, ...runFacts(run, new Date())].filter(Boolean).join('  ');
    item.tooltip = new vscode.MarkdownString(tooltip(run));
    // No resourceUri: git ignores the folder of the runs, and the rows would have its grey.
    item.iconPath = this.icon(run);
    item.contextValue = run.problem ? 'run-broken' : isBaseline ? 'run.baseline' : 'run.ok';
    if (!run.problem) {
      item.command = { command: 'lineheat.runs.open', title: vscode.l10n.t('Open'), arguments: [run] };
    }
    return item;
  }

  /** Soon: several files change at once when a run is saved. */
  refresh(): void {
    clearTimeout(this.refreshTimer);
    this.refreshTimer = setTimeout(() => this.changed.fire(undefined), REFRESH_PAUSE_MS);
  }

  get selectedForCompare(): RunSummary | undefined {
    return this.selected;
  }

  async selectForCompare(run: RunSummary | undefined): Promise<void> {
    this.selected = run;
    await vscode.commands.executeCommand('setContext', 'lineheat.runSelectedForCompare', run !== undefined);
    this.refresh();
  }

  async rename(run: RunSummary): Promise<void> {
    const name = await vscode.window.showInputBox({
      title: vscode.l10n.t('Rename {0}', runName(run)),
      value: run.name || run.target,
      validateInput: (value) => (value.trim() ? undefined : vscode.l10n.t('A run needs a name.')),
    });
    if (name === undefined) return;
    await this.client.request({ renameRun: { path: run.path, name: name.trim() } });
    this.refresh();
  }

  /** To the trash where there is one; a server has none, so it asks first. */
  async delete(run: RunSummary): Promise<void> {
    const yes = vscode.l10n.t('Delete');
    const question = vscode.l10n.t('Delete the run {0}?', [runName(run), runTime(run, new Date())].join(' '));
    const detail = vscode.l10n.t(
      'It is moved to the trash if this machine has one; otherwise it is deleted permanently.',
    );
    if (!(await confirmed(question, detail, yes))) return;
    const uri = vscode.Uri.file(run.path);
    const shown = this.active.current;
    if (shown?.kind === 'run' && sameRun(shown.run.ref, listedRun(run))) await this.active.clear();
    try {
      await vscode.workspace.fs.delete(uri, { useTrash: true });
    } catch {
      await vscode.workspace.fs.delete(uri);
    }
    if (this.baseline.isPinned(run)) await this.baseline.pin(undefined);
    if (run.path === this.selected?.path) await this.selectForCompare(undefined);
    this.refresh();
  }

  dispose(): void {
    clearTimeout(this.refreshTimer);
    this.changed.dispose();
    this.didWrite.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private icon(run: RunSummary): vscode.ThemeIcon {
    const profile = this.active.current;
    const { base, current } = profile?.kind === 'comparison' ? profile.comparison : {};
    const shown = profile?.kind === 'run' ? [profile.run] : [base, current];
    const listed = listedRun(run);
    const { name, failed } = runIcon(run, {
      selected: run.path === this.selected?.path,
      baseline: this.baseline.isPinned(run),
      shown: shown.some((one) => one && sameRun(one.ref, listed)),
    });
    return new vscode.ThemeIcon(name, failed ? new vscode.ThemeColor('list.errorForeground') : undefined);
  }
}

function sweepItem(group: SweepGroup): vscode.TreeItem {
  const item = new vscode.TreeItem(sweepName(group), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `sweep:${group.sweep}`;
  const [there, wanted] = [group.cells.length, cellsWanted(group)];
  const count = there === wanted ? String(there) : vscode.l10n.t('{0} of {1}', there, wanted);
  item.description = [runTime(group.cells[0]!, new Date()), vscode.l10n.t('{0} cells', count)]
    .filter(Boolean)
    .join('  ');
  item.iconPath = new vscode.ThemeIcon('graph-line');
  item.contextValue = 'sweep';
  item.command = { command: 'lineheat.runs.showSweep', title: vscode.l10n.t('Show the Sweep'), arguments: [group] };
  return item;
}

function tooltip(run: RunSummary): string {
  const rows: [string, string][] = [
    [vscode.l10n.t('Target'), [run.target, ...run.command.slice(1)].join(' ')],
    [vscode.l10n.t('Recorded'), run.startedUnixMs > 0 ? new Date(run.startedUnixMs).toLocaleString() : ''],
    [vscode.l10n.t('Took'), run.wallNs > 0 ? durationText(run.wallNs) : ''],
    [vscode.l10n.t('CPU time'), run.cpuNs > 0 ? durationText(run.cpuNs) : ''],
    [
      vscode.l10n.t('Samples'),
      hasSamples(run) || run.lost > 0 ? vscode.l10n.t('{0}, {1} lost', runSamplesText(run), run.lost) : '',
    ],
    [vscode.l10n.t('Commit'), runCommit(run)],
    [vscode.l10n.t('End'), run.end],
    [vscode.l10n.t('State'), run.partial ? vscode.l10n.t('partial: the recording did not end properly') : ''],
    [vscode.l10n.t('Problem'), run.problem],
    [vscode.l10n.t('File'), path.basename(run.path)],
  ];
  const lines = rows.filter(([, text]) => text).map(([name, text]) => `${name}: ${markdownText(text, 400)}`);
  return `**${markdownText(runName(run))}**\n\n${lines.join('  \n')}`;
}
