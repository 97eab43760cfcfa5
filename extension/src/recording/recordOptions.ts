// How a program is recorded, as the user's settings and callers of commands choose it.
// Made from protocol/record-options.json by `npm run generate`; do not edit it.
import * as l10n from '@vscode/l10n';
import { countIn, isOff, isOn, type Settings, secondsIn, textsIn } from './settingValues.ts';

export interface RecordSettings {
  /** Samples per second per busy thread. */
  readonly sampleHz: number;
  /** How long to record; nothing or 0: until the program ends or someone stops it. */
  readonly durationS: number;
  /** How often a program is run, into one run; a run that fails is the last. A process is attached to once. */
  readonly repeat: number;
  /** Whether servers are asked for debug information that is not here. */
  readonly debuginfod: boolean;
  /** How often a command is run before, without samples. */
  readonly warmUp: number;
  /** Units of work that each run of the command does; 0: unknown. */
  readonly work: number;
  /** Regular expression over the program's output whose first group is the work; empty: none. */
  readonly workFrom: string;
  /** Whether a copy of the program is kept, to compare later builds with. */
  readonly keepBuilds: boolean;
  /** Whether waiting time is recorded, too, where that is possible: how long each thread was off the CPU, and where. */
  readonly waiting: boolean;
  /** Whether allocated memory is recorded, too: how much each line allocates, and how much of it is never freed. */
  readonly allocations: boolean;
  /** Whether page faults are recorded, too. */
  readonly faults: boolean;
  /** Whether system calls are recorded, too: how many, how long, and how many failed. */
  readonly syscalls: boolean;
  /** Functions whose calls are counted: names or patterns. */
  readonly calls: readonly string[];
  /** Whether the calls that are counted are timed, too: how long each takes. */
  readonly latency: boolean;
  /** Events that are counted, by the names that perf has for them. */
  readonly counters: readonly string[];
  /** Whether who ended each wait is recorded, too: which thread, at which line, or which kind of interrupt. */
  readonly wakeups: boolean;
}

export const SAMPLE_HZ_MAX = 9999;
export const REPEAT_MAX = 10_000;
export const WARM_UP_MAX = 1000;

/** What the user's settings say; `settings` are those below lineheat.record. */
export function chosenBySettings(settings: Settings): RecordSettings {
  return {
    sampleHz: countIn(settings.get('sampleRate'), { usual: 999, min: 1, max: SAMPLE_HZ_MAX }),
    durationS: secondsIn(settings.get('durationLimit'), 604_800),
    repeat: countIn(settings.get('repeat'), { usual: 1, min: 1, max: REPEAT_MAX }),
    debuginfod: isOn(settings.ofUser('debuginfod')),
    warmUp: countIn(settings.get('warmUp'), { usual: 0, min: 0, max: WARM_UP_MAX }),
    work: 0,
    workFrom: '',
    keepBuilds: !isOff(settings.get('keepBuilds')),
    waiting: !isOff(settings.get('waiting')),
    allocations: isOn(settings.get('allocations')),
    faults: isOn(settings.get('pageFaults')),
    syscalls: isOn(settings.get('systemCalls')),
    calls: textsIn(settings.get('calls')),
    latency: isOn(settings.get('latency')),
    counters: textsIn(settings.get('counters')),
    wakeups: isOn(settings.get('wakeups')),
  };
}

/** What callers of a command may say, with the type of each. */
export const CALLER_OPTIONS = {
  sampleHz: 'number',
  durationS: 'number',
  repeat: 'number',
  warmUp: 'number',
  work: 'number',
  workFrom: 'string',
} as const;

export function whatCallersGive(): string {
  return l10n.t(
    'lineheat.profileTarget takes { program, args, cwd, env, sampleHz, durationS, repeat, warmUp, work, workFrom }: strings, lists of strings and numbers.',
  );
}

/** Their fields of a RecordRequest. */
export function requestFields(chosen: RecordSettings) {
  return {
    sampleHz: chosen.sampleHz,
    durationS: chosen.durationS,
    debuginfod: chosen.debuginfod,
    noKeptBuild: !chosen.keepBuilds,
    noWaiting: !chosen.waiting,
    allocations: chosen.allocations,
    faults: chosen.faults,
    syscalls: chosen.syscalls,
    calls: [...chosen.calls],
    latency: chosen.latency,
    counters: [...chosen.counters],
    wakeups: chosen.wakeups,
  };
}

/** Those that concern only a program that is launched. */
export function launchFields(chosen: RecordSettings) {
  return {
    repeat: chosen.repeat,
    warmUp: chosen.warmUp,
    work: chosen.work,
    workFrom: chosen.workFrom,
  };
}
