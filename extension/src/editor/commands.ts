// The commands of the extension, each bound to what it does. Arguments of commands are checked: anyone may call them.
import path from 'node:path';
import * as vscode from 'vscode';
import type { RunSummary } from '../../../core/wire.ts';
import { EngineFailure } from '../engine/failure.ts';
import { runName } from '../heat/runText.ts';
import type { RunSelections } from '../selection/runSelections.ts';
import { saveSelection } from '../selection/saveSelection.ts';
import type { DoctorPage } from './doctor/doctorPage.ts';
import { changePermission, type PermissionChange } from './doctor/permissionSetup.ts';
import { showFailure } from './failureMessages.ts';
import type { ActiveProfile } from './heat/activeProfile.ts';
import { annotatedListing } from './heat/annotatedListing.ts';
import type { ChangeNavigation } from './heat/changeNavigation.ts';
import type { FileHeats } from './heat/fileHeats.ts';
import type { HeatHoverProvider } from './heat/heatHoverProvider.ts';
import type { HeatPainter } from './heat/heatPainter.ts';
import type { ProfileOpener } from './heat/profileOpener.ts';
import { inform, warn } from './notifications.ts';
import type { OutputLog } from './outputLog.ts';
import type { ProfilePanels } from './panels/profilePanels.ts';
import type { ProfileCommands, ProfileResult, SweepResult } from './recording/profileCommands.ts';
import type { Recorder } from './recording/recorder.ts';
import type { Baseline } from './runs/baseline.ts';
import { pickRun } from './runs/runPick.ts';
import type { RunsView } from './runs/runsView.ts';
import type { SourceNavigation } from './sourceNavigation.ts';
import type { TextDocuments } from './textDocuments.ts';

export interface CommandParts {
  readonly enginePath: () => string;
  readonly log: OutputLog;
  readonly active: ActiveProfile;
  readonly heats: FileHeats;
  readonly painter: HeatPainter;
  readonly hovers: HeatHoverProvider;
  readonly opener: ProfileOpener;
  readonly panels: ProfilePanels;
  readonly profiles: ProfileCommands;
  readonly recorder: Recorder;
  readonly runs: RunsView;
  readonly navigation: SourceNavigation;
  readonly documents: TextDocuments;
  readonly doctor: DoctorPage;
  readonly changes: ChangeNavigation;
  readonly baseline: Baseline;
  readonly selections: RunSelections;
}

