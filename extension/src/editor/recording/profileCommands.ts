// Profile This Target, Profile Repeatedly, Sweep Parameters and Profile Again: choose, build, record, show.
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { commandIn } from '../../../../core/advisedCommands.ts';
import { visibleText } from '../../../../core/foreignText.ts';
import type { RecordableMeasure } from '../../../../core/recordedKinds.ts';
import type { RecordingEnded, RunOpened } from '../../../../core/wire.ts';
import type { EngineClient } from '../../engine/engineClient.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { expected } from '../../engine/openProfiles.ts';
import { fileRun, type RunRef, sameRun } from '../../engine/runRef.ts';
import { endButtons } from '../../heat/endButtons.ts';
import { hottestFile } from '../../heat/hottestFile.ts';
import { advisedLines, headline, problemKey, problemsOfMeasure, problemsWorthTelling } from '../../heat/runProblems.ts';
import { endedBadly, endSentence, hasSamples, LOSS_WARNING_SHARE, timeText } from '../../heat/runText.ts';
import { CALLER_OPTIONS, type RecordSettings } from '../../recording/recordOptions.ts';
import type { RunMeasures } from '../../selection/runMeasures.ts';
import { targetOfId } from '../../targets/commandTargets.ts';
import type { Turns } from '../../targets/repeatText.ts';
import { misfitOf, type SweepParameter } from '../../targets/sweepText.ts';
import { type LaunchPlan, type Plan, type Step, type Target, TargetError } from '../../targets/target.ts';
import { isNamedProgram, sweepParametersOf } from '../commandArguments.ts';
import type { ProfileOpener } from '../heat/profileOpener.ts';
import { inform, warn } from '../notifications.ts';
import { runAdvised } from '../runAdvised.ts';
import { runsDirectory } from '../runs/runsDirectory.ts';
import { recordSettings } from '../settings.ts';
import type { BuildOutput } from '../targets/buildOutput.ts';
import type { LastTarget, NamedProgram, RecordingAnswers, SweepAnswers } from '../targets/lastTarget.ts';
import type { TargetDiscovery } from '../targets/targetDiscovery.ts';
import type { TargetPick } from '../targets/targetPick.ts';
import { workspaceFolderPaths } from '../workspaceFolders.ts';
import type { Recorder } from './recorder.ts';
import type { RepeatPrompts } from './repeatPrompts.ts';
import { askTests } from './testPrompt.ts';
import type { ToldProblems } from './toldProblems.ts';
import type { UnkeptBuilds } from './unkeptBuilds.ts';
import { type WantedMeasure, wantedSettings, wantedValue } from './wantedMeasure.ts';

export interface ProfileResult {
  readonly runPath: string;
}

export interface SweepResult {
  readonly sweep: string;
}

/** Two runs to compare. */
export interface ComparedBuilds {
  readonly base: string;
  readonly new: string;
}

export class ProfileCommands {
  private lastRun: RunRef | undefined; // that was recorded in this window

  constructor(
    private readonly parts: {
      readonly client: EngineClient;
      readonly recorder: Recorder;
      readonly builds: BuildOutput;
      readonly discovery: TargetDiscovery;
      readonly pick: TargetPick;
      readonly last: LastTarget;
      readonly opener: ProfileOpener;
      readonly measures: Pick<RunMeasures, 'choose'>;
      readonly told: ToldProblems;
      readonly prompts: RepeatPrompts;
      readonly unkept: UnkeptBuilds;
      /** Where runs go when no folder is open. */
      readonly fallbackRuns: string;
    },
  ) {}

  /** Before any question: what could not run is not chosen either. */
  private requireReady(): void {
    requireTrust();
    this.parts.client.requireEngine();
  }

