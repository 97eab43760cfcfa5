// Entry point: builds the parts and connects them. Starts no process and reads no run; the first use does,
// or, once activation is done, the profile that the window showed before it was reloaded.
import './editor/translations.ts';
import * as vscode from 'vscode';
import type { RecordableMeasure } from '../../core/recordedKinds.ts';
import { registerCommands } from './editor/commands.ts';
import { DoctorPage } from './editor/doctor/doctorPage.ts';
import { showFailure } from './editor/failureMessages.ts';
import { ActiveProfile } from './editor/heat/activeProfile.ts';
import { ChangeNavigation } from './editor/heat/changeNavigation.ts';
import { CursorFunction } from './editor/heat/cursorFunction.ts';
import { FileHeats } from './editor/heat/fileHeats.ts';
import { HeatHoverProvider } from './editor/heat/heatHoverProvider.ts';
import { HeatLensProvider } from './editor/heat/heatLensProvider.ts';
import { HeatPainter } from './editor/heat/heatPainter.ts';
import { MeasureStatus } from './editor/heat/measureStatus.ts';
import { ProfileOpener } from './editor/heat/profileOpener.ts';
import { SelectionStatus } from './editor/heat/selectionStatus.ts';
import { ShownProfile } from './editor/heat/shownProfile.ts';
import { OutputLog } from './editor/outputLog.ts';
import { PROFILE_EDITORS, ProfileEditor } from './editor/panels/profileEditor.ts';
import { type ComparisonChoice, ProfilePanels, type Shown, type ShownPair } from './editor/panels/profilePanels.ts';
import { RetainedPages, retaining } from './editor/panels/retainedPages.ts';
import { HeatSoFar } from './editor/recording/heatSoFar.ts';
import { ProfileCommands } from './editor/recording/profileCommands.ts';
import { Recorder } from './editor/recording/recorder.ts';
import { RepeatPrompts } from './editor/recording/repeatPrompts.ts';
import { ToldProblems } from './editor/recording/toldProblems.ts';
import { UnkeptBuilds } from './editor/recording/unkeptBuilds.ts';
import { Baseline } from './editor/runs/baseline.ts';
import { RUNS_VIEW, RunsView } from './editor/runs/runsView.ts';
import { comparing } from './editor/runs/showComparison.ts';
import { showWaitingRuns } from './editor/runs/waitingRun.ts';
import { onDidChangeOpenOptions, openOptions } from './editor/settings.ts';
import { SourceNavigation } from './editor/sourceNavigation.ts';
import { BuildOutput } from './editor/targets/buildOutput.ts';
import { LastTarget } from './editor/targets/lastTarget.ts';
import { ProgramPrompts } from './editor/targets/programPrompts.ts';
import { TargetDiscovery } from './editor/targets/targetDiscovery.ts';
import { TargetPick } from './editor/targets/targetPick.ts';
import { SCHEME, TextDocuments } from './editor/textDocuments.ts';
import { EngineClient } from './engine/engineClient.ts';
import { enginePath } from './engine/enginePath.ts';
import { OpenRun } from './engine/openProfiles.ts';
import { RunEngines } from './engine/runEngines.ts';
import { fileRun, type RunRef, sameRun } from './engine/runRef.ts';
import { measureOfRuns } from './selection/measureOfRuns.ts';
import { RunMeasures } from './selection/runMeasures.ts';
import { RunSelections } from './selection/runSelections.ts';

/** What the extension says of itself to others. */
export interface Activated {
  readonly activationMs: number;
}