/** Registers every command. A failure is shown to the user, and thrown to a caller that gave arguments. */
export function registerCommands(parts: CommandParts): vscode.Disposable[] {
  const { active, baseline, changes, doctor, documents, hovers, navigation } = parts;
  const { opener, painter, panels, profiles, recorder, runs } = parts;

  const openRun = async (path: string) => {
    await opener.openRun(path);
    return { runPath: path };
  };
  // A recording that ends badly has saved a run too, and the watcher of files may be late or missing.
  const thenListed = <Result>(recording: Promise<Result>) => recording.finally(() => runs.refresh());
  const thenShown = async (recording: Promise<ProfileResult | SweepResult | undefined>) => {
    const result = await thenListed(recording);
    if (isSweep(result)) panels.show(result);
    return result;
  };
  const compare = async (base: string, current: string) => {
    await opener.openComparison(base, current, panels.normalisationOf({ base, new: current }));
    panels.show({ base, new: current });
    return { base, new: current };
  };
  const compareWithLastBuild = async (argument?: unknown) => {
    const builds = await thenListed(profiles.compareWithLastBuild(argument));
    return builds && compare(builds.base, builds.new);
  };
  const compareRuns = async (argument?: unknown) => {
    const named = namedComparison(argument);
    if (named) return compare(named.base, named.new);
    const saved = await runs.runs();
    const base = await pickRun(saved, vscode.l10n.t('The base: the run before the change'));
    if (!base) return undefined;
    const others = saved.filter(({ path }) => path !== base);
    const beside = saved.find(({ path }) => path === base);
    const current = await pickRun(others, vscode.l10n.t('The new run: after the change'), beside);
    return current && compare(base, current);
  };
  const showFlameGraph = (argument?: unknown) => {
    const profile = active.current;
    if (!profile) throw nothingOpen();
    if (profile.kind === 'comparison') {
      const { base, current } = profile.comparison;
      const page = panels.show({ base: base.path, new: current.path });
      if (isFunction(argument)) page.reveal(argument);
      return;
    }
    const page = panels.show({ run: profile.run.path });
    if (isFunction(argument)) page.reveal(argument);
  };
  const showAnnotatedListing = async () => {
    const profile = active.current;
    const document = vscode.window.activeTextEditor?.document;
    const path = document && parts.heats.pathOf(document);
    const file = path === undefined ? undefined : active.fileOf(path);
    if (profile?.kind !== 'run') throw nothingOpen();
    if (!file) {
      throw new EngineFailure(
        'not-found',
        vscode.l10n.t('The file in front has no samples in the open run.'),
        vscode.l10n.t('Open a hot file first.'),
      );
    }
    const text = await annotatedListing(parts.enginePath(), profile.run.path, file.recordedPath);
    const listing = await documents.open({ path: `${file.recordedPath}.annotated`, origin: profile.run.path }, text);
    await vscode.window.showTextDocument(listing, { viewColumn: vscode.ViewColumn.Beside });
  };
  const permission = async (change: PermissionChange) => {
    const exitCode = await changePermission(parts.enginePath(), change);
    const { canRecord, withPrivilege } = await doctor.open();
    if (exitCode !== 0) void warn(vscode.l10n.t('The permission was not changed, or only in part: see the terminal.'));
    else if (change === 'install' && withPrivilege) void inform(vscode.l10n.t('This user can record now.'));
    return { exitCode, canRecord };
  };
  const copyOfDoctor = async (id?: unknown) => {
    const command = doctor.commandOf(id);
    if (command !== undefined) await vscode.env.clipboard.writeText(command);
  };
  const goTo = async (id?: unknown) => {
    const place = hovers.placeOf(id);
    const missing = place && (await navigation.show({ ...place, recordedPath: place.path }, { aside: false }));
    if (missing) void inform(missing);
  };
  const goToHottestLine = async () => {
    if (!active.current) throw nothingOpen();
    const missing = await opener.goToHottestLine();
    if (missing) void inform(missing);
  };

  /** Asks what to hold a run against; it is the new side. */
  const compareWith = async (current: RunSummary) => {
    const others = (await runs.runs()).filter(({ path }) => path !== current.path);
    const base = await pickRun(others, vscode.l10n.t('The base: what {0} is compared with', runName(current)), current);
    return base && compare(base, current.path);
  };
  const compareFunction = async (argument?: unknown) => {
    const profile = active.current;
    if (profile?.kind !== 'run' || !profile.opened.summary) throw nothingOpen();
    const named = await compareWith({ ...profile.opened.summary, path: profile.run.path });
    if (named && isFunction(argument)) panels.show(named).reveal({ row: -1, name: argument.name });
    return named;
  };
  const goToChange = async (direction: 1 | -1) => {
    if (active.current?.kind !== 'comparison') throw noComparison();
    if (await changes.go(direction)) return;
    void inform(vscode.l10n.t('No line of this workspace changed beyond noise in the open comparison.'));
  };

  const commands: Record<string, (argument?: unknown) => unknown> = {
    profileTarget: (argument) => thenListed(profiles.profile(argument)),
    profileRepeatedly: (argument) => thenListed(profiles.profileRepeatedly(argument)),
    sweep: (argument) => thenShown(profiles.sweep(argument)),
    'runs.showSweep': (argument) => {
      if (isSweep(argument)) panels.show({ sweep: argument.sweep });
    },
    compareWithLastBuild,
    profileAgain: () => thenShown(profiles.profileAgain()),
    stop: () => recorder.stop(),
    discard: () => recorder.discard(),
    openRun: async (argument) => {
      const path = pathOf(argument) ?? (await pickRun(await runs.runs(), vscode.l10n.t('The run whose heat to show')));
      return path && openRun(path);
    },
    compareRuns,
    compareFunction,
    showFlameGraph,
    goToHottestLine,
    nextChange: () => goToChange(1),
    previousChange: () => goToChange(-1),
    toggleHeat: () => painter.toggle(),
    clearHeat: () => active.clear(),
    saveSelection: async () => {
      const profile = active.current;
      if (profile?.kind !== 'run' || !active.selected) throw nothingSelected();
      const saved = await saveSelection(profile.run, parts.selections);
      runs.refresh();
      void inform(vscode.l10n.t('The selection is saved as {0}.', path.basename(saved)));
      return { runPath: saved };
    },
    clearSelection: () => {
      if (active.current?.kind === 'run') parts.selections.clear(active.current.run.path);
    },
    showAnnotatedListing,
    doctor: async () => ({ canRecord: (await doctor.open()).canRecord }),
    'doctor.copy': copyOfDoctor,
    setUpPermission: () => permission('install'),
    removePermission: () => permission('uninstall'),
    refreshRuns: () => runs.refresh(),
    goto: goTo,
    'runs.open': onRun((run) => openRun(run.path)),
    'runs.showFlameGraph': onRun(async (run) => {
      await active.showRun(run.path);
      panels.show({ run: run.path });
    }),
    'runs.rename': onRun((run) => runs.rename(run)),
    'runs.delete': onRun((run) => runs.delete(run)),
    'runs.reveal': onRun((run) => vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(run.path))),
    'runs.compareWith': onRun(compareWith),
    'runs.pinBaseline': onRun((run) => baseline.pin(run)),
    'runs.unpinBaseline': () => baseline.pin(undefined),
    'runs.compareWithBaseline': onRun((run) => (baseline.path ? compare(baseline.path, run.path) : undefined)),
    'runs.selectForCompare': onRun((run) => runs.selectForCompare(run)),
    'runs.compareWithSelected': onRun((run) => {
      const selected = runs.selectedForCompare;
      return selected && compare(selected.path, run.path);
    }),
  };
  return Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`lineheat.${name}`, async (argument?: unknown) => {
      try {
        return await run(argument);
      } catch (error) {
        void showFailure(error, parts.log);
        // A caller that gave arguments is a program and must know; a user has the message.
        if (isPlainArgument(argument)) throw error;
        return undefined;
      }
    }),
  );
}