  /** Without arguments it asks; with a named program it asks nothing. Undefined when the user changed their mind. */
  async profile(named?: unknown, wanted: WantedMeasure = {}): Promise<ProfileResult | undefined> {
    this.requireReady();
    if (isNamedProgram(named)) return this.profileNamed(named, wanted);
    const target = await this.parts.pick.choose();
    return target && this.profileTarget(target, { wanted, asks: true });
  }

  /**
   * Again what this run ran, with a measure that it lacks. The command that a file names is never run: of a run that this window did not
   * record last, the user chooses the target.
   */
  async profileWith(run: RunRef, measure: RecordableMeasure): Promise<ProfileResult | SweepResult | undefined> {
    const isLast = this.lastRun !== undefined && sameRun(run, this.lastRun);
    return isLast ? this.profileAgain({ measure }) : this.profile(undefined, { measure });
  }

  /** As `profile`, several times into one run; a caller that names a program says itself how often. */
  async profileRepeatedly(named?: unknown): Promise<ProfileResult | undefined> {
    this.requireReady();
    if (isNamedProgram(named)) return this.profileNamed(named);
    const target = await this.parts.pick.choose();
    if (!target) return undefined;
    if (target.kind === 'process' || target.attaches)
      throw new TargetError(
        vscode.l10n.t('A running process can be recorded only once at a time: use Profile This Target for it.'),
      );
    const title = vscode.l10n.t('Profile {0} Repeatedly', visibleText(target.label));
    const answers = await this.parts.prompts.askRepeats(title, recordSettings());
    return answers && this.profileTarget(target, { repeats: answers, asks: true });
  }

  /** A run for each combination of parameters, and the page of them all. Undefined when the user changed their mind. */
  async sweep(named?: unknown): Promise<SweepResult | undefined> {
    this.requireReady();
    if (isNamedProgram(named)) return this.sweepNamed(named, { parameters: sweepParametersOf(named) });
    const { pick, prompts } = this.parts;
    const target = await pick.choose();
    if (!target) return undefined;
    const title = vscode.l10n.t('Sweep Parameters of {0}', visibleText(target.label));
    return this.sweepTarget(target, async (plan) => {
      const sweep = await prompts.askSweep(title, plan.args, Object.values(plan.env));
      const repeats = sweep && (await prompts.askRepeats(title, recordSettings()));
      return repeats && { sweep, repeats };
    });
  }

  /** Again what was recorded last: the same target, as often, with the same parameters. */
  async profileAgain(wanted: WantedMeasure = {}): Promise<ProfileResult | SweepResult | undefined> {
    this.requireReady();
    const saved = this.parts.last.get();
    if (!saved) return this.profile(undefined, wanted);
    const { sweep, repeats = {} } = saved;
    if ('program' in saved)
      return sweep ? this.sweepNamed(saved.program, sweep) : this.profileNamed(saved.program, wanted, repeats);
    const target = await this.targetOf(saved.id);
    if (!target) return this.profile(undefined, wanted);
    return sweep
      ? this.sweepTarget(target, async () => ({ sweep, repeats }))
      : this.profileTarget(target, { repeats, wanted });
  }

  /**
   * Builds what was profiled last, and records the build from before the change and the new one alternately. A caller that
   * names a program says itself how often. Undefined when the user changed their mind.
   */
  async compareWithLastBuild(named?: unknown): Promise<ComparedBuilds | undefined> {
    this.requireReady();
    const { recorder, last, pick, prompts } = this.parts;
    if (isNamedProgram(named)) {
      const settings = { ...recordSettings(), repeat: 10, warmUp: 1, ...recordingOf(named) };
      return recorder.exclusively(planOf(named).name, () => this.recordBuilds(planOf(named), async () => settings));
    }
    const settingsFor = async (title: string) => {
      const answers = await prompts.askTurns(title, recordSettings());
      return answers && { ...recordSettings(), ...answers };
    };
    const saved = last.get();
    if (saved && 'program' in saved)
      return recorder.exclusively(planOf(saved.program).name, () =>
        this.recordBuilds(planOf(saved.program), settingsFor),
      );
    const target = (saved && (await this.targetOf(saved.id))) ?? (await pick.choose());
    if (!target) return undefined;
    return recorder.exclusively(target.label, async () => {
      if (target.kind !== 'process' && target.id !== last.id) await last.setId(target.id, {});
      const plan = await this.prepared(target);
      if ('attachPid' in plan) throw new TargetError(vscode.l10n.t('A running process has no builds to compare.'));
      return this.recordBuilds(plan, settingsFor);
    });
  }