export function activate(context: vscode.ExtensionContext): Activated {
  const start = performance.now();
  const { extensionUri, workspaceState } = context;
  const log = new OutputLog();
  const engine = { command: () => enginePath(context.extensionPath), log: (line: string) => log.info(line) };
  const client = new EngineClient(engine);
  const engines = new RunEngines(client);

  const documents = new TextDocuments();
  const navigation = new SourceNavigation(documents);
  const doctor = new DoctorPage(client, documents);
  const selections = new RunSelections();
  const measures = new RunMeasures();
  const active = new ActiveProfile(engines, new ShownProfile(workspaceState), selections, measures);
  const heats = new FileHeats(active, log);
  const painter = new HeatPainter(heats);
  const lenses = new HeatLensProvider(active, heats, painter);
  const hovers = new HeatHoverProvider(active, heats, painter);
  const opener = new ProfileOpener(active, heats, painter, navigation);

  const changes = new ChangeNavigation(active, heats, navigation);

  const cursor = new CursorFunction(active, heats);
  const pageParts = {
    cursor,
    retained: new RetainedPages(),
    selections,
    measures,
    extensionUri,
    navigation,
    log,
    openRun: async (run: RunRef) => {
      await opener.openRun(run);
      panels.show({ run });
    },
    compare: (base: RunRef, current: RunRef) => compare(base, current),
    recordWith: async (run: RunRef, measure: RecordableMeasure) => {
      const result = await profiles.profileWith(run, measure).finally(() => runs.refresh());
      if (result) panels.show('sweep' in result ? result : { run: fileRun(result.runPath) });
    },
  };
  // The page says itself why a file cannot be opened.
  const logOnly = (error: Error) => log.warn(error.message);
  const showHeat = (run: RunRef) => void active.showRun(run).catch(logOnly);
  const showAgain = (shown: Shown) => {
    if ('sweep' in shown) return;
    const profile = 'run' in shown ? shown : { ...shown, ...panels.choiceOf(shown) };
    void active.offer(profile).catch(logOnly);
  };
  // The figures beside the lines follow the panel of the same comparison.
  const compared = ({ base, new: current }: ShownPair, { normalisation, measure }: ComparisonChoice) => {
    const shown = active.current;
    if (shown?.kind !== 'comparison') return;
    if (!sameRun(shown.comparison.base.ref, base) || !sameRun(shown.comparison.current.ref, current)) return;
    void active.showComparison(base, current, normalisation, measure).catch(logOnly);
  };
  const panels = new ProfilePanels(engines, pageParts, workspaceState, showAgain, compared);
  const openedOf = async (ref: RunRef) => {
    const run = new OpenRun(engines, ref, openOptions());
    try {
      return await run.opened();
    } finally {
      run.close();
    }
  };
  const firstMeasure = (base: RunRef, current: RunRef) => measureOfRuns({ base, current }, measures, openedOf);
  const compare = comparing({ opener, panels, firstMeasure });
  const profileEditor = new ProfileEditor(engines, pageParts, showHeat);

  const builds = new BuildOutput(context.extension.packageJSON.contributes.problemMatchers);
  const soFar = new HeatSoFar({ engines, active, opener, panels, selections, measures, log });
  const recorder = new Recorder(engine, soFar);
  const discovery = new TargetDiscovery(client, builds, log);
  const last = new LastTarget(workspaceState);
  const pick = new TargetPick(discovery, builds, last, new ProgramPrompts(workspaceState));
  const fallbackRuns = vscode.Uri.joinPath(context.globalStorageUri, 'runs').fsPath;
  const told = new ToldProblems(workspaceState);
  const prompts = new RepeatPrompts(workspaceState);
  const unkept = new UnkeptBuilds(workspaceState, log);
  const recording = { client, recorder, builds, discovery, pick, last, opener, told, prompts, unkept, fallbackRuns };
  const profiles = new ProfileCommands({ ...recording, measures });
  const baseline = new Baseline(engines, workspaceState, log);
  const runs = new RunsView(client, active, baseline, (error) => void showFailure(error, log));

  const showWaiting = async (run: RunRef) => {
    try {
      await pageParts.openRun(run);
    } catch (error) {
      void showFailure(error, log);
    }
  };

  const reopen = () => {
    void active.reopen().catch(logOnly);
    panels.reopen();
    profileEditor.reopen();
  };

  const enginePathNow = engine.command;
  const parts = { doctor, enginePath: enginePathNow, log, active, heats, painter, hovers, opener, panels, profiles };
  const sources = [{ scheme: 'file' }, { scheme: 'git' }, { scheme: SCHEME }];
  context.subscriptions.push(
    log,
    { dispose: () => client.dispose() },
    documents,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, documents),
    new SelectionStatus(active, selections),
    new MeasureStatus(active),
    ...[doctor, active, cursor, heats, painter, lenses, panels, builds, recorder, runs, baseline],
    vscode.languages.registerCodeLensProvider(sources, lenses),
    vscode.languages.registerHoverProvider(sources, hovers),
    ...PROFILE_EDITORS.map((editor) =>
      vscode.window.registerCustomEditorProvider(editor, profileEditor, {
        supportsMultipleEditorsPerDocument: true,
        webviewOptions: retaining,
      }),
    ),
    vscode.window.registerTreeDataProvider(RUNS_VIEW, runs),
    onDidChangeOpenOptions(reopen),
    runs.onDidWrite((written) => active.isOlderThan(written) && reopen()),
    showWaitingRuns(showWaiting),
    ...registerCommands({
      ...{ ...parts, changes, baseline, compare, recorder, runs, navigation, documents },
      ...{ selections, measures, soFar },
      compareMeasure: (shown, measure) => panels.compareMeasure(shown, measure),
    }),
  );
  // After activation: opening a run starts the engine.
  setImmediate(() => void active.restore().catch(logOnly));
  return { activationMs: performance.now() - start };
}
