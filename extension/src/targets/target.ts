// What can be profiled, and what it takes to get there: build steps first, then a program to launch or a pid.
import * as l10n from '@vscode/l10n';

export type TargetKind = 'cmake' | 'cargo' | 'meson' | 'make' | 'go' | 'launch' | 'executable' | 'process' | 'program';

/** A program to start. `args` go to it as they are; no shell sees them. */
export interface LaunchPlan {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the saved run is called; without it, after the program's file. */
  readonly runName?: string;
  /** The tests in the program, where its build says what kind they are. */
  readonly tests?: TestFramework;
}

export type TestFramework = 'googletest' | 'catch2' | 'libtest';

/** A process to attach to. */
export interface AttachPlan {
  readonly name: string;
  readonly attachPid: number;
}

export type Plan = LaunchPlan | AttachPlan;

export interface Target {
  /** The same for the same target tomorrow: the last choice is found by it. */
  readonly id: string;
  readonly kind: TargetKind;
  readonly label: string;
  /** Stands beside the label: where it comes from, what is known of it. */
  readonly description: string;
  /** Whether the user may add arguments; launch configurations have their own. */
  readonly takesArguments: boolean;
  /** It records a process that runs already, so it cannot be repeated. */
  readonly attaches?: boolean;
  /** Builds if it knows how, and gives what to record. Throws TargetError or StepFailed. */
  prepare(tools: PrepareTools): Promise<Plan>;
}

/** What preparing a target may use; the editor and tests give different ones. */
export interface PrepareTools {
  readonly args: readonly string[];
  /** Runs a build step; resolves with its standard output. Throws StepFailed. */
  runStep(step: Step): Promise<string>;
}

/** One command, started without a shell. */
export interface Step {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Standard output is for us (machine-read), not for the user. */
  readonly quietOutput?: boolean;
  /** Added to our environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** It may end with any exit code: some programs return how many lines they listed. */
  readonly anyExitCode?: boolean;
  /** It is stopped then; without it, only by the user. */
  readonly timeoutMs?: number;
}

/** Why a target cannot be profiled as it is, and what to do. */
export class TargetError extends Error {
  constructor(
    message: string,
    readonly advice = '',
  ) {
    super(message);
    this.name = 'TargetError';
  }
}

/** A build step that failed; the compiler's words were shown while it ran. */
export class StepFailed extends Error {
  constructor(
    readonly step: Step,
    readonly why: string,
    /** The end of what it printed. */
    readonly lastWords: string,
  ) {
    super(l10n.t('{0} failed: {1}.', step.title, why));
    this.name = 'StepFailed';
  }
}
