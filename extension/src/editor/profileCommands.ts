// Profile This Target, Profile Repeatedly, Sweep Parameters and Profile Again: choose, build, record, show.
import path from 'node:path';
import * as vscode from 'vscode';
import { visibleText } from '../../../core/foreignText.ts';
import type { RecordingEnded, RunOpened } from '../../../core/wire.ts';
import { EngineFailure } from '../engine/failure.ts';
import { advisedLines, problemKey, problemsWorthTelling } from '../heat/runProblems.ts';
import { endSentence, LOSS_WARNING_SHARE } from '../heat/runText.ts';
import { argumentText } from '../targets/argumentText.ts';
import { misfitOf, parseSweep, type SweepParameter } from '../targets/sweepText.ts';
import { type LaunchPlan, type Plan, type Target, TargetError } from '../targets/target.ts';
import { workspaceFolderPaths } from './activeProfile.ts';
import type { BuildOutput } from './buildOutput.ts';
import type { LastTarget, NamedProgram, RecordingAnswers, SweepAnswers } from './lastTarget.ts';
import { inform, warn } from './notifications.ts';
import type { ProfileOpener } from './profileOpener.ts';
import type { Recorder } from './recorder.ts';
import type { RepeatPrompts } from './repeatPrompts.ts';
import { type RecordSettings, recordSettings } from './settings.ts';
import type { TargetDiscovery } from './targetDiscovery.ts';
import type { TargetPick } from './targetPick.ts';
import type { ToldProblems } from './toldProblems.ts';

export interface ProfileResult {
  readonly runPath: string;
}

export interface SweepResult {
  readonly sweep: string;
}

export class ProfileCommands {
  constructor(
    private readonly parts: {
      readonly recorder: Recorder;
      readonly builds: BuildOutput;
      readonly discovery: TargetDiscovery;
      readonly pick: TargetPick;
      readonly last: LastTarget;
      readonly opener: ProfileOpener;
      readonly told: ToldProblems;
      readonly prompts: RepeatPrompts;
      /** Where runs go when no folder is open. */
      readonly fallbackRuns: string;
    },
  ) {}

  /** Without arguments it asks; with a named program it asks nothing. Undefined when the user changed their mind. */
  async profile(named?: unknown): Promise<ProfileResult | undefined> {
    requireTrust();
    if (isNamedProgram(named)) return this.profileNamed(named);
    const target = await this.parts.pick.choose();
    return target && this.profileTarget(target);
  }

  /** As `profile`, several times into one run; a caller that names a program says itself how often. */
  async profileRepeatedly(named?: unknown): Promise<ProfileResult | undefined> {
    requireTrust();
    if (isNamedProgram(named)) return this.profileNamed(named);
    const target = await this.parts.pick.choose();
    if (!target) return undefined;
    if (target.kind === 'process')
      throw new TargetError('A running process can be recorded once only: choose Profile This Target for it.');
    const title = vscode.l10n.t('Profile {0} Repeatedly', visibleText(target.label));
    const answers = await this.parts.prompts.askRepeats(title, recordSettings());
    return answers && this.profileTarget(target, answers);
  }