  /** `asks`: the user has just chosen the target, and may choose among its tests. */
  private async profileTarget(
    target: Target,
    options: { repeats?: Partial<RecordSettings>; wanted?: WantedMeasure; asks?: boolean },
  ): Promise<ProfileResult | undefined> {
    const { recorder, last } = this.parts;
    const { wanted = {}, asks = false } = options;
    const repeats = { ...options.repeats, ...wantedSettings(wanted) };
    const ended = await recorder.exclusively(target.label, async () => {
      // A process that has ended cannot be profiled again; what was chosen before it can.
      if (target.kind !== 'process') await last.setId(target.id, { repeats });
      const plan = asks ? await this.withChosenTests(target) : await this.prepared(target);
      return plan && this.record(plan, { ...recordSettings(), ...repeats });
    });
    return ended && this.show(ended, wanted);
  }

  private async profileNamed(
    named: NamedProgram,
    wanted: WantedMeasure = {},
    before: Partial<RecordSettings> = {},
  ): Promise<ProfileResult | undefined> {
    const { recorder, last } = this.parts;
    const repeats = { ...before, ...wantedSettings(wanted) };
    const settings = recordSettings();
    const ended = await recorder.exclusively(planOf(named).name, async () => {
      const plan = planOf(named);
      await last.setProgram({ ...named, cwd: plan.cwd }, { repeats });
      return this.record(plan, { ...settings, ...recordingOf(named), ...repeats });
    });
    return ended && this.show(ended, wanted);
  }

  /** `answersFor` asks once the target is built, for its arguments are known then; undefined: nothing is recorded. */
  private async sweepTarget(
    target: Target,
    answersFor: (plan: LaunchPlan) => Promise<(RecordingAnswers & { readonly sweep: SweepAnswers }) | undefined>,
  ): Promise<SweepResult | undefined> {
    const { recorder, last } = this.parts;
    return recorder.exclusively(target.label, async () => {
      const plan = await this.prepared(target);
      if ('attachPid' in plan) throw new TargetError(vscode.l10n.t('A running process has no parameters to sweep.'));
      const answers = await answersFor(plan);
      if (!answers) return undefined;
      const { sweep, repeats } = answers;
      const swept = { ...plan, args: sweep.args ?? plan.args };
      requireFit(swept, sweep.parameters);
      await last.setId(target.id, answers);
      return this.recordSweep(swept, { ...recordSettings(), ...repeats }, sweep.parameters);
    });
  }

  private async sweepNamed(named: NamedProgram, sweep: SweepAnswers): Promise<SweepResult | undefined> {
    const { recorder, last } = this.parts;
    return recorder.exclusively(planOf(named).name, async () => {
      const plan = planOf(named);
      requireFit(plan, sweep.parameters);
      await last.setProgram({ ...named, cwd: plan.cwd }, { sweep });
      return this.recordSweep(plan, { ...recordSettings(), ...recordingOf(named) }, sweep.parameters);
    });
  }

  private async targetOf(id: string): Promise<Target | undefined> {
    const { discovery } = this.parts;
    return targetOfId(id, os.homedir()) ?? (await discovery.all()).targets.find((target) => target.id === id);
  }

  private prepared(target: Target): Promise<Plan> {
    const { builds, last, recorder } = this.parts;
    const runStep = (step: Step) => recorder.building(() => builds.run(step));
    return target.prepare({ args: last.argumentsOf(target.id), runStep });
  }