function nothingOpen(): EngineFailure {
  return new EngineFailure(
    'not-found',
    vscode.l10n.t('No run is open.'),
    vscode.l10n.t('Profile a target, or open a run from the Runs view.'),
  );
}

function nothingSelected(): EngineFailure {
  return new EngineFailure(
    'not-found',
    vscode.l10n.t('Nothing is selected.'),
    vscode.l10n.t('Drag over the timeline on the page of a run first.'),
  );
}

function noComparison(): EngineFailure {
  return new EngineFailure(
    'not-found',
    vscode.l10n.t('No comparison is open.'),
    vscode.l10n.t('Compare two runs from the Runs view first.'),
  );
}

function onRun(run: (summary: RunSummary) => unknown) {
  return (argument?: unknown) => {
    const isRun = typeof argument === 'object' && argument !== null && 'path' in argument && 'samples' in argument;
    return isRun ? run(argument as RunSummary) : undefined;
  };
}

function pathOf(argument: unknown): string | undefined {
  if (typeof argument === 'string' && argument) return argument;
  return argument instanceof vscode.Uri && argument.scheme === 'file' ? argument.fsPath : undefined;
}

function namedComparison(argument: unknown): { base: string; new: string } | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  const { base, new: current } = argument as Record<string, unknown>;
  return typeof base === 'string' && typeof current === 'string' ? { base, new: current } : undefined;
}

function isFunction(argument: unknown): argument is { row: number; name: string } {
  if (typeof argument !== 'object' || argument === null) return false;
  const { row, name } = argument as Record<string, unknown>;
  return typeof row === 'number' && typeof name === 'string';
}

function isSweep(argument: unknown): argument is { sweep: string } {
  return typeof argument === 'object' && argument !== null && 'sweep' in argument && typeof argument.sweep === 'string';
}

function isPlainArgument(argument: unknown): boolean {
  if (typeof argument === 'string') return true;
  return typeof argument === 'object' && argument !== null && ('program' in argument || 'base' in argument);
}