  /** A run for each combination of parameters, and the page of them all. Undefined when the user changed their mind. */
  async sweep(named?: unknown): Promise<SweepResult | undefined> {
    requireTrust();
    if (isNamedProgram(named)) return this.sweepNamed(named, { parameters: parametersOf(named) });
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
  async profileAgain(): Promise<ProfileResult | SweepResult | undefined> {
    requireTrust();
    const saved = this.parts.last.get();
    if (!saved) return this.profile();
    const { sweep, repeats = {} } = saved;
    if ('program' in saved) return sweep ? this.sweepNamed(saved.program, sweep) : this.profileNamed(saved.program);
    const { targets } = await this.parts.discovery.all();
    const target = targets.find(({ id }) => id === saved.id);
    if (!target) return this.profile();
    return sweep ? this.sweepTarget(target, async () => ({ sweep, repeats })) : this.profileTarget(target, repeats);
  }

  private async profileTarget(target: Target, repeats: Partial<RecordSettings> = {}): Promise<ProfileResult> {
    const { recorder, last } = this.parts;
    return recorder.exclusively(async () => {
      // A process that has ended cannot be profiled again; what was chosen before it can.
      if (target.kind !== 'process') await last.setId(target.id, { repeats });
      return this.record(await this.prepared(target), { ...recordSettings(), ...repeats });
    });
  }

  private async profileNamed(named: NamedProgram): Promise<ProfileResult> {
    const { recorder, last } = this.parts;
    const settings = recordSettings();
    return recorder.exclusively(async () => {
      const plan = planOf(named);
      await last.setProgram({ ...named, cwd: plan.cwd }, {});
      return this.record(plan, { ...settings, ...recordingOf(named) });
    });
  }

  /** `answersFor` asks once the target is built, for its arguments are known then; undefined: nothing is recorded. */
  private async sweepTarget(
    target: Target,
    answersFor: (plan: LaunchPlan) => Promise<(RecordingAnswers & { readonly sweep: SweepAnswers }) | undefined>,
  ): Promise<SweepResult | undefined> {
    const { recorder, last } = this.parts;
    return recorder.exclusively(async () => {
      const plan = await this.prepared(target);
      if ('attachPid' in plan) throw new TargetError('A running process has no parameters to sweep.');
      const answers = await answersFor(plan);
      if (!answers) return undefined;
      const { sweep, repeats } = answers;
      const swept = { ...plan, args: sweep.args ?? plan.args };
      requireFit(swept, sweep.parameters);
      await last.setId(target.id, answers);
      return this.recordSweep(swept, { ...recordSettings(), ...repeats }, sweep.parameters);
    });
  }

  private async sweepNamed(named: NamedProgram, sweep: SweepAnswers): Promise<SweepResult> {
    const { recorder, last } = this.parts;
    return recorder.exclusively(async () => {
      const plan = planOf(named);
      requireFit(plan, sweep.parameters);
      await last.setProgram({ ...named, cwd: plan.cwd }, { sweep });
      return this.recordSweep(plan, { ...recordSettings(), ...recordingOf(named) }, sweep.parameters);
    });
  }

  private prepared(target: Target): Promise<Plan> {
    const { builds, last } = this.parts;
    return target.prepare({ args: last.argumentsOf(target.id), runStep: (step) => builds.run(step) });
  }

  private async recordSweep(
    plan: LaunchPlan,
    settings: RecordSettings,
    parameters: readonly SweepParameter[],
  ): Promise<SweepResult> {
    const options = { ...settings, runsDirectory: runsDirectory() ?? this.parts.fallbackRuns };
    const { run, runPath } = await this.parts.recorder.record(plan, options, parameters);
    const sweep = run?.sweep?.sweep;
    if (!sweep) throw new EngineFailure('protocol', `The run ${runPath} does not say what sweep it is of.`);
    return { sweep };
  }

  private async record(plan: Plan, settings: RecordSettings): Promise<ProfileResult> {
    const { recorder, opener, fallbackRuns } = this.parts;
    const folder = runsDirectory();
    const ended = await recorder.record(plan, { ...settings, runsDirectory: folder ?? fallbackRuns });
    const opened = await opener.openRun(ended.runPath);
    void this.tellEnd(ended, opened);
    return { runPath: ended.runPath };
  }

  /** One message: how the target ended, what was kept, and what is missing from the program itself. */
  private async tellEnd(ended: RecordingEnded, opened: RunOpened): Promise<void> {
    const summary = ended.run ?? opened.summary;
    if (!summary) return;
    // The panel lists all problems, at every run; a message tells each once.
    const program = summary.command[0] ?? '';
    const problem = problemsWorthTelling(opened.problems, program).find((sentence) =>
      this.parts.told.isNews(problemKey(sentence, program)),
    );
    const advised = problem ? advisedLines(problem).slice(0, 2) : [];
    const copies = new Map(advised.map(({ place, text }) => [vscode.l10n.t('Copy for {0}', place), text]));
    const text = problem ? `${endSentence(summary)} ${visibleText(problem, 1000)}` : endSentence(summary);
    const lossy = summary.lostShare > LOSS_WARNING_SHARE;
    const show = problem || lossy || summary.samples === 0 ? warn : inform;
    const graph = vscode.l10n.t('Flame Graph');
    const hottest = vscode.l10n.t('Hottest Line');
    const choice = await show(text, ...copies.keys(), ...(summary.samples > 0 ? [graph, hottest] : []));
    const line = copies.get(choice ?? '');
    if (line !== undefined) await vscode.env.clipboard.writeText(line);
    if (choice === graph) await vscode.commands.executeCommand('lineheat.showFlameGraph');
    if (choice === hottest) await vscode.commands.executeCommand('lineheat.goToHottestLine');
  }
}

/** Where the runs of this workspace live; undefined when no folder is open. */
export function runsDirectory(): string | undefined {
  const [folder] = workspaceFolderPaths();
  return folder === undefined ? undefined : path.join(folder, '.lineheat', 'runs');
}

/** Thrown before anything is built or run in a workspace that the user does not trust. */
export function requireTrust(): void {
  if (vscode.workspace.isTrusted) return;
  throw new EngineFailure(
    'untrusted',
    'This workspace is not trusted, so nothing of it is built or run.',
    'Trust it with "Workspaces: Manage Workspace Trust", then profile again. Saved runs can be viewed meanwhile.',
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

/** The parameters that a caller gives: `{ set: ['threads=1,2,4'] }`, as on the command line. */
function parametersOf(named: NamedProgram & { readonly set?: unknown }): readonly SweepParameter[] {
  const { set } = named;
  const isList = Array.isArray(set) && set.every((one) => typeof one === 'string');
  const parsed = isList ? parseSweep(argumentText(set)) : 'It wants set: a list of texts such as threads=1,2,4.';
  if (typeof parsed === 'string') throw new TargetError(`lineheat.sweep: ${parsed}`);
  return parsed;
}

/** What a caller says of the recording itself; the rest is as the settings say. */
function recordingOf(named: NamedProgram): Partial<RecordSettings> {
  const { sampleHz, durationS, repeat, warmUp, work, workFrom } = named;
  const given = Object.entries({ sampleHz, durationS, repeat, warmUp, work, workFrom });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Checks what a caller of the command gave; menus pass a Uri, which is no program. */
export function isNamedProgram(value: unknown): value is NamedProgram {
  if (typeof value !== 'object' || value === null || !('program' in value)) return false;
  const { program, args = [], cwd = '', env = {}, workFrom = '', ...more } = value as Record<string, unknown>;
  const { sampleHz = 1, durationS = 0, repeat = 1, warmUp = 0, work = 0 } = more;
  const argumentList = Array.isArray(args) ? args : [undefined];
  const texts = [program, cwd, workFrom, ...argumentList, ...Object.values(env as object)];
  const numbers = [sampleHz, durationS, repeat, warmUp, work];
  const areNumbers = numbers.every((number) => typeof number === 'number' && number >= 0);
  if (texts.every((text) => typeof text === 'string') && program !== '' && areNumbers) return true;
  throw new TargetError(
    'lineheat.profileTarget takes { program, args, cwd, env, sampleHz, durationS, repeat, warmUp, work, workFrom }: texts, lists of texts and numbers.',
  );
}