  /** Arguments that the user gave before are theirs: nothing is asked then. */
  private async withChosenTests(target: Target): Promise<Plan | undefined> {
    const { builds, last } = this.parts;
    const plan = await this.prepared(target);
    const isChosen = 'attachPid' in plan || !target.takesArguments || last.argumentsOf(target.id).length > 0;
    if (isChosen) return plan;
    const args = await askTests(plan, (step) => builds.runQuietly(step));
    if (!args) return undefined;
    await last.setArguments(target.id, args);
    return { ...plan, args: [...plan.args, ...args] };
  }

  private async recordSweep(
    plan: LaunchPlan,
    settings: RecordSettings,
    parameters: readonly SweepParameter[],
  ): Promise<SweepResult | undefined> {
    const options = { ...settings, runsDirectory: runsDirectory() ?? this.parts.fallbackRuns };
    const ended = await this.parts.recorder.record(plan, options, { sweep: parameters });
    if (!ended) return undefined;
    this.parts.unkept.note(plan.program, ended.notKept);
    const { run, runPath } = ended;
    const sweep = run?.sweep?.sweep;
    if (!sweep)
      throw new EngineFailure(
        'protocol',
        vscode.l10n.t('The run {0} does not say which sweep it belongs to.', runPath),
      );
    return { sweep };
  }

  /** `settingsFor` asks only when there is a build to compare with. */
  private async recordBuilds(
    plan: LaunchPlan,
    settingsFor: (title: string) => Promise<(RecordSettings & Partial<Turns>) | undefined>,
  ): Promise<ComparedBuilds | undefined> {
    const { client, fallbackRuns, recorder, unkept } = this.parts;
    const folder = runsDirectory() ?? fallbackRuns;
    const earlierBuild = { program: plan.program, cwd: plan.cwd, runsDirectory: folder };
    const reply = await client.request({ earlierBuild }).catch((error: unknown) => {
      throw unkept.explained(error, plan.program);
    });
    const { recordedUnixMs } = expected(reply.earlierBuild, 'EarlierBuild');
    const name = visibleText(plan.name);
    const recordedAt = timeText(recordedUnixMs, new Date());
    const older = unkept.olderInstead(plan.program, recordedAt);
    if (older) void inform(older);
    const answers = await settingsFor(vscode.l10n.t('Compare {0} with Its Build Profiled at {1}', name, recordedAt));
    if (!answers) return undefined;
    const { until = 0, ...settings } = answers;
    const options = { ...settings, runsDirectory: folder };
    const present = { ...plan, runName: vscode.l10n.t('{0}, new build', name) };
    const ended = await recorder.record(present, options, {
      earlierName: vscode.l10n.t('{0}, last build', name),
      until,
    });
    if (!ended?.runPath || !ended.baseRunPath) return undefined;
    unkept.note(plan.program, ended.notKept);
    return { base: ended.baseRunPath, new: ended.runPath };
  }

  /** Undefined when the user discarded the recording: nothing is shown then. */
  private async record(plan: Plan, settings: RecordSettings): Promise<RecordingEnded | undefined> {
    const { recorder, fallbackRuns, unkept } = this.parts;
    const ended = await recorder.record(plan, { ...settings, runsDirectory: runsDirectory() ?? fallbackRuns });
    if (ended && 'program' in plan) unkept.note(plan.program, ended.notKept);
    return ended;
  }

  /** The next recording need not wait for it. */
  private async show(ended: RecordingEnded, wanted: WantedMeasure = {}): Promise<ProfileResult> {
    const run = fileRun(ended.runPath);
    this.lastRun = run;
    const opened = await this.parts.opener.openRun(run);
    const value = wantedValue(opened, wanted);
    if (value !== undefined) this.parts.measures.choose(run, value);
    const missing = wanted.measure !== undefined && value === undefined ? ended.problems : [];
    void this.tellEnd(ended, { opened, value: value ?? opened.defaultValue, missing });
    return { runPath: ended.runPath };
  }

  /** One sentence: how the target ended and what was kept, or what the reader of the figures must know first. */
  private async tellEnd(
    ended: RecordingEnded,
    { opened, value, missing }: { opened: RunOpened; value: number; missing: readonly string[] },
  ): Promise<void> {
    const summary = ended.run ?? opened.summary;
    if (!summary) return;
    // The panel lists all problems, at every run; a message tells each once.
    const program = summary.command[0] ?? '';
    const worthTelling = problemsWorthTelling(problemsOfMeasure(opened, value), program);
    const isNews = (sentence: string) => this.parts.told.isNews(problemKey(sentence, program));
    // Why there is nothing of what was just asked for is news each time.
    const problem = missing[0] ?? worthTelling.find(isNews);
    const advised = problem ? advisedLines(problem).slice(0, 2) : [];
    const copies = new Map(advised.map(({ place, text }) => [vscode.l10n.t('Copy for {0}', place), text]));
    const lossy = summary.lostShare > LOSS_WARNING_SHARE;
    const show = endedBadly(summary) || problem || lossy || !hasSamples(summary) ? warn : inform;
    const command = problem && commandIn(problem);
    const text = problem && !endedBadly(summary) ? visibleText(headline(problem), 1000) : endSentence(summary);
    const titles = {
      graph: vscode.l10n.t('Flame Graph'),
      hottest: vscode.l10n.t('Hottest Line'),
      terminal: vscode.l10n.t('Show Terminal'),
    };
    const end = {
      endedBadly: endedBadly(summary),
      hasTerminal: this.parts.recorder.hasTerminal,
      hasSamples: hasSamples(summary),
      hasLines: hottestFile(opened.files) !== undefined,
    };
    const buttons = endButtons(end, command ? [command.label] : [...copies.keys()]);
    const choice = await show(
      text,
      ...buttons.map((button) => (typeof button === 'string' ? titles[button] : button.advice)),
    );
    if (command && choice === command.label) await runAdvised(command.command);
    if (choice === titles.terminal) this.parts.recorder.showTerminal();
    const line = copies.get(choice ?? '');
    if (line !== undefined) await vscode.env.clipboard.writeText(line);
    if (choice === titles.graph) await vscode.commands.executeCommand('lineheat.showFlameGraph');
    if (choice === titles.hottest) await vscode.commands.executeCommand('lineheat.goToHottestLine');
  }
}

/** Thrown before anything is built or run in a workspace that the user does not trust. */
function requireTrust(): void {
  if (vscode.workspace.isTrusted) return;
  throw new EngineFailure(
    'untrusted',
    vscode.l10n.t('This workspace is not trusted, so nothing of it is built or run.'),
    vscode.l10n.t(
      'Trust it with "Workspaces: Manage Workspace Trust", then profile again. Saved runs can be viewed meanwhile.',
    ),
  );
}

function planOf(named: NamedProgram): LaunchPlan {
  const cwd = named.cwd ?? workspaceFolderPaths()[0] ?? path.dirname(named.program);
  return {
    name: path.basename(named.program),
    program: path.resolve(cwd, named.program),
    args: named.args ?? [],
    cwd,
    env: named.env ?? {},
  };
}

function requireFit(plan: LaunchPlan, parameters: readonly SweepParameter[]): void {
  const misfit = misfitOf(parameters, [...plan.args, ...Object.values(plan.env)]);
  if (misfit) throw new TargetError(misfit);
}

/** What a caller says of the recording itself; the rest is as the settings say. */
function recordingOf(named: NamedProgram): Partial<RecordSettings> {
  const given = Object.entries(named).filter(
    ([name, value]) => Object.hasOwn(CALLER_OPTIONS, name) && value !== undefined,
  );
  return Object.fromEntries(given);
}
